"""Induction of parts of speech: hidden states against the tags of a treebank.

Each state is mapped to the tag that most of its words have (many-to-one); the accuracy is the share of words whose tag
is that of their state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lpcfg_cli.config import Settings
from lpcfg_cli.errors import InputError
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.hmm.hidden_markov import HiddenMarkov
from lpcfg_cli.text.vocabulary import UNKNOWN
from lpcfg_cli.treebank.clean import clean
from lpcfg_cli.treebank.files import read_tree_files
from lpcfg_cli.treebank.finding import find_tree_files
from lpcfg_cli.treebank.presets import cleaning
from lpcfg_cli.treebank.trees import TaggedSentence

MOST_TAGS = 5
"""Number of tags of a state that are listed."""


@dataclass(frozen=True)
class StateTags:
    """The tags of the words of a state.

    Attributes
    ----------
    state : int
    words : int
    tags : list of (str, int)
        The commonest ones with their numbers of words.
    """

    state: int
    words: int
    tags: list[tuple[str, int]]


@dataclass(frozen=True)
class Accuracy:
    """Hidden states against tags.

    Attributes
    ----------
    sentences, words, unknown : int
        Numbers of sentences, of words, and of words that the model does not know.
    correct : int
        Number of words whose tag is the commonest of their state.
    states : list of StateTags
        Those with most words first.
    """

    sentences: int
    words: int
    unknown: int
    correct: int
    states: list[StateTags]

    @property
    def many_to_one(self) -> float:
        """Share of correct words."""
        return self.correct / self.words


def tagged_sentences(treebank: Path, settings: Settings, progress: Progress = no_progress) -> list[TaggedSentence]:
    """The words and tags of a treebank, cleaned as for training.

    Raises
    ------
    InputError, SyntaxProblem
        The treebank cannot be read, or has no words.
    """
    files = read_tree_files(find_tree_files([treebank], None, settings.read.format), settings.read, progress)
    trees, _ = clean(files.trees, cleaning(settings))
    found = [sentence for sentence in trees.tagged_sentences() if sentence]
    if not found:
        raise InputError(f"{treebank}: no tree with words. Check that it is a treebank.")
    return found


def accuracy(model: HiddenMarkov, sentences: Iterable[TaggedSentence], lowercase: bool = False) -> Accuracy:
    """Find the likeliest states of sentences, and compare them with the tags.

    Parameters
    ----------
    model : HiddenMarkov
    sentences : iterable of list of (str, str)
        Words with tags.
    lowercase : bool
        Whether words are lower-cased first.
    """
    tags: dict[int, Counter[str]] = {}
    n_sentences = unknown = 0
    for sentence in sentences:
        n_sentences += 1
        numbers = model.numbers_of([word.lower() if lowercase else word for word, _ in sentence])
        unknown += int(np.count_nonzero(numbers == UNKNOWN))
        for state, (_, tag) in zip(model.likeliest_path(numbers).tolist(), sentence, strict=False):  # not the end
            tags.setdefault(state, Counter())[tag] += 1
    states = [StateTags(h, own.total(), own.most_common(MOST_TAGS)) for h, own in sorted(tags.items())]
    words = sum(state.words for state in states)
    correct = sum(state.tags[0][1] for state in states)
    return Accuracy(n_sentences, words, unknown, correct, sorted(states, key=lambda state: -state.words))
