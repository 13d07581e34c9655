"""Compiled sums over nested constituents, and steps of learning.

A tree is a set of constituents of which no two cross and no two have one span.  Its weight is the product of the
weights exp(score) of its constituents.  To count each tree once, the items are: a part, a constituent or a word by
itself; and a row, one or more parts side by side, made of its first part and the row of the others.

Loop indexes: i, j: a span from word i to before word j; k: a split point; c: a constituent; s: its span; f: a feature.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import BORROWING, ENTRY, INNER, njit

NEGLIGIBLE = -40.0
"""Logarithm of ratios that are left out of sums."""

SMALLEST_ERROR = 1e-3
"""Constituents whose posterior differs less from what it should be change no weight."""


@njit(**BORROWING)
def _slot(key: np.uint64, chain: np.uint64, mask: np.uint64) -> np.uint64:
    """The place of the weight of a feature and a chain."""
    mixed = (key ^ (chain * np.uint64(0xD6E8FEB86659FD93))) * np.uint64(0x9E3779B97F4A7C15)
    return (mixed >> np.uint64(32)) & mask


@njit(**ENTRY)
def constituent_scores(
    span: np.ndarray, chain: np.ndarray, odds: np.ndarray, trust: float,
    first: np.ndarray, key: np.ndarray, weight: np.ndarray, score: np.ndarray,
) -> None:  # fmt: skip
    """score[c] = trust · odds[c] + Σ of the weights of the features of its span, for its chain.

    Parameters
    ----------
    span : ndarray of int64, shape (n,)
        The span of each constituent.
    chain : ndarray of uint64, shape (n,)
        Hash of its chain.
    odds : ndarray of float64, shape (n,)
    trust : float
    first, key : ndarray
        As in `SpanFeatures`.
    weight : ndarray of float32, shape (a power of 2,)
    score : ndarray of float64, shape (n,)
        Filled.
    """
    mask = np.uint64(len(weight) - 1)
    for c in range(len(span)):
        total = 0.0
        for f in range(first[span[c]], first[span[c] + 1]):
            total += weight[_slot(key[f], chain[c], mask)]
        score[c] = trust * odds[c] + total


@njit(**INNER)
def _log_add(a: float, b: float) -> float:
    high, low = max(a, b), min(a, b)
    return high if low == -np.inf else high + np.log1p(np.exp(low - high))


@njit(**ENTRY)
def nested_posteriors(n: int, start: np.ndarray, stop: np.ndarray, score: np.ndarray, posterior: np.ndarray) -> float:
    """The probability of each constituent, over all trees; O(n³).

    Parameters
    ----------
    n : int
        Number of words.
    start, stop : ndarray of int64, shape (m,)
        Spans of the constituents.
    score : ndarray of float64, shape (m,)
    posterior : ndarray of float64, shape (m,)
        Filled.

    Returns
    -------
    float
        Logarithm of the sum of the weights of all trees.
    """
    own = np.full((n, n + 1), -np.inf)  # of all constituents over a span, without what is in them
    for c in range(len(score)):
        own[start[c], stop[c]] = _log_add(own[start[c], stop[c]], score[c])
    part, row, rows = np.full((n, n + 1), -np.inf), np.full((n, n + 1), -np.inf), np.full((n, n + 1), -np.inf)
    _nested_inside(n, own, part, row, rows)
    share = _nested_outside(n, own, part, row, rows)
    for c in range(len(score)):
        i, j = start[c], stop[c]
        posterior[c] = share[i, j] * np.exp(score[c] - own[i, j])
    return row[0, n]


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


@njit(**ENTRY)
def learn_from(
    order: np.ndarray, n_words: np.ndarray, sentence: np.ndarray, start: np.ndarray, stop: np.ndarray,
    chain: np.ndarray, odds: np.ndarray, is_gold: np.ndarray, span: np.ndarray, first: np.ndarray, key: np.ndarray,
    rate: float, trust: np.ndarray, weight: np.ndarray, squares: np.ndarray,
) -> float:  # fmt: skip
    """One pass over sentences: after each, steps of AdaGrad (Duchi et al. 2011) up the log-likelihood of its tree.

    Its gradient is the sum of those of its constituents.  They make one step each, all from the same posteriors.

    Parameters
    ----------
    order : ndarray of int64, shape (S,)
        The sentences in the order in which they are looked at.
    n_words : ndarray of int64, shape (S,)
    sentence : ndarray of int64, shape (S + 1,)
        The constituents of s are ``sentence[s]:sentence[s + 1]``.
    start, stop, chain, odds, span : ndarray, shape (n,)
        Of all constituents, as for `constituent_scores` and `nested_posteriors`.
    is_gold : ndarray of bool, shape (n,)
    first, key : ndarray
        As in `SpanFeatures`.
    rate : float
    trust : ndarray of float64, shape (2,)
        The factor of `odds`, and the sum of the squares of its gradients; changed.
    weight, squares : ndarray of float32, shape (a power of 2,)
        Weights, and for each the sum of the squares of its gradients; changed.

    Returns
    -------
    float
        Log-likelihood of the trees, each before its step.
    """
    mask = np.uint64(len(weight) - 1)
    likelihood = 0.0
    for s in order:
        a, b = sentence[s], sentence[s + 1]
        score, posterior = np.empty(b - a), np.empty(b - a)
        constituent_scores(span[a:b], chain[a:b], odds[a:b], trust[0], first, key, weight, score)
        likelihood -= nested_posteriors(n_words[s], start[a:b], stop[a:b], score, posterior)
        for c in range(a, b):
            error = -posterior[c - a]
            if is_gold[c]:
                error += 1.0
                likelihood += score[c - a]
            if abs(error) < SMALLEST_ERROR:
                continue
            slope = error * odds[c]
            trust[1] += slope * slope
            trust[0] += rate * slope / np.sqrt(trust[1])
            square = np.float32(error * error)
            for f in range(first[span[c]], first[span[c] + 1]):
                slot = _slot(key[f], chain[c], mask)
                squares[slot] += square
                weight[slot] += np.float32(rate * error / np.sqrt(squares[slot]))
    return likelihood
