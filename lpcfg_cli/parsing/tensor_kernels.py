"""Compiled tensor inside-outside over a pruned forest (C14 Fig. 5, with unary rules).

For a span and rule the products over all split points are summed first; the tensor is applied once.
"""

import numpy as np
from numba import njit

from lpcfg_cli.parsing.layout import Forest, Marginals, TensorRules, Words

FASTMATH = {"reassoc", "contract", "nsz"}


@njit(cache=True)
def vector_starts(symbol: np.ndarray, n_states: np.ndarray) -> np.ndarray:
    """Where the state vector of each item begins, int64, shape (n_items + 1,)."""
    start = np.zeros(symbol.shape[0] + 1, np.int64)
    for item in range(symbol.shape[0]):
        start[item + 1] = start[item] + n_states[symbol[item]]
    return start


@njit(cache=True, fastmath=FASTMATH)
def add_times(matrix: np.ndarray, vector: np.ndarray, out: np.ndarray) -> None:
    """out += matrix · vector."""
    for r in range(matrix.shape[0]):
        total = 0.0
        for c in range(matrix.shape[1]):
            total += matrix[r, c] * vector[c]
        out[r] += total


@njit(cache=True, fastmath=FASTMATH)
def add_transposed_times(matrix: np.ndarray, vector: np.ndarray, scale: float, out: np.ndarray) -> None:
    """out += scale · matrixᵀ · vector."""
    for r in range(matrix.shape[0]):
        factor = scale * vector[r]
        for c in range(matrix.shape[1]):
            out[c] += factor * matrix[r, c]


@njit(cache=True, fastmath=FASTMATH)
def add_scaled_times(matrix: np.ndarray, vector: np.ndarray, scale: float, out: np.ndarray) -> None:
    """out += scale · matrix · vector."""
    for r in range(matrix.shape[0]):
        total = 0.0
        for c in range(matrix.shape[1]):
            total += matrix[r, c] * vector[c]
        out[r] += scale * total


