"""Compiled contractions of a rule's tensor with vectors, dense or factored, in any basis.

Sums run in a fixed order, so that results are the same on every machine.
"""

from typing import NamedTuple

import numpy as np
from numba import njit


class SamplingRules(NamedTuple):
    """The parameters of a grammar, and for each symbol its options: the rules that may rewrite it.

    Attributes
    ----------
    n_states, state_start : ndarray of int64
        As in `lpcfg_cli.grammar.model.Grammar`; so are ``binary_…``, ``unary_…``, ``lexical_…`` and ``root_vector``.
    option_start : ndarray of int64, shape (n_symbols + 1,)
    option_unary : ndarray of int64, shape (n_symbols,)
        Where the symbol's unary options begin, which are its last.
    option_kind, option_rule : ndarray of int64, shape (n_options,)
        Kind of rule, and its number among the rules of that kind.
    mass_start : ndarray of int64, shape (n_symbols + 1,)
        The symbol's masses, row-major (options, m_a), are ``mass[mass_start[a]:mass_start[a + 1]]``.
    """

    n_states: np.ndarray
    state_start: np.ndarray
    root_vector: np.ndarray
    binary_parent: np.ndarray
    binary_left: np.ndarray
    binary_right: np.ndarray
    binary_rank: np.ndarray
    binary_start: np.ndarray
    binary_values: np.ndarray
    unary_parent: np.ndarray
    unary_child: np.ndarray
    unary_start: np.ndarray
    unary_values: np.ndarray
    lexical_start: np.ndarray
    lexical_values: np.ndarray
    option_start: np.ndarray
    option_unary: np.ndarray
    option_kind: np.ndarray
    option_rule: np.ndarray
    mass_start: np.ndarray


@njit(cache=True)
def dot(x: np.ndarray, y: np.ndarray) -> float:
    """Σ_i x_i y_i."""
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * y[i]
    return total


@njit(cache=True)
def add_unary_inside(rules: SamplingRules, rule: int, y: np.ndarray, out: np.ndarray) -> None:
    """out_i += Σ_j E_ij y_j: the inside vector of a unary node, or its mass."""
    values = rules.unary_values[rules.unary_start[rule] : rules.unary_start[rule + 1]]
    m_b = y.shape[0]
    for i in range(out.shape[0]):
        out[i] += dot(values[i * m_b : (i + 1) * m_b], y)


@njit(cache=True)
def unary_functional(rules: SamplingRules, rule: int, f: np.ndarray, out: np.ndarray) -> None:
    """out_j = Σ_i f_i E_ij: what weighs the only child."""
    values = rules.unary_values[rules.unary_start[rule] : rules.unary_start[rule + 1]]
    m_b = out.shape[0]
    out[:] = 0.0
    for i in range(f.shape[0]):
        for j in range(m_b):
            out[j] += f[i] * values[i * m_b + j]


@njit(cache=True)
def add_inside(rules: SamplingRules, rule: int, y: np.ndarray, z: np.ndarray, out: np.ndarray) -> None:
    """out_i += Σ_jk T_ijk y_j z_k: the inside vector of a binary node, or its mass.  O(m³) or O(R m)."""
    m_a, m_b = out.shape[0], y.shape[0]
    values = rules.binary_values[rules.binary_start[rule] : rules.binary_start[rule + 1]]
    rank, m_c = rules.binary_rank[rule], z.shape[0]
    if rank == 0:
        tensor = values.reshape((m_a, m_b, m_c))
        for i in range(m_a):
            for j in range(m_b):
                if y[j] != 0.0:
                    out[i] += y[j] * dot(tensor[i, j], z)
        return
    u = values[: rank * m_a].reshape((rank, m_a))
    v = values[rank * m_a : rank * (m_a + m_b)].reshape((rank, m_b))
    w = values[rank * (m_a + m_b) :].reshape((rank, m_c))
    for r in range(rank):
        factor = dot(v[r], y) * dot(w[r], z)
        for i in range(m_a):
            out[i] += factor * u[r, i]


@njit(cache=True)
def left_functional(rules: SamplingRules, rule: int, f: np.ndarray, z: np.ndarray, out: np.ndarray) -> None:
    """out_j = Σ_ik f_i T_ijk z_k: what weighs the left child when the right one is summed out."""
    m_a, m_b, m_c = f.shape[0], out.shape[0], z.shape[0]
    values = rules.binary_values[rules.binary_start[rule] : rules.binary_start[rule + 1]]
    rank = rules.binary_rank[rule]
    out[:] = 0.0
    if rank == 0:
        tensor = values.reshape((m_a, m_b, m_c))
        for i in range(m_a):
            if f[i] != 0.0:
                for j in range(m_b):
                    out[j] += f[i] * dot(tensor[i, j], z)
        return
    u = values[: rank * m_a].reshape((rank, m_a))
    v = values[rank * m_a : rank * (m_a + m_b)].reshape((rank, m_b))
    w = values[rank * (m_a + m_b) :].reshape((rank, m_c))
    for r in range(rank):
        factor = dot(u[r], f) * dot(w[r], z)
        for j in range(m_b):
            out[j] += factor * v[r, j]


@njit(cache=True)
def right_functional(rules: SamplingRules, rule: int, f: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    """out_k = Σ_ij f_i T_ijk y_j: what weighs the right child once the left subtree is known."""
    m_a, m_b, m_c = f.shape[0], y.shape[0], out.shape[0]
    values = rules.binary_values[rules.binary_start[rule] : rules.binary_start[rule + 1]]
    rank = rules.binary_rank[rule]
    out[:] = 0.0
    if rank == 0:
        tensor = values.reshape((m_a, m_b, m_c))
        for i in range(m_a):
            for j in range(m_b):
                factor = f[i] * y[j]
                if factor != 0.0:
                    for k in range(m_c):
                        out[k] += factor * tensor[i, j, k]
        return
    u = values[: rank * m_a].reshape((rank, m_a))
    v = values[rank * m_a : rank * (m_a + m_b)].reshape((rank, m_b))
    w = values[rank * (m_a + m_b) :].reshape((rank, m_c))
    for r in range(rank):
        factor = dot(u[r], f) * dot(v[r], y)
        for k in range(m_c):
            out[k] += factor * w[r, k]
