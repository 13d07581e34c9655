"""Binarized trees as ordinary trees, whose labels are the names of symbols, and back.

``(S (NP …) (VP …) (. .))`` becomes ``(S (@S (NP …) (VP …)) (. .))``: a node that binarization made is called ``@S``.
Unary chains stay, or are one node ``S|VP``; with Markovization, ``^`` precedes an ancestor and ``~`` a sibling.  These
characters within a label are written in hexadecimal, so that any tree comes back exactly.
"""

from __future__ import annotations

import numpy as np

from lpcfg_cli.arrays.grouping import number_rows
from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.config import BinarizeSettings
from lpcfg_cli.treebank.binarize import Ragged, binarize, expanded, with_chains
from lpcfg_cli.treebank.heads import HeadRules
from lpcfg_cli.treebank.symbols import escape, labels_of_name
from lpcfg_cli.treebank.trees import NO_NODE, NO_WORD, StringTable, Treebank


def binary_trees(trees: Treebank, settings: BinarizeSettings, rules: HeadRules) -> Treebank:
    """Trees in which no node has more than two children.

    Parameters
    ----------
    trees : Treebank
        Null trees stay null.
    settings : BinarizeSettings
        With ``unaries = "latent"``, unary chains stay as they are.
    rules : HeadRules
        For ``direction = "head"``.
    """
    sizes = np.diff(trees.tree_start)
    binary = binarize(trees.subset(np.flatnonzero(sizes)), settings, rules)
    strings = StringTable({name: k for k, name in enumerate(binary.strings)})
    own = [[strings[symbol.name]] for symbol in binary.symbols]
    hidden = [[strings[escape(label)] for label in labels] for labels in binary.hidden_labels]
    found = with_chains(binary, own, hidden, strings)
    new_sizes = np.zeros(trees.n_trees, np.int64)
    new_sizes[sizes > 0] = np.diff(found.tree_start)
    return Treebank(found.label, found.word, found.parent, starts(new_sizes), found.strings)


def unbinarized_trees(trees: Treebank) -> Treebank:
    """Undo `binary_trees` exactly; `intermediate_roots` must be empty."""
    is_word = trees.word != NO_WORD
    number, where = number_rows([is_word, trees.label])
    strings = StringTable({name: k for k, name in enumerate(trees.strings)})
    names = [(trees.strings[trees.label[node]], bool(is_word[node])) for node in where]
    own = [[strings[label] for label in labels_of_name(*name)] for name in names]
    label, count = Ragged(own).take(number)
    return expanded(label, count, trees.parent, trees.word, trees.tree_start, list(strings))


def intermediate_roots(trees: Treebank) -> np.ndarray:
    """Numbers of the trees whose root has the name of an intermediate symbol, int64."""
    is_intermediate = np.array([not labels_of_name(name, False) for name in trees.strings], bool)
    at_root = (trees.parent == NO_NODE) & (trees.word == NO_WORD) & is_intermediate[trees.label]
    return np.flatnonzero(np.isin(np.arange(trees.n_trees), trees.tree_of_node()[at_root]))
