"""Compiled loops over preorder tree arrays.

Loop index node: nodes in preorder, so that parents come before children.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, FILLING, njit


def subtree_end(parent: np.ndarray) -> np.ndarray:
    """First position after each node's subtree; O(n).

    Parameters
    ----------
    parent : ndarray of int32, shape (n,)
        Parents in preorder, -1 for roots.

    Returns
    -------
    ndarray of int32, shape (n,)
    """
    end = np.arange(1, len(parent) + 1, dtype=np.int32)
    extend_ends(parent, end)
    return end


@njit(**FILLING)
def extend_ends(parent: np.ndarray, end: np.ndarray) -> None:
    """Extend the ends of `subtree_end`, which are those of the nodes by themselves."""
    for node in range(parent.shape[0] - 1, -1, -1):
        above = parent[node]
        if above >= 0 and end[above] < end[node]:
            end[above] = end[node]


@njit(**ENTRY)
def lowest_and_highest(parent: np.ndarray, number: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and the highest number at or below each node; O(n).

    Parameters
    ----------
    parent : ndarray of int32, shape (n,)
        Preorder parents, -1 for roots.
    number : ndarray of int64, shape (n,)
        -1 for nodes without one.  Each node has a number at or below it.

    Returns
    -------
    lowest, highest : ndarray of int64, shape (n,)
    """
    n = parent.shape[0]
    lowest = number.copy()
    highest = number.copy()
    for node in range(n - 1, -1, -1):
        above = parent[node]
        if above >= 0:
            if lowest[above] < 0 or lowest[node] < lowest[above]:
                lowest[above] = lowest[node]
            highest[above] = max(highest[above], highest[node])
    return lowest, highest


def nearest_kept_ancestor(parent: np.ndarray, keep: np.ndarray) -> np.ndarray:
    """The nearest ancestor of each node that is kept, -1 if there is none; O(n).

    Parameters
    ----------
    parent : ndarray of int32, shape (n,)
        Parents in preorder, -1 for roots.
    keep : ndarray of bool, shape (n,)

    Returns
    -------
    ndarray of int32, shape (n,)
    """
    nearest = parent.astype(np.int32)
    skip_ancestors(keep, nearest)
    return nearest


@njit(**FILLING)
def skip_ancestors(keep: np.ndarray, nearest: np.ndarray) -> None:
    """Replace the parents of nodes by their nearest ancestors that are kept."""
    for node in range(nearest.shape[0]):
        above = nearest[node]
        if above >= 0 and not keep[above]:
            nearest[node] = nearest[above]


@njit(**ENTRY)
def children_in_order(parent: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Children of every node, left to right; O(n).

    Parameters
    ----------
    parent : ndarray of int32, shape (n,)
        Parents in preorder, -1 for roots.

    Returns
    -------
    first : ndarray of int64, shape (n + 1,)
        Node u has the children ``child[first[u]:first[u + 1]]``.
    child : ndarray of int32, shape (first[n],)
    """
    n = parent.shape[0]
    first = np.zeros(n + 1, np.int64)
    for node in range(n):
        if parent[node] >= 0:
            first[parent[node] + 1] += 1
    for node in range(n):
        first[node + 1] += first[node]
    child = np.empty(first[n], np.int32)
    filled = first[:n].copy()
    for node in range(n):
        above = parent[node]
        if above >= 0:
            child[filled[above]] = node
            filled[above] += 1
    return first, child
