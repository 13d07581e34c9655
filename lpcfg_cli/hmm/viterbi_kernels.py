"""Compiled Viterbi decoding: the likeliest path of hidden states.

Loop indexes: t: symbols; h, g: hidden states.
"""

import math

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, njit


@njit(**ENTRY)
def likeliest_path(
    numbers: np.ndarray, initial: np.ndarray, transition: np.ndarray, emission: np.ndarray, path: np.ndarray
) -> float:
    """The likeliest path of one sequence; O(m²) for each symbol.

    Parameters
    ----------
    numbers : ndarray of int32, shape (n,)
        A sequence with its end.
    initial : ndarray of float64, shape (m,)
        log π(h).
    transition : ndarray of float64, shape (m, m)
        log p(g | h) in row h.
    emission : ndarray of float64, shape (n_words, m)
        log p(x | h).
    path : ndarray of int32, shape (n,)
        Overwritten; of equally likely states the first.

    Returns
    -------
    float
        Its log-probability together with the symbols; −∞ if the sequence is impossible.
    """
    n, m = len(numbers), len(initial)
    came = np.zeros((n, m), np.int32)
    best, before = initial + emission[numbers[0]], np.empty(m)
    for t in range(1, n):
        before[:] = best
        for g in range(m):
            value = -math.inf
            for h in range(m):
                if before[h] + transition[h, g] > value:
                    value = before[h] + transition[h, g]
                    came[t, g] = h
            best[g] = value + emission[numbers[t], g]
    last = 0
    for h in range(1, m):
        if best[h] > best[last]:
            last = h
    result = best[last]
    for t in range(n - 1, -1, -1):
        path[t] = last
        last = came[t, last]
    return result
