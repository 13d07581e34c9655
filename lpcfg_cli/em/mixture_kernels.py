"""Compiled EM for the mixture weights of a rule, the convex part of pivot learning (CC14 Fig. 1, step 2).

Loop indexes: e: examples; a: states of the parent, h1; b, c: states of the children, h2 and h3; k: pairs (b, c) in
row-major order.
"""

import math

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, REORDERED_SUMS, njit


@njit(**ENTRY, **REORDERED_SUMS)
def fit_mixture(
    t: np.ndarray,
    rows: np.ndarray,
    weight: np.ndarray,
    outside: np.ndarray,
    inside: np.ndarray,
    prior: float,
    steps: int,
    tolerance: float,
) -> int:
    """Maximise Σ_e weight_e log Σ t(h1, h2, h3) s(g_e | h1) r(f_e | h2) r(f'_e | h3) over t.

    O(m_a m_b m_c) for each example and step.

    Parameters
    ----------
    t : ndarray of float64, shape (m_a, m_b, m_c)
        The start, with sum 1; overwritten with the result.
    rows : ndarray of int32, shape (n, 3)
        For each example g, f and f': a row of `outside` and two rows of `inside`.
    weight : ndarray of float64, shape (n,)
        Number of occurrences of each example.
    outside, inside : ndarray of float64, shapes (n_outside, m) and (n_inside, m)
        s(g | h) and r(f | h), up to a factor for each row.
    prior : float
        κ: the start is added to the expected counts of every step with this weight, in counts.
    steps : int
        Largest number of steps.
    tolerance : float
        EM stops when the mean log-likelihood changes by less.

    Returns
    -------
    int
        Number of steps taken.
    """
    m_a, m_b, m_c = t.shape
    size = m_b * m_c
    values = t.reshape(m_a, size)
    base, counts, product = values.copy(), np.empty((m_a, size)), np.empty(size)
    whole, before = weight.sum(), -math.inf
    for step in range(1, steps + 1):
        counts[:] = 0.0
        total = 0.0
        for e in range(len(weight)):
            above, left, right = outside[rows[e, 0]], inside[rows[e, 1]], inside[rows[e, 2]]
            for b in range(m_b):
                for c in range(m_c):
                    product[b * m_c + c] = left[b] * right[c]
            mixture = 0.0
            for a in range(m_a):
                value = 0.0
                for k in range(size):
                    value += values[a, k] * product[k]
                mixture += value * above[a]
            total += weight[e] * math.log(mixture)
            for a in range(m_a):
                share = weight[e] * above[a] / mixture
                for k in range(size):
                    counts[a, k] += share * product[k]
        for a in range(m_a):
            for k in range(size):
                values[a, k] = (values[a, k] * counts[a, k] + prior * base[a, k]) / (whole + prior)
        if abs(total - before) < tolerance * whole:
            return step
        before = total
    return steps
