"""Compiled contractions of a rule's parameters with vectors.

A tensor is given as in `lpcfg_cli.grammar.model.BinaryRules`: dense in row-major order with rank 0, or as R
components.  Sums run in a fixed order, so that results do not depend on the machine.
"""

import numpy as np
from numba import njit


@njit(cache=True)
def dot(x: np.ndarray, y: np.ndarray) -> float:
    """Σ_i x_i y_i."""
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * y[i]
    return total


@njit(cache=True)
def add_unary_inside(values: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    """out_i += Σ_j E_ij y_j: the inside vector of a unary node, or its mass."""
    m_b = y.shape[0]
    for i in range(out.shape[0]):
        out[i] += dot(values[i * m_b : (i + 1) * m_b], y)


@njit(cache=True)
def unary_functional(values: np.ndarray, f: np.ndarray, out: np.ndarray) -> None:
    """out_j = Σ_i f_i E_ij: what weighs the only child."""
    m_b = out.shape[0]
    out[:] = 0.0
    for i in range(f.shape[0]):
        for j in range(m_b):
            out[j] += f[i] * values[i * m_b + j]


@njit(cache=True)
def add_binary_inside(values: np.ndarray, rank: int, y: np.ndarray, z: np.ndarray, out: np.ndarray) -> None:
    """out_i += Σ_jk T_ijk y_j z_k: the inside vector of a binary node, or its mass.  O(m³) or O(R m)."""
    m_a, m_b, m_c = out.shape[0], y.shape[0], z.shape[0]
    if rank == 0:
        for i in range(m_a):
            for j in range(m_b):
                if y[j] != 0.0:
                    at = (i * m_b + j) * m_c
                    out[i] += y[j] * dot(values[at : at + m_c], z)
        return
    v, w = rank * m_a, rank * (m_a + m_b)
    for r in range(rank):
        factor = dot(values[v + r * m_b : v + (r + 1) * m_b], y) * dot(
            values[w + r * m_c : w + (r + 1) * m_c], z
        )
        for i in range(m_a):
            out[i] += factor * values[r * m_a + i]


@njit(cache=True)
def left_functional(values: np.ndarray, rank: int, f: np.ndarray, z: np.ndarray, out: np.ndarray) -> None:
    """out_j = Σ_ik f_i T_ijk z_k: what weighs the left child when the right one is summed out."""
    m_a, m_b, m_c = f.shape[0], out.shape[0], z.shape[0]
    out[:] = 0.0
    if rank == 0:
        for i in range(m_a):
            if f[i] != 0.0:
                for j in range(m_b):
                    at = (i * m_b + j) * m_c
                    out[j] += f[i] * dot(values[at : at + m_c], z)
        return
    v, w = rank * m_a, rank * (m_a + m_b)
    for r in range(rank):
        factor = dot(values[r * m_a : (r + 1) * m_a], f) * dot(values[w + r * m_c : w + (r + 1) * m_c], z)
        for j in range(m_b):
            out[j] += factor * values[v + r * m_b + j]


@njit(cache=True)
def right_functional(values: np.ndarray, rank: int, f: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    """out_k = Σ_ij f_i T_ijk y_j: what weighs the right child once the left subtree is known."""
    m_a, m_b, m_c = f.shape[0], y.shape[0], out.shape[0]
    out[:] = 0.0
    if rank == 0:
        for i in range(m_a):
            for j in range(m_b):
                factor = f[i] * y[j]
                if factor != 0.0:
                    at = (i * m_b + j) * m_c
                    for k in range(m_c):
                        out[k] += factor * values[at + k]
        return
    v, w = rank * m_a, rank * (m_a + m_b)
    for r in range(rank):
        factor = dot(values[r * m_a : (r + 1) * m_a], f) * dot(values[v + r * m_b : v + (r + 1) * m_b], y)
        for k in range(m_c):
            out[k] += factor * values[w + r * m_c + k]
