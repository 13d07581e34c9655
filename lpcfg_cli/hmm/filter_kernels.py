"""Compiled filtering: the state before each symbol, from the symbols before it.

Loop indexes: t: symbols; h, g: hidden states, or dimensions; l: dimensions of a symbol's vector.
"""

import math

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, INNER, REORDERED_SUMS, njit
from lpcfg_cli.text.vocabulary import END

TINY = 1e-200
"""Totals up to this one count as zero."""


@njit(**INNER, **REORDERED_SUMS)
def _scaled(after: np.ndarray, total: np.ndarray, mean: np.ndarray, before: np.ndarray, counts: np.ndarray) -> None:
    """Divide a state by its total and store it in `before`; a state whose total is not positive becomes the mean."""
    m = len(after)
    whole = 0.0
    for h in range(m):
        whole += total[h] * after[h]
    if whole > TINY and whole < math.inf:
        for h in range(m):
            before[h] = after[h] / whole
        return
    counts[0 if whole < -TINY else 1] += 1
    for h in range(m):
        before[h] = mean[h]


@njit(**ENTRY, **REORDERED_SUMS)
def filter_observable(
    numbers: np.ndarray,
    start: np.ndarray,
    mean: np.ndarray,
    total: np.ndarray,
    vectors: np.ndarray,
    operators: np.ndarray,
    is_own: bool,
    states: np.ndarray,
    counts: np.ndarray,
) -> None:
    """Filter with operators that symbols share, C(x) = Σ_l vectors[x, l] operators[l], or that each has of its own.

    O(k m²) for each symbol.

    Parameters
    ----------
    numbers : ndarray of int32, shape (n,)
        Sequences, each with its `END`.
    start, mean, total : ndarray of float64, shape (m,)
        v₁; the state where an estimate is not positive; the weights that give the total of a state.
    vectors : ndarray of float64, shape (n_words, k)
    operators : ndarray of float64, shape (k, m, m) or (n_words, m, m)
    is_own : bool
        Whether C(x) is vectors[x, 0] operators[x], with k = 1.
    states : ndarray of float64, shape (n, m)
        Overwritten.
    counts : ndarray of int64, shape (2,)
        To which the numbers of negative and of vanished totals are added.
    """
    m = len(start)
    before, after = start.copy(), np.empty(m)
    for t in range(len(numbers)):
        x = numbers[t]
        states[t] = before
        if x == END:
            before[:] = start
            continue
        after[:] = 0.0
        for l in range(vectors.shape[1]):
            share, own = vectors[x, l], operators[x if is_own else l]
            for h in range(m):
                value = 0.0
                for g in range(m):
                    value += own[h, g] * before[g]
                after[h] += share * value
        _scaled(after, total, mean, before, counts)


@njit(**ENTRY, **REORDERED_SUMS)
def filter_hidden(
    numbers: np.ndarray,
    initial: np.ndarray,
    transition: np.ndarray,
    emission: np.ndarray,
    states: np.ndarray,
    counts: np.ndarray,
) -> None:
    """The forward pass of a hidden Markov model; O(m²) for each symbol.

    Parameters
    ----------
    numbers : ndarray of int32, shape (n,)
    initial : ndarray of float64, shape (m,)
    transition : ndarray of float64, shape (m, m)
        p(g | h) in row h.
    emission : ndarray of float64, shape (n_words, m)
    states : ndarray of float64, shape (n, m)
        Overwritten with p(h | symbols before).
    counts : ndarray of int64, shape (2,)
        The second is the number of impossible symbols, after which the state is the initial one.
    """
    m = len(initial)
    before, own = initial.copy(), np.empty(m)
    for t in range(len(numbers)):
        x = numbers[t]
        states[t] = before
        if x == END:
            before[:] = initial
            continue
        total = 0.0
        for h in range(m):
            own[h] = before[h] * emission[x, h]
            total += own[h]
        if not total > TINY:
            counts[1] += 1
            before[:] = initial
            continue
        before[:] = 0.0
        for h in range(m):
            share = own[h] / total
            for g in range(m):
                before[g] += share * transition[h, g]
