"""Figures of a treebank that are useful to know before training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.config import CleanSettings
from lpcfg_cli.treebank.anomalies import find_anomalies
from lpcfg_cli.treebank.anomaly import Anomaly
from lpcfg_cli.treebank.checked_nodes import TRACE_TAG, CheckedNodes
from lpcfg_cli.treebank.clean import clean
from lpcfg_cli.treebank.trees import NO_NODE, NO_WORD, Treebank

Words = tuple[str, ...]


@dataclass(frozen=True)
class Extreme:
    """The largest of some sizes.

    Attributes
    ----------
    size : int
    node : int
        The node that has it.
    """

    size: int
    node: int


@dataclass(frozen=True)
class Survey:
    """Figures of a treebank as annotated, and as it would be after cleaning.

    Attributes
    ----------
    trees, words : int
        Number of trees and words after cleaning.
    phrases, tags : list of (str, int)
        Phrase labels and tags after cleaning, with their counts, the most frequent first.
    raw_labels : int
        Number of different phrase labels before cleaning.
    roots : list of (str, int)
        Labels of roots as annotated, with their counts, the most frequent first.
    with_function : int
        Number of phrases whose function tags or indices cleaning would remove.
    traces, emptied, self_loops, unlabelled : int
    dropped : dict of str to int
        As in `CleaningReport`; bare traces are among the dropped words.
    null_trees : list of int
        Positions of trees without words.
    one_word : int
        Number of trees of one word, after cleaning.
    longest, widest, deepest, longest_chain : Extreme
        Largest number of words of a tree, children of a node, nodes from root to word, and phrases over one span; as
        annotated, except that traces do not count as words.
    anomalies : list of Anomaly
    """

    trees: int
    words: int
    phrases: list[tuple[str, int]]
    tags: list[tuple[str, int]]
    raw_labels: int
    roots: list[tuple[str, int]]
    with_function: int
    traces: int
    emptied: int
    self_loops: int
    unlabelled: int
    dropped: dict[str, int]
    null_trees: list[int]
    one_word: int
    longest: Extreme
    widest: Extreme
    deepest: Extreme
    longest_chain: Extreme
    anomalies: list[Anomaly]


def survey(trees: Treebank, settings: CleanSettings) -> Survey:
    """Compute the figures of a treebank with at least one word.

    Parameters
    ----------
    trees : Treebank
        As annotated.
    settings : CleanSettings
        Settings of the cleaning whose effects are counted.
    """
    cleaned, report = clean(trees, settings)
    is_word = trees.word != NO_WORD
    roots = trees.parent == NO_NODE
    table = CheckedNodes(trees)
    lengths = _lengths(trees)
    first_nodes = trees.tree_start[:-1]
    raw = np.array(trees.strings)[trees.label[~is_word]]
    cut = np.array(table.names)[table.category[~is_word]] if len(raw) else raw
    depth = _depth(trees)
    return Survey(
        cleaned.n_trees,
        cleaned.n_words,
        _count(cleaned, cleaned.word == NO_WORD),
        _count(cleaned, cleaned.word != NO_WORD),
        len(np.unique(raw)),
        _count(trees, roots),
        int(np.count_nonzero(raw != cut)) if settings.strip_functions else 0,
        report.traces,
        report.emptied,
        report.self_loops,
        report.unlabelled,
        report.dropped | ({"bare traces": report.bare_traces} if report.bare_traces else {}),
        list(report.null_trees),
        int(np.count_nonzero(_lengths(cleaned) == 1)),
        _extreme(lengths, first_nodes),
        _extreme(trees.n_children(), np.arange(trees.n_nodes)),
        _extreme(depth, np.arange(trees.n_nodes)),
        _extreme(_chain_lengths(trees), np.arange(trees.n_nodes)),
        find_anomalies(table, settings),
    )


def sentences(trees: Treebank) -> list[Words]:
    """The words of each tree, without traces."""
    return [tuple(word for word, tag in sentence if tag != TRACE_TAG) for sentence in trees.tagged_sentences()]


def repeated(own: Sequence[Words], other: Sequence[Words]) -> list[tuple[int, int]]:
    """For each sentence of `own` that occurs in `other`, its number and that of its first occurrence in `other`."""
    first: dict[Words, int] = {}
    for number, words in enumerate(other):
        if words:
            first.setdefault(words, number)
    return [(number, first[words]) for number, words in enumerate(own) if words in first]


def _count(trees: Treebank, mask: np.ndarray) -> list[tuple[str, int]]:
    numbers, counts = np.unique(trees.label[mask], return_counts=True)
    found = [(trees.strings[k], int(count)) for k, count in zip(numbers, counts, strict=True)]
    return sorted(found, key=lambda entry: (-entry[1], entry[0]))


def _lengths(trees: Treebank) -> np.ndarray:
    """Number of words of each tree, without traces; int64, (n_trees,)."""
    is_trace = np.array([name == TRACE_TAG for name in trees.strings], bool)[trees.label]
    before = starts((trees.word != NO_WORD) & ~is_trace)
    return np.diff(before[trees.tree_start])


def _extreme(sizes: np.ndarray, nodes: np.ndarray) -> Extreme:
    largest = int(np.argmax(sizes))
    return Extreme(int(sizes[largest]), int(nodes[largest]))


def _depth(trees: Treebank) -> np.ndarray:
    """Number of nodes on the path from the root to each node; int64, (n_nodes,).  O(n_nodes)."""
    closes = np.bincount(trees.subtree_end(), minlength=trees.n_nodes + 1)[: trees.n_nodes]
    return np.arange(1, trees.n_nodes + 1) - np.cumsum(closes)


def _chain_lengths(trees: Treebank) -> np.ndarray:
    """Length of the chain of phrases over one span from each node downwards, itself included; int64, (n_nodes,).

    0 for preterminals.
    """
    step = (trees.n_children() == 1) & (trees.word == NO_WORD)
    is_phrase_below = np.zeros(trees.n_nodes, bool)
    is_phrase_below[:-1] = trees.word[1:] == NO_WORD
    goes_on = step & is_phrase_below
    stops = np.flatnonzero(~goes_on)
    # in preorder the only child of a node comes right after it
    reach = stops[np.searchsorted(stops, np.arange(trees.n_nodes))]
    return np.where(trees.word == NO_WORD, reach - np.arange(trees.n_nodes) + 1, 0)
