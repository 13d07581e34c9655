"""EM for mixtures with known components: only the weights are learnt, so that the log-likelihood is concave.

EM then converges to the global maximum from any start with positive weights (CC14 §5.2 and Fig. 1, step 2).
`mixture_kernels` has the case of three factors, for one rule at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Convex(NamedTuple):
    """Stopping criterion of EM on a concave log-likelihood.

    Attributes
    ----------
    steps : int
        Largest number of steps.
    tolerance : float
        EM stops when the mean log-likelihood rises by less.
    """

    steps: int
    tolerance: float


def conditional_weights(given: np.ndarray, component: np.ndarray, count: np.ndarray, convex: Convex) -> np.ndarray:
    """Find the w(k | h) that maximise Σ_n count_n log Σ_{h,k} given(n, h) w(k | h) component(n, k).

    O(n m m') for each step, by matrix products.

    Parameters
    ----------
    given : ndarray of float64, shape (n, m)
        Non-negative, for instance p(h | n).
    component : ndarray of float64, shape (n, m')
        Non-negative, for instance p(n | k), up to a factor for each row.
    count : ndarray of float64, shape (n,)
        Number of occurrences of each observation.
    convex : Convex

    Returns
    -------
    ndarray of float64, shape (m, m')
        Rows sum to 1; those of an h that no observation can have stay even.

    Raises
    ------
    ValueError
        The arrays have different numbers of rows.
    """
    if not (given.ndim == component.ndim == 2 and len(given) == len(component) == len(count)):
        raise ValueError(f"shapes {given.shape}, {component.shape} and {count.shape} have different numbers of rows")
    weights = np.full((given.shape[1], component.shape[1]), 1 / component.shape[1])
    before = -np.inf
    for _ in range(convex.steps):
        mixture = np.einsum("nh,nh->n", given @ weights, component)
        mean = float(count @ np.log(mixture)) / count.sum()
        if mean - before < convex.tolerance:
            break
        before = mean
        expected = weights * ((given * (count / mixture)[:, None]).T @ component)
        total = expected.sum(1, keepdims=True)
        weights = np.divide(expected, total, out=weights, where=total > 0)
    return weights
