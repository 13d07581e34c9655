"""Constituents side by side that cover a sentence, and the words of a part of a sentence."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.parsing.layout import CoarseInside, Words


def best_cover(inside: CoarseInside, is_allowed: np.ndarray, n: int) -> list[tuple[int, int, int]]:
    """Cover (0, n) with as few constituents as possible, and among those with the largest inside product; O(n²).

    Parameters
    ----------
    inside : CoarseInside
    is_allowed : ndarray of bool, shape (n_symbols,)
        Whether each symbol may be the root of a constituent.
    n : int
        Number of words.

    Returns
    -------
    list of (start, stop, symbol)
    """
    best: list[tuple[int, float]] = [(0, 0.0)] + [(n + 1, -np.inf)] * n
    back: list[tuple[int, int]] = [(0, 0)] * (n + 1)
    for j in range(1, n + 1):
        for i in range(j):
            values = np.where(is_allowed, inside.by_start[i, :, j], 0.0)
            symbol = int(values.argmax())
            if values[symbol] <= 0:
                continue
            weight = best[i][1] + float(np.log(values[symbol]) + inside.exponent[i, j] * np.log(2))
            candidate = (best[i][0] + 1, weight)
            if (candidate[0], -candidate[1]) < (best[j][0], -best[j][1]):
                best[j], back[j] = candidate, (i, symbol)
    spans = []
    j = n
    while j > 0:
        i, symbol = back[j]
        spans.append((i, j, symbol))
        j = i
    return spans[::-1]


def slice_words(words: Words, i: int, j: int) -> Words:
    """The candidates of the words of the span (i, j)."""
    first, last = words.start[i], words.start[j]
    vector_start = words.vector_start[first : last + 1]
    return Words(
        words.start[i : j + 1] - first,
        words.symbol[first:last],
        words.probability[first:last],
        vector_start - vector_start[0],
        words.vector[vector_start[0] : vector_start[-1]],
    )


def plain_words(words: Words) -> Words:
    """The candidates with their probabilities as vectors of one state."""
    return words._replace(vector_start=np.arange(len(words.symbol) + 1), vector=words.probability)
