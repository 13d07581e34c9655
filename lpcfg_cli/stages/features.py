"""features: binarized trees → ``features.npz``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lpcfg_cli.arrays.grouping import number_rows
from lpcfg_cli.config import LexiconSettings, Settings
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.features.matrices import FeatureMatrices, NodeOrder, extract, sort_nodes
from lpcfg_cli.features.templates import NodeView, Template, choose_templates
from lpcfg_cli.grammar.lexicon import CLASS_MARK, Lexicon, learn_lexicon
from lpcfg_cli.stages.journal import logged_stage
from lpcfg_cli.stages.run_directory import (
    FEATURES,
    FEATURES_FILE,
    SYMBOLS_FILE,
    TREES_FILE,
    feature_arrays,
    load_binary_trees,
)
from lpcfg_cli.storage.artefacts import write_arrays
from lpcfg_cli.storage.files import sha256_of_file
from lpcfg_cli.treebank.binary import NONE, BinaryTreebank


@dataclass(frozen=True)
class FeaturesReport:
    """Sizes of what was extracted.

    Attributes
    ----------
    nodes : int
        Nodes of the binarized trees.
    inside_features, outside_features : int
        Different features of all nonterminals together (d and d′ summed).
    words, classes : int
        Words the lexicon keeps and classes it puts in place of the others.
    suffixes : int
        Suffixes that classes distinguish.
    """

    nodes: int
    inside_features: int
    outside_features: int
    words: int
    classes: int
    suffixes: int


class Description(NamedTuple):
    """What is known of the nodes of some trees.

    Attributes
    ----------
    lexicon : Lexicon
    entry : ndarray of int64, shape (n_nodes,)
        As `lexical_entries` gives them.
    order : NodeOrder
    inside, outside : FeatureMatrices
    """

    lexicon: Lexicon
    entry: np.ndarray
    order: NodeOrder
    inside: FeatureMatrices
    outside: FeatureMatrices


def run_features(run: Path, settings: Settings, progress: Progress = no_progress) -> FeaturesReport:
    """Learn the lexicon and extract inside and outside features of every node.

    Parameters
    ----------
    run : Path
        A run directory with the output of ``lpcfg binarize``.
    settings : Settings
    progress : Progress
        Sees the templates.
    """
    templates = choose_templates(settings.features.templates)
    with logged_stage(run, "features"):
        _, trees = load_binary_trees(run)
        lexicon, entry, order, phi, psi = describe(trees, templates, settings.lexicon, progress)
        arrays = feature_arrays(order, phi, psi, trees.tree_of_node(), entry, lexicon)
        inputs = {name: sha256_of_file(run / name) for name in (TREES_FILE, SYMBOLS_FILE)}
        write_arrays(run / FEATURES_FILE, FEATURES, arrays, feature_settings(settings), settings.seed, inputs)
    kinds = Counter(entry.startswith(CLASS_MARK) for entry in lexicon.entries)
    return FeaturesReport(
        trees.n_nodes, len(phi.count), len(psi.count), kinds[False], kinds[True], len(lexicon.suffixes)
    )


def describe(
    trees: BinaryTreebank, templates: Sequence[Template], settings: LexiconSettings, progress: Progress = no_progress
) -> Description:
    """Learn the lexicon and extract the features of trees; parameters as for `run_features`."""
    lexicon = lexicon_of(trees, settings)
    entry = lexical_entries(trees, lexicon)
    view = NodeView(trees, entry)
    order = sort_nodes(trees.symbol, len(trees.symbols))
    phi = extract(view, [t for t in templates if t.is_inside], order, progress)
    psi = extract(view, [t for t in templates if not t.is_inside], order, progress)
    return Description(lexicon, entry, order, phi, psi)


def feature_settings(settings: Settings) -> dict[str, Any]:
    """The settings that shape this stage's output."""
    return {"lexicon": asdict(settings.lexicon), "features": asdict(settings.features)}


def lexicon_of(trees: BinaryTreebank, settings: LexiconSettings) -> Lexicon:
    """Learn a lexicon from the words and tags of binarized trees."""
    leaves = np.flatnonzero(trees.word != NONE)
    number, where = number_rows([trees.word[leaves], trees.symbol[leaves]])
    counts = np.bincount(number)
    return learn_lexicon(
        (
            (trees.strings[trees.word[leaf]], trees.symbols[trees.symbol[leaf]].tag or "", int(count))
            for leaf, count in zip(leaves[where], counts, strict=True)
        ),
        settings,
    )


def lexical_entries(trees: BinaryTreebank, lexicon: Lexicon) -> np.ndarray:
    """Entry of each preterminal's word, `NONE` for other nodes; int64, shape (n_nodes,)."""
    table = np.full(len(trees.strings) + 1, NONE)
    for k in np.unique(trees.word[trees.word != NONE]):
        table[k] = lexicon.entry(trees.strings[k])
    return table[trees.word]
