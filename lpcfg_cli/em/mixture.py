"""EM on mixtures whose components are known: only the weights are learnt, so that the likelihood is concave.

EM then ends at the global maximum from any start with positive weights (CC14 §5.2 and Fig. 1, step 2).
`mixture_kernels` has the case of three factors, one rule at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Convex(NamedTuple):
    """When EM on a concave log-likelihood ends.

    Attributes
    ----------
    steps : int
        At most so many.
    tolerance : float
        It ends when the mean log-likelihood rises by less.
    """

    steps: int
    tolerance: float


def conditional_weights(given: np.ndarray, component: np.ndarray, count: np.ndarray, convex: Convex) -> np.ndarray:
    """w(k | h) that maximise Σ_n count_n log Σ_{h,k} given(n, h) w(k | h) component(n, k).

    O(n m m') a step, by matrix products.

    Parameters
    ----------
    given : ndarray of float64, shape (n, m)
        Non-negative, for instance p(h | n).
    component : ndarray of float64, shape (n, m')
        Non-negative, for instance p(n | k) up to a factor a row.
    count : ndarray of float64, shape (n,)
        How often each observation occurs.
    convex : Convex

    Returns
    -------
    ndarray of float64, shape (m, m')
        Rows sum to 1.

    Raises
    ------
    ValueError
        The shapes do not fit together.
    """
    if not (given.ndim == component.ndim == 2 and len(given) == len(component) == len(count)):
        raise ValueError(f"shapes {given.shape}, {component.shape} and {count.shape} differ in their first length")
    weights = np.full((given.shape[1], component.shape[1]), 1 / component.shape[1])
    before = -np.inf
    for _ in range(convex.steps):
        mixture = np.einsum("nh,nh->n", given @ weights, component)
        mean = float(count @ np.log(mixture)) / count.sum()
        if mean - before < convex.tolerance:
            break
        before = mean
        weights *= (given * (count / mixture)[:, None]).T @ component
        weights /= weights.sum(1, keepdims=True)
    return weights
