"""Binarized trees as flat arrays."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.treebank import binary_kernels
from lpcfg_cli.treebank.symbols import Symbol

LEXICAL, BINARY, UNARY = 0, 1, 2
"""The three kinds of rule; the kind of a node is that of the rule below it."""

NONE = -1


@dataclass(frozen=True)
class BinaryTreebank:
    """Binarized trees, tree after tree in preorder; arrays have shape (n_nodes,) unless given.

    Attributes
    ----------
    symbol : ndarray of int32
        Position in `symbols`.
    kind : ndarray of int8
        `LEXICAL`, `BINARY` or `UNARY`.
    word : ndarray of int32
        Position of the word in `strings`, `NONE` unless lexical.
    hidden : ndarray of int32
        Position in `hidden_labels` of the labels between a unary node and its child; `NONE` for other nodes.
    parent, left, right : ndarray of int32
        Positions of parent and children, `NONE` if there is none; an only child is the left one.
    is_right : ndarray of bool
        Whether the node is its parent's right child.
    head_is_right : ndarray of bool
        Whether a binary node's head is in its right child.
    head : ndarray of int32
        Position of the preterminal that is the node's head.
    start, stop : ndarray of int32
        Half-open word span within the tree.
    tree_start : ndarray of int64, shape (n_trees + 1,)
        Tree t has the nodes ``tree_start[t]:tree_start[t + 1]``.
    symbols : list of Symbol
    hidden_labels : list of tuple of str
        Sequences of labels that unary nodes hide.
    strings : list of str
        The words.
    weight : ndarray of float64, shape (n_trees,)
        How often each tree counts in all counts and means; 1 unless set.
    n_taught : int
        Number of trees, the last ones, that a teacher gave to raw text.
    """

    symbol: np.ndarray
    kind: np.ndarray
    word: np.ndarray
    hidden: np.ndarray
    parent: np.ndarray
    left: np.ndarray
    right: np.ndarray
    is_right: np.ndarray
    head_is_right: np.ndarray
    head: np.ndarray
    start: np.ndarray
    stop: np.ndarray
    tree_start: np.ndarray
    symbols: list[Symbol]
    hidden_labels: list[tuple[str, ...]]
    strings: list[str]
    weight: np.ndarray = field(default_factory=lambda: np.ones(0))
    n_taught: int = 0

    def __post_init__(self) -> None:
        if not len(self.weight):
            object.__setattr__(self, "weight", np.ones(self.n_trees))

    @property
    def n_nodes(self) -> int:
        """Number of nodes of all trees."""
        return len(self.symbol)

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.tree_start) - 1

    @property
    def n_gold(self) -> int:
        """Number of trees, the first ones, that are of the treebank."""
        return self.n_trees - self.n_taught

    def tree_of_node(self) -> np.ndarray:
        """Number of the tree of each node, int64, shape (n_nodes,)."""
        return np.repeat(np.arange(self.n_trees), np.diff(self.tree_start))

    def node_weight(self) -> np.ndarray:
        """Weight of the tree of each node, float64, shape (n_nodes,)."""
        return np.repeat(self.weight, np.diff(self.tree_start))

    def with_taught(self, weight: np.ndarray) -> BinaryTreebank:
        """The same trees, the last ones of which, of raw text, have these weights, float64, (n_taught,)."""
        n_gold = self.n_trees - len(weight)
        return replace(self, weight=np.append(np.ones(n_gold), weight), n_taught=len(weight))

    def sentence_lengths(self) -> np.ndarray:
        """Number of words of each tree, int32, shape (n_trees,)."""
        return self.stop[self.tree_start[:-1]]


@dataclass(frozen=True)
class NodeTable:
    """The arrays of a `BinaryTreebank` from which `assemble` computes the others."""

    symbol: np.ndarray
    kind: np.ndarray
    word: np.ndarray
    hidden: np.ndarray
    parent: np.ndarray
    head_is_right: np.ndarray
    tree_start: np.ndarray


def assemble(
    nodes: NodeTable, symbols: list[Symbol], hidden_labels: list[tuple[str, ...]], strings: list[str]
) -> BinaryTreebank:
    """Make binarized trees from their nodes: computes children, spans and heads; O(n_nodes).

    Parameters
    ----------
    nodes : NodeTable
        In preorder, tree after tree.
    symbols, hidden_labels, strings
        As in `BinaryTreebank`.
    """
    parent = np.ascontiguousarray(nodes.parent, np.int32)
    left, right, is_right = binary_kernels.children(parent)
    is_word = nodes.kind == LEXICAL
    before = starts(is_word)
    base = np.repeat(before[nodes.tree_start[:-1]], np.diff(nodes.tree_start))
    start = (before[:-1] - base).astype(np.int32)
    stop, head = binary_kernels.stops_and_heads(start, left, right, nodes.head_is_right)
    return BinaryTreebank(
        nodes.symbol.astype(np.int32),
        nodes.kind.astype(np.int8),
        nodes.word.astype(np.int32),
        nodes.hidden.astype(np.int32),
        parent,
        left,
        right,
        is_right,
        nodes.head_is_right.astype(bool),
        head,
        start,
        stop,
        np.asarray(nodes.tree_start, np.int64),
        symbols,
        hidden_labels,
        strings,
    )
