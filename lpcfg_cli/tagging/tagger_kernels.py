"""The compiled loop of the tagger's training.

Loop indexes: token: training tokens; at: positions in `feature`; f: features; t: tags.
"""

import math

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, njit


@njit(**ENTRY)
def ascend(
    order: np.ndarray,
    start: np.ndarray,
    feature: np.ndarray,
    gold: np.ndarray,
    weight: np.ndarray,
    square: np.ndarray,
    rate: float,
    least: float,
) -> None:
    """Take one step of AdaGrad (Duchi, Hazan and Singer 2011, §1.3 with diagonal G) for each token.

    Each feature of a token costs O(n_tags) for the scores, and less for the step, because most tags soon have a
    probability near zero.

    Parameters
    ----------
    order : ndarray of int64, shape (n_tokens,)
        Tokens in the order of their steps.
    start : ndarray of int64, shape (n_tokens + 1,)
    feature : ndarray of int32, shape (start[n_tokens],)
        Token i has the features ``feature[start[i]:start[i + 1]]``.
    gold : ndarray of int32, shape (n_tokens,)
        Correct tag of each token.
    weight : ndarray of float32, shape (n_features, n_tags)
        Changed in place.
    square : ndarray of float32, shape (n_features, n_tags)
        Sums of squared gradients; changed in place.
    rate : float
        Learning rate.
    least : float
        Tags whose derivative has a smaller absolute value are not changed.
    """
    n_tags = weight.shape[1]
    slope = np.empty(n_tags)
    for token in order:
        slope[:] = 0.0
        for at in range(start[token], start[token + 1]):
            f = feature[at]
            for t in range(n_tags):
                slope[t] += weight[f, t]
        highest = slope[0]
        for t in range(1, n_tags):
            highest = max(highest, slope[t])
        total = 0.0
        for t in range(n_tags):
            slope[t] = math.exp(slope[t] - highest)
            total += slope[t]
        for t in range(n_tags):
            d = slope[t] / total - (1.0 if t == gold[token] else 0.0)
            if abs(d) < least:
                continue
            for at in range(start[token], start[token + 1]):
                f = feature[at]
                square[f, t] += d * d
                weight[f, t] -= rate * d / math.sqrt(square[f, t])
