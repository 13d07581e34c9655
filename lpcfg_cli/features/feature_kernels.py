"""Compiled loops of feature extraction.

Loop index node: nodes in preorder, so that parents come before children.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, njit


@njit(**ENTRY)
def first_other_head(parent: np.ndarray, head: np.ndarray) -> np.ndarray:
    """The head of the lowest ancestor of each node that has another head than the node, -1 if there is none; O(n).

    Parameters
    ----------
    parent, head : ndarray of int32, shape (n,)
        Parents in preorder (-1 for roots), and the preterminal that is the head of each node.

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
