"""Compiled E-step of hidden Markov models: forward and backward passes over sequences, with scaling.

Loop indexes: t: symbols of a sequence; h, g: hidden states.
"""

import math

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, REORDERED_SUMS, njit


@njit(**ENTRY, **REORDERED_SUMS)
def expect_sequences(
    numbers: np.ndarray,
    offsets: np.ndarray,
    initial: np.ndarray,
    transition: np.ndarray,
    emission: np.ndarray,
    initial_count: np.ndarray,
    transition_count: np.ndarray,
    emission_count: np.ndarray,
) -> float:
    """The E-step; O(m²) for each symbol.

    Parameters
    ----------
    numbers : ndarray of int32, shape (n,)
        Sequences, each with its end.
    offsets : ndarray of int64, shape (n_sequences + 1,)
        Sequence k has the symbols ``offsets[k]:offsets[k + 1]``.
    initial : ndarray of float64, shape (m,)
    transition : ndarray of float64, shape (m, m)
        p(g | h) in row h.
    emission : ndarray of float64, shape (n_words, m)
    initial_count, transition_count, emission_count : ndarray of float64
        Zeros of the same shapes, to which the expected counts are added.

    Returns
    -------
    float
        Σ log p(sequence); −∞ as soon as a sequence is impossible.
    """
    m = len(initial)
    longest = 0
    for k in range(len(offsets) - 1):
        longest = max(longest, offsets[k + 1] - offsets[k])
    filtered = np.empty((longest, m))
    scale, before = np.empty(longest), np.empty(m)
    backward, weighted = np.empty(m), np.empty(m)
    result = 0.0
    for k in range(len(offsets) - 1):
        begin, length = offsets[k], offsets[k + 1] - offsets[k]
        before[:] = initial
        for t in range(length):
            symbol = emission[numbers[begin + t]]
            total = 0.0
            for h in range(m):
                filtered[t, h] = before[h] * symbol[h]
                total += filtered[t, h]
            if not total > 0.0:
                return -math.inf
            scale[t] = total
            result += math.log(total)
            before[:] = 0.0
            for h in range(m):
                filtered[t, h] /= total
                share = filtered[t, h]
                for g in range(m):
                    before[g] += share * transition[h, g]
        backward[:] = 1.0
        for t in range(length - 1, -1, -1):
            symbol, count = emission[numbers[begin + t]], emission_count[numbers[begin + t]]
            for h in range(m):
                count[h] += filtered[t, h] * backward[h]
                weighted[h] = symbol[h] * backward[h] / scale[t]
            if t == 0:
                for h in range(m):
                    initial_count[h] += filtered[0, h] * backward[h]
                break
            for h in range(m):
                share, value = filtered[t - 1, h], 0.0
                for g in range(m):
                    value += transition[h, g] * weighted[g]
                    transition_count[h, g] += share * weighted[g]
                backward[h] = value
    for h in range(m):
        for g in range(m):
            transition_count[h, g] *= transition[h, g]
    return result
