"""Compiled sorting in place, which takes a tenth of the time to compile that numba's ``np.sort`` takes."""

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, njit


@njit(**ENTRY)
def sort_integers(values: np.ndarray) -> None:
    """Sort integers in place by heapsort (Williams 1964); O(n log n).

    Parameters
    ----------
    values : ndarray of int64, shape (n,)
    """
    n_heap, first = values.shape[0], values.shape[0] // 2
    while n_heap > 1:
        if first > 0:  # what is from `first` on is made a heap
            first -= 1
        else:
            n_heap -= 1
            values[0], values[n_heap] = values[n_heap], values[0]
        parent, moved = first, values[first]
        while 2 * parent + 1 < n_heap:
            child = 2 * parent + 1
            if child + 1 < n_heap and values[child + 1] > values[child]:
                child += 1
            if values[child] <= moved:
                break
            values[parent] = values[child]
            parent = child
        values[parent] = moved
