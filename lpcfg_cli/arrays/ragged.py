"""Ragged arrays: blocks of unequal sizes, one after the other in one array."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def starts(sizes: Sequence[int] | np.ndarray) -> np.ndarray:
    """Where consecutive blocks of the given sizes begin, and where the last one ends.

    Parameters
    ----------
    sizes : sequence of int, or ndarray of int or bool, shape (n,)

    Returns
    -------
    ndarray of int64, shape (n + 1,)
        Block k is ``start[k]:start[k + 1]``.
    """
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def positions_of(start: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    """The positions of some blocks, one block after the other.

    Parameters
    ----------
    start : ndarray of int64, shape (n_blocks + 1,)
        As `starts` gives it.
    blocks : ndarray of int, shape (b,)
        Numbers of blocks, in any order.

    Returns
    -------
    ndarray of int64, shape (n,)
    """
    sizes = start[blocks + 1] - start[blocks]
    before = np.cumsum(sizes) - sizes
    return np.arange(sizes.sum(), dtype=np.int64) + np.repeat(start[blocks] - before, sizes)
