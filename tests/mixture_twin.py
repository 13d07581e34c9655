"""The readable twin of `mixture_kernels`: one rule, numpy only; for tests."""

from __future__ import annotations

import numpy as np


def reference_mixture(
    start: np.ndarray, weight: np.ndarray, s: np.ndarray, r2: np.ndarray, r3: np.ndarray, prior: float, steps: int
) -> tuple[np.ndarray, list[float]]:
    """t after some steps of EM, and before each the objective: Eq. 1 plus the prior's logarithm.

    Parameters
    ----------
    start : ndarray of float64, shape (m_a, m_b, m_c)
    weight : ndarray of float64, shape (n,)
    s, r2, r3 : ndarray of float64, shape (n, m_a), (n, m_b) and (n, m_c)
        s(g | h1), r(f2 | h2) and r(f3 | h3) of each example.
    prior : float
    steps : int
    """
    t, objective = start, []
    for _ in range(steps):
        joint = np.einsum("abc,na,nb,nc->nabc", t, s, r2, r3)
        mixture = joint.sum((1, 2, 3))
        log_prior = prior * float((start * np.log(t)).sum()) if prior else 0.0
        objective.append(float(weight @ np.log(mixture)) + log_prior)
        counts = np.einsum("n,nabc->abc", weight / mixture, joint)
        t = (counts + prior * start) / (weight.sum() + prior)
    return t, objective
