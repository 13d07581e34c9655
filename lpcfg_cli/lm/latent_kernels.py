"""Compiled passes over the bigrams that occur: E-steps of the latent bigram model, and its probabilities.

Loop indexes: a: rows, that is words before; k: bigrams of the row; h: states.
"""

import math

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, REORDERED_SUMS, njit


@njit(**ENTRY, **REORDERED_SUMS)
def expect_both(
    indptr: np.ndarray,
    word: np.ndarray,
    count: np.ndarray,
    r: np.ndarray,
    s: np.ndarray,
    r_count: np.ndarray,
    s_count: np.ndarray,
) -> float:
    """The E-step for r and s; O(m) for each bigram.

    Parameters
    ----------
    indptr : ndarray of int64, shape (n_words + 1,)
        Row a has the bigrams ``indptr[a]:indptr[a + 1]``.
    word : ndarray of int32, shape (n,)
        Second word of each bigram.
    count : ndarray of float64, shape (n,)
    r, s : ndarray of float64, shape (n_words, m)
        r(h | w₁) and s(w₂ | h).
    r_count, s_count : ndarray of float64, shape (n_words, m)
        Zeros, to which the expected counts are added.

    Returns
    -------
    float
        Σ count log p(w₂ | w₁); −∞ as soon as a bigram is impossible.
    """
    n_words, m = r.shape
    total = 0.0
    for a in range(n_words):
        own, own_count = r[a], r_count[a]
        for k in range(indptr[a], indptr[a + 1]):
            other, other_count = s[word[k]], s_count[word[k]]
            mixture = 0.0
            for h in range(m):
                mixture += own[h] * other[h]
            if not mixture > 0.0:
                return -math.inf
            total += count[k] * math.log(mixture)
            share = count[k] / mixture
            for h in range(m):
                own_count[h] += share * other[h]
                other_count[h] += share * own[h]
        for h in range(m):
            own_count[h] *= own[h]
    for a in range(n_words):
        for h in range(m):
            s_count[a, h] *= s[a, h]
    return total


@njit(**ENTRY, **REORDERED_SUMS)
def expect_rows(
    indptr: np.ndarray, word: np.ndarray, count: np.ndarray, r: np.ndarray, s: np.ndarray, r_count: np.ndarray
) -> float:
    """The E-step for r alone; parameters and result are those of `expect_both`."""
    n_words, m = r.shape
    total = 0.0
    for a in range(n_words):
        own, own_count = r[a], r_count[a]
        for k in range(indptr[a], indptr[a + 1]):
            other = s[word[k]]
            mixture = 0.0
            for h in range(m):
                mixture += own[h] * other[h]
            if not mixture > 0.0:
                return -math.inf
            total += count[k] * math.log(mixture)
            share = count[k] / mixture
            for h in range(m):
                own_count[h] += share * other[h]
        for h in range(m):
            own_count[h] *= own[h]
    return total


@njit(**ENTRY, **REORDERED_SUMS)
def mixtures(before: np.ndarray, word: np.ndarray, r: np.ndarray, s: np.ndarray, result: np.ndarray) -> None:
    """p(w₂ | w₁) = Σ_h r(h | w₁) s(w₂ | h) of some pairs; O(m) for each.

    Parameters
    ----------
    before, word : ndarray of int32, shape (n,)
    r, s : ndarray of float64, shape (n_words, m)
    result : ndarray of float64, shape (n,)
        Overwritten.
    """
    m = r.shape[1]
    for k in range(len(word)):
        own, other = r[before[k]], s[word[k]]
        mixture = 0.0
        for h in range(m):
            mixture += own[h] * other[h]
        result[k] = mixture
