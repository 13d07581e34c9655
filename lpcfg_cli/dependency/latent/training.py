"""From sentences with heads to the data that models are learnt from, and to models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from lpcfg_cli.config import DependencyModelSettings
from lpcfg_cli.dependency.latent.learner import TreeData
from lpcfg_cli.dependency.latent.learners import TREE_LEARNERS, learn_trees
from lpcfg_cli.dependency.latent.model import TreeModel
from lpcfg_cli.dependency.latent.tree_arrays import arrays_of
from lpcfg_cli.dependency.trees.sentence import DependencySentence
from lpcfg_cli.errors import InputError
from lpcfg_cli.text.vocabulary import frequent_words


def tree_data(
    sentences: Sequence[DependencySentence],
    settings: DependencyModelSettings,
    dev: Sequence[DependencySentence] = (),
) -> TreeData:
    """Number the symbols of sentences, with rare ones replaced.

    Parameters
    ----------
    sentences : sequence of DependencySentence
    settings : DependencyModelSettings
    dev : sequence of DependencySentence
        The first half chooses the number of EM steps, if the learner takes any.

    Raises
    ------
    InputError
        There are no words, or heads form no tree.
    """
    counts = Counter(symbol for sentence in sentences for symbol in getattr(sentence, settings.symbols))
    if not counts:
        raise InputError("the treebank has no words: nothing can be learnt from it. Give sentences with heads.")
    vocabulary = frequent_words({symbol.encode(): count for symbol, count in counts.items()}, settings.rare_below)
    trees = arrays_of(sentences, vocabulary, settings.symbols)
    n_rare = sum(count < settings.rare_below for count in counts.values())
    takes_dev = len(dev) > 0 and TREE_LEARNERS.named(settings.learner, "dependency.learner").takes_em_steps
    half = arrays_of(dev[: (len(dev) + 1) // 2], vocabulary, settings.symbols) if takes_dev else None
    return TreeData(vocabulary, trees, np.ones(len(trees)), n_rare, half)


def learn_tree_model(
    sentences: Sequence[DependencySentence],
    settings: DependencyModelSettings,
    seed: int = 0,
    dev: Sequence[DependencySentence] = (),
) -> TreeModel:
    """Learn a model of dependency trees; parameters and errors are those of `tree_data` and `learn_trees`."""
    return learn_trees(tree_data(sentences, settings, dev), settings, seed).model
