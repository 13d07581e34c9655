"""Compiled loops of feature extraction."""

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, njit


@njit(**ENTRY)
def first_other_head(parent: np.ndarray, head: np.ndarray) -> np.ndarray:
    """The first head on the way to the root that is not the node's own, -1 for none; O(n).

    Parameters
    ----------
    parent, head : ndarray of int32, shape (n,)
        Preorder parents (-1 for roots) and head preterminals.

    Returns
    -------
    ndarray of int32, shape (n,)
    """
    n = parent.shape[0]
    other = np.full(n, -1, np.int32)
    for node in range(n):
        above = parent[node]
        if above >= 0:
            other[node] = head[above] if head[above] != head[node] else other[above]
    return other
