"""Compiled EM for the mixture weights of rules, the convex part of pivot learning (CC14 Fig. 1, step 2)."""

import math

import numpy as np
from numba import njit

FASTMATH = {"reassoc", "contract", "nsz"}


@njit(cache=True, fastmath=FASTMATH)
def fit_mixtures(
    shape: np.ndarray,
    start: np.ndarray,
    first: np.ndarray,
    rows: np.ndarray,
    weight: np.ndarray,
    outside: np.ndarray,
    inside: np.ndarray,
    prior: float,
    steps: int,
    tolerance: float,
    values: np.ndarray,
) -> int:
    """Maximise Σ_e weight_e log Σ t(h1, h2, h3) s(g_e | h1) r(f_e | h2) r(f'_e | h3), rule by rule.

    O(m³) for each example and step.

    Parameters
    ----------
    shape : ndarray of int64, shape (n_rules, 3)
        m_a, m_b and m_c.
    start : ndarray of int64, shape (n_rules + 1,)
        Where each rule's t begins in `values`.
    first : ndarray of int64, shape (n_rules + 1,)
        Rule r has the examples ``first[r]:first[r + 1]``.
    rows : ndarray of int32, shape (n_examples, 3)
        Each example's row of `outside`, and its two of `inside`.
    weight : ndarray of float64, shape (n_examples,)
    outside, inside : ndarray of float64, shape (n_features, m)
        s(g | h) and r(f | h), each up to a factor a row.
    prior : float
        κ: how many counts the start weighs in every step.
    steps : int
        At most so many.
    tolerance : float
        A rule is done when its mean log-likelihood changes by less.
    values : ndarray of float64
        The start, Σ = 1 for each rule; overwritten with t.

    Returns
    -------
    int
        Steps taken, all rules together.
    """
    largest, taken = 0, 0
    for r in range(shape.shape[0]):
        largest = max(largest, start[r + 1] - start[r])
    base, counts, product = np.empty(largest), np.empty(largest), np.empty(largest)
    for r in range(shape.shape[0]):
        m_a, m_b, m_c = shape[r, 0], shape[r, 1], shape[r, 2]
        size, at = m_b * m_c, start[r]
        whole = 0.0
        for e in range(first[r], first[r + 1]):
            whole += weight[e]
        for k in range(m_a * size):
            base[k] = values[at + k]
        before = -math.inf
        for _ in range(steps):
            taken += 1
            for k in range(m_a * size):
                counts[k] = 0.0
            total = 0.0
            for e in range(first[r], first[r + 1]):
                g, f, f2 = rows[e, 0], rows[e, 1], rows[e, 2]
                for b in range(m_b):
                    for c in range(m_c):
                        product[b * m_c + c] = inside[f, b] * inside[f2, c]
                mixture = 0.0
                for a in range(m_a):
                    value = 0.0
                    for k in range(size):
                        value += values[at + a * size + k] * product[k]
                    mixture += value * outside[g, a]
                total += weight[e] * math.log(mixture)
                for a in range(m_a):
                    share = weight[e] * outside[g, a] / mixture
                    for k in range(size):
                        counts[a * size + k] += share * product[k]
            for k in range(m_a * size):
                values[at + k] = (values[at + k] * counts[k] + prior * base[k]) / (whole + prior)
            if abs(total - before) < tolerance * whole:
                break
            before = total
    return taken
