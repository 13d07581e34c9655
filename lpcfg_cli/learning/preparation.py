"""From binarized trees to the input of learners: lexicon, features, projections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import NamedTuple

import numpy as np

from lpcfg_cli.arrays.grouping import number_rows
from lpcfg_cli.arrays.streams import Purpose, stream
from lpcfg_cli.config import FeatureSettings, LexiconSettings, Settings, SvdSettings
from lpcfg_cli.execution.environment import single_threaded
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.execution.workers import FileValue, Mapper, value_of
from lpcfg_cli.features.matrices import NodeFeatures, extract, sort_nodes
from lpcfg_cli.features.template import NodeView, Template
from lpcfg_cli.features.templates import choose_templates
from lpcfg_cli.grammar.lexicon import Lexicon, clusters_for, learn_lexicon
from lpcfg_cli.learning.projected_nodes import project_nodes
from lpcfg_cli.learning.training_data import TrainingData
from lpcfg_cli.spectral.projection import Projection, perturbed, project
from lpcfg_cli.spectral.spectra import SymbolSpectrum, spectra_of
from lpcfg_cli.treebank.binary import NONE, BinaryTreebank


class Description(NamedTuple):
    """The lexicon of some trees, and the lexical entries and features of their nodes.

    Attributes
    ----------
    lexicon : Lexicon
    entry : ndarray of int64, shape (n_nodes,)
        As returned by `lexical_entries`.
    features : NodeFeatures
    """

    lexicon: Lexicon
    entry: np.ndarray
    features: NodeFeatures


class ScaledFeatures(NamedTuple):
    """Features and the settings that scale their values.

    Attributes
    ----------
    features : NodeFeatures
    scaling : FeatureSettings
    """

    features: NodeFeatures
    scaling: FeatureSettings


def describe(
    trees: BinaryTreebank, templates: Sequence[Template], settings: LexiconSettings, progress: Progress = no_progress
) -> Description:
    """Learn the lexicon of trees and extract the features of their nodes.

    Parameters
    ----------
    trees : BinaryTreebank
    templates : sequence of Template
    settings : LexiconSettings
    progress : Progress
        Reports progress over the templates.
    """
    lexicon = lexicon_of(trees, settings)
    entry = lexical_entries(trees, lexicon)
    view = NodeView(trees, entry)
    order = sort_nodes(trees.symbol, len(trees.symbols), trees.node_weight())
    phi = extract(view, [t for t in templates if t.is_inside], order, progress)
    psi = extract(view, [t for t in templates if not t.is_inside], order, progress)
    return Description(lexicon, entry, NodeFeatures(order, phi, psi))


def lexicon_of(trees: BinaryTreebank, settings: LexiconSettings) -> Lexicon:
    """Learn a lexicon from the words and tags of binarized trees.

    Weighted counts of a word with a tag are rounded to whole tokens, at least one: it is known.
    """
    leaves = np.flatnonzero(trees.word != NONE)
    number, where = number_rows([trees.word[leaves], trees.symbol[leaves]])
    tokens = np.maximum(np.rint(np.bincount(number, trees.node_weight()[leaves])), 1)
    counts = [
        (trees.strings[trees.word[leaf]], trees.symbols[trees.symbol[leaf]].tag or "", int(count))
        for leaf, count in zip(leaves[where], tokens, strict=True)
    ]
    return learn_lexicon(counts, settings, clusters_for(counts, settings))


def lexical_entries(trees: BinaryTreebank, lexicon: Lexicon) -> np.ndarray:
    """Lexicon entry of each preterminal's word, `NONE` for other nodes; int64, shape (n_nodes,)."""
    table = np.full(len(trees.strings) + 1, NONE)
    for k in np.unique(trees.word[trees.word != NONE]):
        table[k] = lexicon.entry(trees.strings[k])
    return table[trees.word]


def project_all(
    features: FileValue | ScaledFeatures, settings: Settings, mapper: Mapper = map, progress: Progress = no_progress
) -> list[Projection]:
    """Compute the truncated SVD of every nonterminal's Ω (C13 §2.2.1), each with its own random stream.

    Parameters
    ----------
    features : FileValue of ScaledFeatures, or ScaledFeatures
        A file if the workers of the mapper are other processes.
    settings : Settings
    mapper : callable like map
        Spreads the nonterminals over workers; results do not depend on it.
    progress : Progress
        Reports progress over the nonterminals.

    Returns
    -------
    list of Projection
        One for each symbol.
    """
    examples = np.diff(value_of(features).features.order.row_start)
    # the largest first, so that no worker starts a long task when the others have finished
    by_size = np.argsort(-examples, kind="stable").tolist()
    tasks = ((features, a, settings.svd, settings.seed) for a in by_size)
    done = progress(mapper(_project_task, tasks), "svd", len(examples), "symbol")
    found = dict(zip(by_size, done, strict=True))
    return [found[a] for a in range(len(examples))]


def _project_task(task: tuple[FileValue | ScaledFeatures, int, SvdSettings, int]) -> Projection:
    source, symbol, settings, seed = task
    features, scaling = value_of(source)
    phi, psi = (side.matrix(symbol, features.order, scaling) for side in (features.inside, features.outside))
    rng = stream(seed, Purpose.SVD_START, symbol)
    weight = features.order.weight_of(symbol)
    return project(*perturbed((phi, psi), settings, seed, symbol), settings, rng, weight)


@single_threaded()
def prepare(trees: BinaryTreebank, settings: Settings) -> tuple[TrainingData, list[SymbolSpectrum]]:
    """Compute training data from binarized trees without a run directory, and the spectra of their nonterminals.

    Parameters
    ----------
    trees : BinaryTreebank
    settings : Settings
    """
    found = describe(trees, choose_templates(settings.features.templates), settings.lexicon)
    projections = project_all(ScaledFeatures(found.features, settings.features), settings)
    names = [symbol.shown for symbol in trees.symbols]
    spectra = spectra_of(names, np.diff(found.features.order.row_start), projections)
    projected = project_nodes(projections, found.features, settings.features)
    made_by = {"binarize": asdict(settings.binarize)}
    return TrainingData(trees, found.entry, found.lexicon, found.features, projected, made_by, {}), spectra