@njit(cache=True, fastmath=FASTMATH)
def tensor_inside(
    forest: Forest, rules: TensorRules, words: Words, word_scale: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Inside vectors α of all bottom and top items.

    Parameters
    ----------
    forest : Forest
    rules : TensorRules
    words : Words
    word_scale : ndarray of float64, shape (n,)
        Factor for the lexical vectors of each word: 2^−exponent of its cell.

    Returns
    -------
    bottom_start, top_start : ndarray of int64
        Where each item's vector begins.
    bottom, top : ndarray of float64
        The vectors.
    """
    bottom_start = vector_starts(forest.bottom_symbol, rules.n_states)
    top_start = vector_starts(forest.top_symbol, rules.n_states)
    bottom, top = np.zeros(bottom_start[-1]), np.zeros(top_start[-1])
    m = rules.n_states.max()
    outer = np.empty(m * m)
    largest_rank = rules.rank.max() if rules.rank.shape[0] > 0 else 0
    projected, left_part, right_part = np.empty(largest_rank), np.empty(largest_rank), np.empty(largest_rank)
    for cell in range(forest.cell_start.shape[0]):
        i, j = forest.cell_start[cell], forest.cell_stop[cell]
        if j == i + 1:
            for item in range(forest.cell_bottom[cell], forest.cell_bottom[cell + 1]):
                for x in range(words.start[i], words.start[i + 1]):
                    if words.symbol[x] == forest.bottom_symbol[item]:
                        vector = words.vector[words.vector_start[x] : words.vector_start[x + 1]]
                        bottom[bottom_start[item] : bottom_start[item + 1]] += word_scale[i] * vector
        for group in range(forest.cell_group[cell], forest.cell_group[cell + 1]):
            rule = forest.group_rule[group]
            rank = rules.rank[rule]
            m_a, m_b = rules.n_states[rules.parent[rule]], rules.n_states[rules.left[rule]]
            m_c = rules.n_states[rules.right[rule]]
            values = rules.values[rules.start[rule] : rules.start[rule + 1]]
            item = forest.group_bottom[group]
            out = bottom[bottom_start[item] : bottom_start[item + 1]]
            edges = range(forest.group_edge[group], forest.group_edge[group + 1])
            if rank == 0:
                outer[: m_b * m_c] = 0.0
                for edge in edges:
                    left, right = top_start[forest.edge_left[edge]], top_start[forest.edge_right[edge]]
                    for b in range(m_b):
                        factor = forest.edge_weight[edge] * top[left + b]
                        for c in range(m_c):
                            outer[b * m_c + c] += factor * top[right + c]
                add_times(values.reshape((m_a, m_b * m_c)), outer, out)
            else:
                u = values[: rank * m_a].reshape((rank, m_a))
                v = values[rank * m_a : rank * (m_a + m_b)].reshape((rank, m_b))
                w = values[rank * (m_a + m_b) :].reshape((rank, m_c))
                projected[:rank] = 0.0
                for edge in edges:
                    left, right = top_start[forest.edge_left[edge]], top_start[forest.edge_right[edge]]
                    left_part[:rank] = 0.0
                    right_part[:rank] = 0.0
                    add_times(v, top[left : left + m_b], left_part)
                    add_times(w, top[right : right + m_c], right_part)
                    for r in range(rank):
                        projected[r] += forest.edge_weight[edge] * left_part[r] * right_part[r]
                add_transposed_times(u, projected, 1.0, out)
        for item in range(forest.cell_top[cell], forest.cell_top[cell + 1]):
            below = forest.top_bottom[item]
            if below >= 0:
                top[top_start[item] : top_start[item + 1]] = bottom[bottom_start[below] : bottom_start[below + 1]]
        for application in range(forest.cell_unary[cell], forest.cell_unary[cell + 1]):
            rule = forest.unary_rule[application]
            above, below = forest.unary_top[application], forest.unary_bottom[application]
            out = top[top_start[above] : top_start[above + 1]]
            vector = bottom[bottom_start[below] : bottom_start[below + 1]]
            values = rules.unary_values[rules.unary_start[rule] : rules.unary_start[rule + 1]]
            add_times(values.reshape((out.shape[0], vector.shape[0])), vector, out)
    return bottom_start, top_start, bottom, top


@njit(cache=True, fastmath=FASTMATH)
def tensor_outside(
    n: int,
    forest: Forest,
    rules: TensorRules,
    bottom_start: np.ndarray,
    top_start: np.ndarray,
    bottom: np.ndarray,
    top: np.ndarray,
) -> Marginals:
    """Outside vectors β, top down, and with them the marginals of all rule applications.

    Parameters
    ----------
    n : int
        Number of words.
    forest, rules, bottom_start, top_start, bottom, top
        As for and from `tensor_inside`.
    """
    out_bottom, out_top = np.zeros_like(bottom), np.zeros_like(top)
    edge_marginal = np.zeros(forest.edge_left.shape[0])
    unary_marginal = np.zeros(forest.unary_rule.shape[0])
    lexical_marginal = np.zeros(forest.bottom_symbol.shape[0])
    m = rules.n_states.max()
    largest_rank = rules.rank.max() if rules.rank.shape[0] > 0 else 0
    pair = np.empty(m * m)
    above, left_part, right_part = np.empty(largest_rank), np.empty(largest_rank), np.empty(largest_rank)
    total = 0.0
    for cell in range(forest.cell_start.shape[0] - 1, -1, -1):
        i, j = forest.cell_start[cell], forest.cell_stop[cell]
        if j - i == n:
            for item in range(forest.cell_top[cell], forest.cell_top[cell + 1]):
                first = rules.root_start[forest.top_symbol[item]]
                for h in range(top_start[item + 1] - top_start[item]):
                    out_top[top_start[item] + h] = rules.root_vector[first + h]
                    total += rules.root_vector[first + h] * top[top_start[item] + h]
        for item in range(forest.cell_top[cell], forest.cell_top[cell + 1]):
            below = forest.top_bottom[item]
            if below >= 0:
                out_bottom[bottom_start[below] : bottom_start[below + 1]] = out_top[
                    top_start[item] : top_start[item + 1]
                ]
        for application in range(forest.cell_unary[cell], forest.cell_unary[cell + 1]):
            rule = forest.unary_rule[application]
            item, below = forest.unary_top[application], forest.unary_bottom[application]
            outside = out_top[top_start[item] : top_start[item + 1]]
            vector = bottom[bottom_start[below] : bottom_start[below + 1]]
            out = out_bottom[bottom_start[below] : bottom_start[below + 1]]
            values = rules.unary_values[rules.unary_start[rule] : rules.unary_start[rule + 1]]
            marginal = 0.0
            for a in range(outside.shape[0]):
                for b in range(vector.shape[0]):
                    value = values[a * vector.shape[0] + b] * outside[a]
                    out[b] += value
                    marginal += value * vector[b]
            unary_marginal[application] = marginal
        if j == i + 1:
            for item in range(forest.cell_bottom[cell], forest.cell_bottom[cell + 1]):
                for h in range(bottom_start[item], bottom_start[item + 1]):
                    lexical_marginal[item] += bottom[h] * out_bottom[h]
        for group in range(forest.cell_group[cell], forest.cell_group[cell + 1]):
            rule = forest.group_rule[group]
            rank = rules.rank[rule]
            m_a, m_b = rules.n_states[rules.parent[rule]], rules.n_states[rules.left[rule]]
            m_c = rules.n_states[rules.right[rule]]
            values = rules.values[rules.start[rule] : rules.start[rule + 1]]
            item = forest.group_bottom[group]
            outside = out_bottom[bottom_start[item] : bottom_start[item + 1]]
            edges = range(forest.group_edge[group], forest.group_edge[group + 1])
            if rank == 0:
                pair[: m_b * m_c] = 0.0
                add_transposed_times(values.reshape((m_a, m_b * m_c)), outside, 1.0, pair)
                for edge in edges:
                    left, right = top_start[forest.edge_left[edge]], top_start[forest.edge_right[edge]]
                    weight = forest.edge_weight[edge]
                    marginal = 0.0
                    for b in range(m_b):
                        row = 0.0
                        factor = weight * top[left + b]
                        for c in range(m_c):
                            row += pair[b * m_c + c] * top[right + c]
                            out_top[right + c] += factor * pair[b * m_c + c]
                        out_top[left + b] += weight * row
                        marginal += factor * row
                    edge_marginal[edge] = marginal
            else:
                u = values[: rank * m_a].reshape((rank, m_a))
                v = values[rank * m_a : rank * (m_a + m_b)].reshape((rank, m_b))
                w = values[rank * (m_a + m_b) :].reshape((rank, m_c))
                above[:rank] = 0.0
                add_times(u, outside, above)
                for edge in edges:
                    left, right = top_start[forest.edge_left[edge]], top_start[forest.edge_right[edge]]
                    left_part[:rank] = 0.0
                    right_part[:rank] = 0.0
                    add_times(v, top[left : left + m_b], left_part)
                    add_times(w, top[right : right + m_c], right_part)
                    marginal = 0.0
                    for r in range(rank):
                        g = forest.edge_weight[edge] * above[r]
                        marginal += g * left_part[r] * right_part[r]
                        old = left_part[r]
                        left_part[r] = g * right_part[r]
                        right_part[r] = g * old
                    edge_marginal[edge] = marginal
                    add_transposed_times(v, left_part[:rank], 1.0, out_top[left : left + m_b])
                    add_transposed_times(w, right_part[:rank], 1.0, out_top[right : right + m_c])
    return Marginals(total, edge_marginal, unary_marginal, lexical_marginal)
