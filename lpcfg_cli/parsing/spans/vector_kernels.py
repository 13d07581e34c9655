"""Compiled vectors of spans: max(0, gain · standardized difference of two gaps + bias), and their gradient.

Layer normalization (Ba, Kiros and Hinton 2016) and a rectifier.  numpy would write each of its steps to memory, and
take three times as long.

Loop indexes: s: a span; g: an entry of its vector.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import FILLING, REORDERED_SUMS, njit

SMALLEST_VARIANCE = 1e-5


@njit(**FILLING, **REORDERED_SUMS)
def fill_vectors(
    gaps: np.ndarray, left: np.ndarray, right: np.ndarray, gain: np.ndarray, bias: np.ndarray, kept: np.ndarray,
    factor: np.float32, vectors: np.ndarray, scale: np.ndarray,
) -> None:  # fmt: skip
    """The vectors of spans; O(n_spans · width).

    Parameters
    ----------
    gaps : ndarray of float32, shape (n_gaps, width)
    left, right : ndarray of int64, shape (n_spans,)
        The gaps at which each span begins and stops.
    gain, bias : ndarray of float32, shape (width,)
    kept : ndarray of uint8, shape (n_spans, width) or (0, 0)
        0 for entries that are left out; none are if it is empty.
    factor : float32
        Of what is kept.
    vectors : ndarray of float32, shape (n_spans, width)
        Filled.
    scale : ndarray of float32, shape (n_spans,)
        Filled with one over the deviation of each difference.
    """
    width = gaps.shape[1]
    drops = kept.shape[0] > 0
    for s in range(len(left)):
        a, b = left[s], right[s]
        total, squares = np.float32(0), np.float32(0)
        for g in range(width):
            difference = gaps[b, g] - gaps[a, g]
            vectors[s, g] = difference
            total += difference
        mean = total / np.float32(width)
        for g in range(width):
            centred = vectors[s, g] - mean
            vectors[s, g] = centred
            squares += centred * centred
        own = np.float32(1) / np.sqrt(squares / np.float32(width) + np.float32(SMALLEST_VARIANCE))
        scale[s] = own
        for g in range(width):
            value = vectors[s, g] * own * gain[g] + bias[g]
            vectors[s, g] = max(value, np.float32(0))
        if drops:
            for g in range(width):
                vectors[s, g] *= factor * np.float32(kept[s, g])


@njit(**FILLING, **REORDERED_SUMS)
def add_vector_gradient(
    slope: np.ndarray, vectors: np.ndarray, scale: np.ndarray, gaps: np.ndarray, left: np.ndarray, right: np.ndarray,
    gain: np.ndarray, factor: np.float32, of_gaps: np.ndarray, of_gain: np.ndarray, of_bias: np.ndarray,
    standard: np.ndarray,
) -> None:  # fmt: skip
    """Add the gradient with respect to the gaps, the gain and the bias; O(n_spans · width).

    Parameters
    ----------
    slope : ndarray of float32, shape (n_spans, width)
        The gradient with respect to the vectors; changed.
    vectors, scale, gaps, left, right, gain, factor
        As for `fill_vectors`, after it; an entry of 0 has no gradient.
    of_gaps, of_gain, of_bias : ndarray of float32
        Of the shapes of `gaps` and `gain`; added to.
    standard : ndarray of float32, shape (width,)
        Room for a standardized difference.
    """
    width = gaps.shape[1]
    for s in range(len(left)):
        a, b, own = left[s], right[s], scale[s]
        total, along, mean = np.float32(0), np.float32(0), np.float32(0)
        for g in range(width):
            mean += gaps[b, g] - gaps[a, g]
        mean /= np.float32(width)
        for g in range(width):
            standard[g] = (gaps[b, g] - gaps[a, g] - mean) * own
            used = slope[s, g] * factor if vectors[s, g] > 0 else np.float32(0)
            of_bias[g] += used
            of_gain[g] += used * standard[g]
            used *= gain[g]
            slope[s, g] = used
            total += used
            along += used * standard[g]
        total /= np.float32(width)
        along /= np.float32(width)
        for g in range(width):
            used = (slope[s, g] - total - standard[g] * along) * own
            of_gaps[b, g] += used
            of_gaps[a, g] -= used
