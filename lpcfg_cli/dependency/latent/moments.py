"""Moments of dependency trees: symbols next to each other, and the arcs with their sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpcfg_cli.dependency.latent.learner import TreeData

if TYPE_CHECKING:
    from scipy import sparse

KINDS = 4
"""Kinds of neighbours: left child, right child, head of a left child, head of a right child."""


@dataclass(frozen=True)
class Arcs:
    """All arcs of some trees.

    Attributes
    ----------
    symbols : ndarray of int32, shape (n,)
        Of all nodes.
    child, head : ndarray of int64, shape (n_arcs,)
        Positions of nodes.
    side : ndarray of int64, shape (n_arcs,)
        0 for left children, 1 for right ones.
    weight : ndarray of float64, shape (n_arcs,)
        That of the tree.
    """

    symbols: np.ndarray
    child: np.ndarray
    head: np.ndarray
    side: np.ndarray
    weight: np.ndarray


@dataclass(frozen=True)
class Moments:
    """Counts of symbols and their neighbours.

    Attributes
    ----------
    arcs : Arcs
    roots : ndarray of float64, shape (n_words,)
        p(x) of a root.
    frequency : ndarray of float64, shape (n_words,)
        Share of each symbol in all nodes.
    neighbours : sparse array, shape (n_words, 4 n_words)
        How often a symbol has a neighbour: a block of columns for each of the `KINDS`.
    """

    arcs: Arcs
    roots: np.ndarray
    frequency: np.ndarray
    neighbours: sparse.csr_array

    @property
    def pairs(self) -> float:
        """Number of pairs of a symbol and a neighbour."""
        return float(self.neighbours.sum())

    def kind(self, number: int) -> sparse.csr_array:
        """The block of one kind of neighbours, (n_words, n_words)."""
        n = len(self.frequency)
        return self.neighbours[:, number * n : (number + 1) * n]


def moments_of(data: TreeData) -> Moments:
    """The moments of a treebank."""
    from scipy import sparse  # imported here because scipy is slow to import

    trees, n = data.trees, len(data.vocabulary)
    weights, parents = np.repeat(data.weights, np.diff(trees.offsets)), trees.parents
    child = np.flatnonzero(parents >= 0)
    arcs = Arcs(trees.symbols, child, parents[child], trees.sides[child], weights[child])
    below, above = (trees.symbols[nodes].astype(np.int64) for nodes in (arcs.child, arcs.head))
    rows = np.concatenate([above, below])
    columns = np.concatenate([arcs.side * n + below, (2 + arcs.side) * n + above])
    shares = np.concatenate([arcs.weight, arcs.weight])
    neighbours = sparse.coo_array((shares, (rows, columns)), shape=(n, KINDS * n)).tocsr()
    is_root = parents < 0
    roots = np.bincount(trees.symbols[is_root], weights[is_root], n)
    return Moments(arcs, roots / roots.sum(), data.frequency, neighbours)
