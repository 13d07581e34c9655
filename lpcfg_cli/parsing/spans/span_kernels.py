"""Compiled sums over nested constituents.

A tree is a set of constituents of which no two cross and no two have one span.  Its weight is the product of the
weights of its constituents.  To count each tree once, the items are: a part, a constituent or a word by
itself; and a row, one or more parts side by side, made of its first part and the row of the others.

Loop indexes: s: a sentence; i, j: a span from word i to before word j; k: a split point; c: a span's number.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, INNER, njit

NEGLIGIBLE = -40.0
"""Logarithm of ratios that are left out of sums."""


@njit(**ENTRY)
def nested_shares(n_words: np.ndarray, weight: np.ndarray, share: np.ndarray, total: np.ndarray) -> None:
    """The probability that a constituent stands over each span, over all trees; O(n³) for each sentence.

    Parameters
    ----------
    n_words : ndarray of int64, shape (n_sentences,)
    weight : ndarray of float64, shape (n_spans,)
        Logarithm of the weight of all constituents over a span, not of those in it.  Spans are ordered by sentence,
        then by where they begin, then by where they stop.
    share : ndarray of float64, shape (n_spans,)
        Filled.
    total : ndarray of float64, shape (n_sentences,)
        Filled with logarithms of the sum of the weights of all trees.
    """
    first = 0
    for s in range(len(n_words)):
        n = n_words[s]
        own = np.empty((n, n + 1))
        c = first
        for i in range(n):
            for j in range(i + 1, n + 1):
                own[i, j] = weight[c]
                c += 1
        part, row, rows = np.empty((n, n + 1)), np.empty((n, n + 1)), np.empty((n, n + 1))
        _nested_inside(n, own, part, row, rows)
        stands = _nested_outside(n, own, part, row, rows)
        total[s] = row[0, n]
        for i in range(n):
            for j in range(i + 1, n + 1):
                share[first] = stands[i, j]
                first += 1


@njit(**INNER)
def _log_add(a: float, b: float) -> float:
    high, low = max(a, b), min(a, b)
    return high if low == -np.inf else high + np.log1p(np.exp(low - high))


@njit(**INNER)
def _nested_inside(n: int, own: np.ndarray, part: np.ndarray, row: np.ndarray, rows: np.ndarray) -> None:
    """Logarithms of sums over (i, j): of a part, of a row, and of a row of at least two parts (or of one word)."""
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            j = i + width
            if width == 1:
                rows[i, j] = 0.0
                part[i, j] = _log_add(own[i, j], 0.0)
                row[i, j] = part[i, j]
                continue
            largest = -np.inf
            for k in range(i + 1, j):
                largest = max(largest, part[i, k] + row[k, j])
            total = 0.0
            for k in range(i + 1, j):
                log = part[i, k] + row[k, j] - largest
                if log > NEGLIGIBLE:
                    total += np.exp(log)
            rows[i, j] = largest + np.log(total)
            part[i, j] = rows[i, j] + own[i, j]
            row[i, j] = _log_add(part[i, j], rows[i, j])


@njit(**INNER)
def _nested_outside(n: int, own: np.ndarray, part: np.ndarray, row: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The probability that any constituent stands over (i, j)."""
    of_part, of_row, share = np.zeros((n, n + 1)), np.zeros((n, n + 1)), np.zeros((n, n + 1))
    of_row[0, n] = 1.0
    for width in range(n, 0, -1):
        for i in range(n - width + 1):
            j = i + width
            if width == 1:
                share[i, j] = (of_part[i, j] + of_row[i, j]) * np.exp(own[i, j] - part[i, j])
                continue
            as_part = of_row[i, j] * np.exp(part[i, j] - row[i, j])
            share[i, j] = of_part[i, j] + as_part
            inner = share[i, j] + of_row[i, j] - as_part
            if inner <= 0.0:
                continue
            for k in range(i + 1, j):
                log = part[i, k] + row[k, j] - rows[i, j]
                if log > NEGLIGIBLE:
                    of_part[i, k] += inner * np.exp(log)
                    of_row[k, j] += inner * np.exp(log)
    return share
