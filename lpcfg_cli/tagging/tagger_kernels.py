"""The compiled loop of the tagger's training."""

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
    """One step of AdaGrad (Duchi, Hazan and Singer 2011, §1.3 with diagonal G) for each token.

    Costs O(n_tags) a feature for the scores, and less for the steps, since most tags are ruled out soon.

    Parameters
    ----------
    order : ndarray of int64
        Tokens in the order of their steps.
    start : ndarray of int64, shape (n_tokens + 1,)
    feature : ndarray of int32
        Token i has the features ``feature[start[i]:start[i + 1]]``.
    gold : ndarray of int32, shape (n_tokens,)
    weight : ndarray of float32, shape (n_features, n_tags)
        Changed in place.
    square : ndarray of float32, shape (n_features, n_tags)
        Sums of squared gradients; changed in place.
    rate : float
    least : float
        A derivative of smaller size makes no step.
    """
    n_tags = weight.shape[1]
    slope = np.empty(n_tags)
    for token in order:
        slope[:] = 0.0
        for at in range(start[token], start[token + 1]):
            f = feature[at]
            for t in range(n_tags):
                slope[t] += weight[f, t]
        highest = slope.max()
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
