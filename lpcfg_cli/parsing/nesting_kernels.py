"""Compiled choice of brackets: of all brackets that may stand over a sentence, a nested set with the largest gain.

Loop indexes: i, j: a span from word i to before word j; k: a split point.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, njit


@njit(**ENTRY)
def best_nesting(gain: np.ndarray) -> np.ndarray:
    """Choose spans of which no two cross, with the largest sum of gains; O(n³).

    Between a chosen span and those below it any number of spans may stand side by side, so this is the decoding of
    trees with any number of children: a span without a bracket of its own only joins two parts.

    Parameters
    ----------
    gain : ndarray of float64, shape (n, n + 1)
        What choosing each span adds; those with a gain of 0 or less are not chosen.

    Returns
    -------
    ndarray of bool, shape (n, n + 1)
        Whether each span is chosen.
    """
    n = gain.shape[0]
    by_start = np.zeros((n + 1, n + 1))  # best sum over (i, j), and the same transposed, so that k reads both in order
    by_stop = np.zeros((n + 1, n + 1))
    split = np.zeros((n + 1, n + 1), np.int32)
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            j = i + width
            best = 0.0
            for k in range(i + 1, j):
                together = by_start[i, k] + by_stop[j, k]
                if together > best or k == i + 1:
                    best = together
                    split[i, j] = k
            best += max(gain[i, j], 0.0)
            by_start[i, j] = best
            by_stop[j, i] = best
    chosen = np.zeros((n, n + 1), np.bool_)
    waiting = [(0, n)]
    while len(waiting) > 0:
        i, j = waiting.pop()
        chosen[i, j] = gain[i, j] > 0.0
        if j - i > 1:
            waiting.append((i, split[i, j]))
            waiting.append((split[i, j], j))
    return chosen
