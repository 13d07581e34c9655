"""Projected nodes grouped by rule: what the spectral estimates are averages of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.arrays.grouping import number_rows


@dataclass(frozen=True)
class ProjectedNodes:
    """Inside and outside projections of all nodes, padded with zeros to the largest m.

    Attributes
    ----------
    inside : ndarray of float64, shape (n_nodes, m)
        Y of each node's inside tree.
    outside : ndarray of float64, shape (n_nodes, m)
        Z of each node's outside tree.
    n_states : ndarray of int32, shape (n_symbols,)
    """

    inside: np.ndarray
    outside: np.ndarray
    n_states: np.ndarray


@dataclass(frozen=True)
class RuleGroups:
    """Nodes grouped by their rule, groups sorted by the given keys.

    Attributes
    ----------
    node : ndarray of int64
        The nodes, group after group.
    start : ndarray of int64, shape (n_rules + 1,)
    """

    node: np.ndarray
    start: np.ndarray

    def __len__(self) -> int:
        return len(self.start) - 1

    def __iter__(self) -> Iterator[np.ndarray]:
        for first, last in zip(self.start[:-1], self.start[1:], strict=True):
            yield self.node[first:last]

    @property
    def first_node(self) -> np.ndarray:
        """One node of each group."""
        return self.node[self.start[:-1]]

    @property
    def count(self) -> np.ndarray:
        """Size of each group."""
        return np.diff(self.start)


def group_nodes(nodes: np.ndarray, keys: list[np.ndarray]) -> RuleGroups:
    """Group nodes whose keys are equal; groups ascend by the first key, then the second, and so on.

    Parameters
    ----------
    nodes : ndarray of int64
    keys : list of ndarray of int
        For all nodes of the treebank.
    """
    if not len(nodes):
        return RuleGroups(nodes, np.zeros(1, np.int64))
    own = [key[nodes] for key in keys]
    number, where = number_rows(own)
    order = np.lexsort([key[where] for key in reversed(own)])
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    by_group = np.argsort(rank[number], kind="stable")
    counts = np.bincount(rank[number], minlength=len(order))
    return RuleGroups(nodes[by_group], np.concatenate([[0], np.cumsum(counts)]))


def means_by(number: np.ndarray, n_groups: int, vectors: np.ndarray) -> np.ndarray:
    """Mean of the vectors of each group, shape (n_groups, m); zero for empty groups."""
    sums = np.stack([np.bincount(number, weights=column, minlength=n_groups) for column in vectors.T], 1)
    return sums / np.maximum(np.bincount(number, minlength=n_groups), 1)[:, None]
