"""Ordered trees as flat arrays: the form in which treebanks are read, cleaned and transformed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.treebank import tree_kernels

NO_NODE = -1
NO_WORD = -1

TaggedSentence = list[tuple[str, str]]
"""The words of a sentence, each with its tag."""


class StringTable(dict[str, int]):
    """Numbers strings from 0 on; indexing with a new string adds it."""

    def __missing__(self, string: str) -> int:
        self[string] = number = len(self)
        return number


def renumbered(numbers: np.ndarray, names: list[str], strings: StringTable) -> np.ndarray:
    """Replace indexes into a list of names by indexes into a string table; negative ones stay."""
    table = np.full(len(names) + 1, NO_WORD, np.int32)
    for k in np.unique(numbers[numbers >= 0]).tolist():
        table[k] = strings[names[k]]
    return table[numbers]


@dataclass(frozen=True)
class Treebank:
    """A sequence of ordered trees; nodes are stored tree after tree in preorder.

    A node with a word is a preterminal and its label is a tag; a node without is a phrase.
    A *null* tree, such as ``(())``, has no nodes but keeps its place in the sequence.

    Attributes
    ----------
    label : ndarray of int32, shape (n_nodes,)
        Position of each node's label in `strings`.
    word : ndarray of int32, shape (n_nodes,)
        Position of a preterminal's word in `strings`, `NO_WORD` for phrases.
    parent : ndarray of int32, shape (n_nodes,)
        Position of each node's parent, `NO_NODE` for roots.  Parents precede children.
    tree_start : ndarray of int64, shape (n_trees + 1,)
        Tree t has the nodes ``tree_start[t]:tree_start[t + 1]``.
    strings : list of str
        The labels and words.
    """

    label: np.ndarray
    word: np.ndarray
    parent: np.ndarray
    tree_start: np.ndarray
    strings: list[str]

    @property
    def n_trees(self) -> int:
        """Number of trees, null trees included."""
        return len(self.tree_start) - 1

    @property
    def n_nodes(self) -> int:
        """Number of nodes of all trees."""
        return len(self.label)

    @property
    def n_words(self) -> int:
        """Number of words of all trees."""
        return int(np.count_nonzero(self.word != NO_WORD))

    def tree_of_node(self) -> np.ndarray:
        """Number of the tree of each node, int64, shape (n_nodes,)."""
        return np.repeat(np.arange(self.n_trees), np.diff(self.tree_start))

    def subtree_end(self) -> np.ndarray:
        """First position after each node's subtree, int32, shape (n_nodes,)."""
        return tree_kernels.subtree_end(self.parent)

    def n_children(self) -> np.ndarray:
        """Number of children of each node (words do not count), int64, shape (n_nodes,)."""
        inner = self.parent[self.parent != NO_NODE]
        return np.bincount(inner, minlength=self.n_nodes)

    def words_below(self) -> np.ndarray:
        """Number of words below or at each node, int64, shape (n_nodes,)."""
        before = starts(self.word != NO_WORD)
        return before[self.subtree_end()] - before[:-1]

    def spans(self) -> tuple[np.ndarray, np.ndarray]:
        """Half-open word span (i, j) of each node within its tree, int64, shape (n_nodes,) each."""
        before = starts(self.word != NO_WORD)
        tree_base = before[self.tree_start[:-1]]
        base = np.repeat(tree_base, np.diff(self.tree_start))
        return before[:-1] - base, before[self.subtree_end()] - base

    def tagged_sentences(self) -> Iterator[TaggedSentence]:
        """Yield each tree's (word, tag) pairs, left to right; an empty list for a null tree."""
        leaves = np.flatnonzero(self.word != NO_WORD)
        bounds = np.searchsorted(leaves, self.tree_start)
        names = self.strings
        words = [names[k] for k in self.word[leaves]]
        tags = [names[k] for k in self.label[leaves]]
        for start, stop in pairwise(bounds):
            yield list(zip(words[start:stop], tags[start:stop], strict=True))

    def select(self, keep: np.ndarray) -> Treebank:
        """The treebank without some nodes; the children of a removed node are attached to its parent.

        Parameters
        ----------
        keep : ndarray of bool, shape (n_nodes,)
            False for the nodes to remove.  The children of a removed root become roots, so the caller must make sure
            that each tree has one root.
        """
        parent = tree_kernels.nearest_kept_ancestor(self.parent, keep)[keep]
        new_position = np.cumsum(keep) - 1
        parent = np.where(parent == NO_NODE, NO_NODE, new_position[parent]).astype(np.int32)
        kept_before = starts(keep)
        return Treebank(self.label[keep], self.word[keep], parent, kept_before[self.tree_start], self.strings)

    def subset(self, trees: np.ndarray) -> Treebank:
        """The treebank of the given trees, in the given order.

        Parameters
        ----------
        trees : ndarray of int, shape (n,)
            Numbers of the trees.
        """
        return self._parts(self.tree_start[trees], np.diff(self.tree_start)[trees])

    def subtrees(self, nodes: np.ndarray) -> Treebank:
        """A treebank whose trees are the subtrees below the given nodes, in the given order.

        Parameters
        ----------
        nodes : ndarray of int, shape (n,)
        """
        return self._parts(nodes, self.subtree_end()[nodes] - nodes)

    def _parts(self, begin: np.ndarray, sizes: np.ndarray) -> Treebank:
        """A tree for each range of nodes, which is a whole subtree, or empty."""
        first = starts(sizes)
        shift = np.repeat(begin - first[:-1], sizes)
        nodes = np.arange(first[-1]) + shift
        parent = self.parent[nodes]
        parent = np.where(parent == NO_NODE, NO_NODE, parent - shift).astype(np.int32)
        parent[first[:-1][sizes > 0]] = NO_NODE
        return Treebank(self.label[nodes], self.word[nodes], parent, first, self.strings)
