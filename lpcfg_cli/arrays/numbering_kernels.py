"""Compiled numbering of equal integers by hashing; several times faster than sorting.

Loop index k: positions of the keys.  The hash table has open addressing with linear probing and is at most half full.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, njit

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@njit(**ENTRY)
def number_keys(key: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number the different keys in order of first appearance; O(n).

    Parameters
    ----------
    key : ndarray of int64, shape (n,)

    Returns
    -------
    number : ndarray of int32, shape (n,)
        The number of each key.
    first : ndarray of int64, shape (n_different,)
        Position at which each number appears first.
    """
    n = key.shape[0]
    bits = 4
    while (1 << bits) < 2 * n:
        bits += 1
    mask = (1 << bits) - 1
    shift = np.uint64(64 - bits)
    slot_number = np.full(mask + 1, -1, np.int32)
    number = np.empty(n, np.int32)
    first = np.empty(n, np.int64)
    n_different = 0
    for k in range(n):
        slot = np.int64((np.uint64(key[k]) * _GOLDEN) >> shift)
        while True:
            there = slot_number[slot]
            if there < 0:
                slot_number[slot] = n_different
                first[n_different] = k
                number[k] = n_different
                n_different += 1
                break
            if key[first[there]] == key[k]:
                number[k] = there
                break
            slot = (slot + 1) & mask
    return number, first[:n_different].copy()
