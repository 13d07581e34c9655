"""Compiled inside-outside over given trees, and the M-step's sums (Matsuzaki et al. 2005; Baum-Welch on trees).

Inside vectors are divided by their sums s, outside vectors are such that their product with the inside vector is 1:
all numbers stay near 1 however large a tree is, and no logarithm is taken but of s.  Nodes come sorted by height and
then by rule, so that a tensor is used from the cache for all its nodes of one height.  A child that is not there is
the row after the last node, whose inside vector is (1).
"""

import math

import numpy as np
from numba import njit

FASTMATH = {"reassoc", "contract", "nsz"}


@njit(cache=True)
def heights(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Height of each node above the lowest word below it, int32; nodes come in preorder, absent children last."""
    n = left.shape[0]
    height = np.full(n + 1, -1, np.int32)
    for node in range(n - 1, -1, -1):
        height[node] = max(height[left[node]], height[right[node]]) + 1
    return height[:n]


@njit(cache=True, fastmath=FASTMATH)
def inside(
    order: np.ndarray,
    rule: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    shape: np.ndarray,
    start: np.ndarray,
    values: np.ndarray,
    alpha: np.ndarray,
    scale: np.ndarray,
) -> float:
    """Fill `alpha`, shape (n_nodes + 1, m), and the sums `scale`, shape (n_nodes,); returns Σ log s.  O(n m³)."""
    product = np.empty(alpha.shape[1] * alpha.shape[1])
    alpha[alpha.shape[0] - 1, 0] = 1.0
    total = 0.0
    for node in order:
        r = rule[node]
        m_a, m_b, m_c = shape[r, 0], shape[r, 1], shape[r, 2]
        first, second = left[node], right[node]
        for b in range(m_b):
            for c in range(m_c):
                product[b * m_c + c] = alpha[first, b] * alpha[second, c]
        size = m_b * m_c
        at = start[r]
        whole = 0.0
        for a in range(m_a):
            value = 0.0
            for k in range(size):
                value += values[at + k] * product[k]
            alpha[node, a] = value
            whole += value
            at += size
        scale[node] = whole
        if not whole > 0.0:
            return math.nan
        for a in range(m_a):
            alpha[node, a] /= whole
        total += math.log(whole)
    return total


@njit(cache=True, fastmath=FASTMATH)
def roots(
    root: np.ndarray,
    symbol: np.ndarray,
    state_start: np.ndarray,
    prior: np.ndarray,
    alpha: np.ndarray,
    beta: np.ndarray,
    counts: np.ndarray,
) -> float:
    """Outside vectors of the root nodes, and their states' expected counts; returns Σ log (π · inside)."""
    total = 0.0
    for node in root:
        first = state_start[symbol[node]]
        m = state_start[symbol[node] + 1] - first
        whole = 0.0
        for h in range(m):
            whole += prior[first + h] * alpha[node, h]
        if not whole > 0.0:
            return math.nan
        for h in range(m):
            beta[node, h] = prior[first + h] / whole
            counts[first + h] += beta[node, h] * alpha[node, h]
        total += math.log(whole)
    return total


@njit(cache=True, fastmath=FASTMATH)
def outside(
    order: np.ndarray,
    rule: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    shape: np.ndarray,
    start: np.ndarray,
    values: np.ndarray,
    alpha: np.ndarray,
    scale: np.ndarray,
    beta: np.ndarray,
    counts: np.ndarray,
) -> None:
    """Fill `beta`, shape (n_nodes + 1, m), from the roots down, and add to `counts` what lacks the tensors' factor.

    Expected counts are ``counts * values``: that product is taken once, not for every node.
    """
    m = alpha.shape[1]
    product, message = np.empty(m * m), np.empty(m * m)
    for place in range(order.shape[0] - 1, -1, -1):
        node = order[place]
        r = rule[node]
        m_a, m_b, m_c = shape[r, 0], shape[r, 1], shape[r, 2]
        first, second = left[node], right[node]
        size = m_b * m_c
        for b in range(m_b):
            for c in range(m_c):
                product[b * m_c + c] = alpha[first, b] * alpha[second, c]
                message[b * m_c + c] = 0.0
        at = start[r]
        for a in range(m_a):
            weight = beta[node, a] / scale[node]
            for k in range(size):
                counts[at + k] += weight * product[k]
                message[k] += weight * values[at + k]
            at += size
        for c in range(m_c):
            beta[second, c] = 0.0
        for b in range(m_b):
            value = 0.0
            for c in range(m_c):
                value += message[b * m_c + c] * alpha[second, c]
                beta[second, c] += message[b * m_c + c] * alpha[first, b]
            beta[first, b] = value


@njit(cache=True, fastmath=FASTMATH)
def multiply(values: np.ndarray, counts: np.ndarray) -> None:
    """counts *= values."""
    for k in range(values.shape[0]):
        counts[k] *= values[k]


@njit(cache=True, fastmath=FASTMATH)
def normalise(
    parent: np.ndarray,
    shape: np.ndarray,
    start: np.ndarray,
    state_start: np.ndarray,
    base: np.ndarray,
    prior: float,
    values: np.ndarray,
) -> None:
    """Counts become probabilities, in place.

    ``prior * base[r]`` is added to every number of rule r; numbers of one parent state are divided by their sum over
    all rules, or are ``base[r]`` where that is zero.
    """
    total = np.zeros(state_start[-1])
    for r in range(parent.shape[0]):
        size = shape[r, 1] * shape[r, 2]
        at, first, extra = start[r], state_start[parent[r]], prior * base[r]
        for a in range(shape[r, 0]):
            whole = 0.0
            for k in range(at, at + size):
                values[k] += extra
                whole += values[k]
            total[first + a] += whole
            at += size
    for r in range(parent.shape[0]):
        size = shape[r, 1] * shape[r, 2]
        at, first = start[r], state_start[parent[r]]
        for a in range(shape[r, 0]):
            whole = total[first + a]
            for k in range(at, at + size):
                values[k] = values[k] / whole if whole > 0.0 else base[r]
            at += size
