"""Compiled outside pass of tensor inside-outside: β of all items, top down, and the marginals of all rule applications.

How a batch is gone through, and the loop indexes, are told in `lpcfg_cli.parsing.tensor_kernels`.
"""

import numpy as np

from lpcfg_cli.arrays.entrywise import add_derivatives, add_scaled, dot, prefetch
from lpcfg_cli.arrays.kernel_options import FILLING, INLINED, REORDERED_SUMS, njit
from lpcfg_cli.parsing.inside_kernels import room_for_products
from lpcfg_cli.parsing.layout import Batch, Forest, Marginals, OutsideVectors, TensorRules, Vectors
from lpcfg_cli.parsing.product_kernels import (
    add_products,
    add_transposed_product,
    add_transposed_products,
    copy_part,
    set_zero,
)
from lpcfg_cli.parsing.tensor_kernels import BATCH, columns_of_panel, multiply_parts, run_stop


@njit(**INLINED)
def dense_outside(
    forest: Forest,
    rules: TensorRules,
    vectors: Vectors,
    groups: np.ndarray,
    out: OutsideVectors,
    edge_marginal: np.ndarray,
    buffers: tuple[np.ndarray, np.ndarray, np.ndarray],
    places: tuple[np.ndarray, np.ndarray],
) -> None:
    """Add to β of the children, and set the marginals, of some groups, int64, of a dense rule.

    `edge_marginal`, (n_edges,), is written; `buffers` have shapes (≥ `BATCH` · m_b m_c,), for Σ_a β_a T_a row by row of
    each group, (≥ `BATCH` · m_b,) and (≥ `BATCH` · m_b,); `places` are as in
    `lpcfg_cli.parsing.inside_kernels.dense_inside`.  O(m_b m_c) an edge and O(m_a m_b m_c) a group.
    """
    rule = forest.group_rule[groups[0]]
    m_a, m_b = rules.n_states[rules.parent[rule]], rules.n_states[rules.left[rule]]
    m_c = rules.n_states[rules.right[rule]]
    size, first, values = m_b * m_c, rules.start[rule], rules.outside_values
    products, step = buffers[0], columns_of_panel(m_b, m_c)
    above, rows = places
    for start in range(0, groups.shape[0], BATCH):
        some = groups[start : start + BATCH]
        n = some.shape[0]
        for place in range(n):
            above[place], rows[place] = vectors.bottom_start[forest.group_bottom[some[place]]], place * size
        for column in range(0, size, step):
            shape = m_a, min(step, size - column)
            add_transposed_products(
                values, first + column * m_a, shape, out.bottom, above[:n], products, rows[:n], True
            )
            for place in range(n):
                rows[place] += step
        for place in range(n):
            group = some[place]
            for edge in range(forest.group_edge[group], forest.group_edge[group + 1], BATCH):
                edges = edge, min(edge + BATCH, forest.group_edge[group + 1])
                spread_dense(forest, vectors, edges, place * size, (m_b, m_c), out, edge_marginal, buffers, places)


@njit(**INLINED)
def spread_dense(
    forest: Forest,
    vectors: Vectors,
    edges: tuple[int, int],
    matrix: int,
    shape: tuple[int, int],
    out: OutsideVectors,
    edge_marginal: np.ndarray,
    buffers: tuple[np.ndarray, np.ndarray, np.ndarray],
    places: tuple[np.ndarray, np.ndarray],
) -> None:
    """Add to β of the children of at most `BATCH` edges of a group of a dense rule, and set their marginals.

    `matrix` is where their Σ_a β_a T_a, whose shape is given, begins in the first buffer; else as `dense_outside`.
    """
    products, through, factors = buffers
    rights, rows = places
    top, top_start = vectors.top, vectors.top_start
    (m_b, _), n = shape, edges[1] - edges[0]
    set_zero(through, 0, n * m_b)
    set_zero(factors, 0, n * m_b)
    for place in range(n):
        edge = edges[0] + place
        rights[place], rows[place] = top_start[forest.edge_right[edge]], place * m_b
        left = top_start[forest.edge_left[edge]]
        add_scaled(factors, place * m_b, vectors.edge_weight[edge], top, left, m_b)
    add_products(products, matrix, shape, top, rights[:n], through, rows[:n])
    add_transposed_products(products, matrix, shape, factors, rows[:n], out.top, rights[:n], False)
    for place in range(n):
        edge, row = edges[0] + place, place * m_b
        edge_marginal[edge] = dot(through, row, factors, row, m_b)
        add_scaled(out.top, top_start[forest.edge_left[edge]], vectors.edge_weight[edge], through, row, m_b)


@njit(**INLINED)
def factored_outside(
    forest: Forest,
    rules: TensorRules,
    vectors: Vectors,
    groups: np.ndarray,
    out: OutsideVectors,
    edge_marginal: np.ndarray,
    products: np.ndarray,
    places: tuple[np.ndarray, np.ndarray],
) -> None:
    """Add to what the parts of the children of some groups, int64, of a factored rule get, and set the marginals.

    `products`, (≥ `BATCH` · R,), is a buffer: row by row U β of each group; else as `dense_outside`.  O(R) an edge and
    O(R m_a) a group.
    """
    rule = forest.group_rule[groups[0]]
    rank, first = rules.rank[rule], rules.start[rule]
    shape = rules.n_states[rules.parent[rule]], rank
    left, right = vectors.left, vectors.right
    above, rows = places
    for start in range(0, groups.shape[0], BATCH):
        some = groups[start : start + BATCH]
        n = some.shape[0]
        for place in range(n):
            above[place], rows[place] = vectors.bottom_start[forest.group_bottom[some[place]]], place * rank
        add_transposed_products(rules.outside_values, first, shape, out.bottom, above[:n], products, rows[:n], True)
        for place in range(n):
            row = place * rank
            if place + 1 < n:
                edge = forest.group_edge[some[place + 1]]
                prefetch(left.vector, left.edge[edge], rank)
                prefetch(right.vector, right.edge[edge], rank)
                prefetch(out.left, left.edge[edge], rank)
                prefetch(out.right, right.edge[edge], rank)
            for edge in range(forest.group_edge[some[place]], forest.group_edge[some[place] + 1]):
                weight, x, y = vectors.edge_weight[edge], left.edge[edge], right.edge[edge]
                edge_marginal[edge] = add_derivatives(
                    out.left, out.right, weight, products, row, left.vector, x, right.vector, y, rank
                )


@njit(**INLINED)
def root_outside(forest: Forest, rules: TensorRules, level: int, vectors: Vectors, out: OutsideVectors) -> float:
    """Set β of the top items over a whole sentence, whose level this is, to the root vectors; returns Z."""
    total, top_start = 0.0, vectors.top_start
    cells = forest.level_cell[level - 1], forest.level_cell[level]
    for item in range(forest.cell_top[cells[0]], forest.cell_top[cells[1]]):
        first = rules.root_start[forest.top_symbol[item]]
        m = top_start[item + 1] - top_start[item]
        copy_part(rules.root_vector, first, first + m, out.top, top_start[item])
        total += dot(rules.root_vector, first, vectors.top, top_start[item], m)
    return total


@njit(**INLINED)
def unary_outside(
    forest: Forest,
    rules: TensorRules,
    level: int,
    vectors: Vectors,
    out: OutsideVectors,
    marginals: Marginals,
    buffer: np.ndarray,
) -> None:
    """β of the bottom items of a level, from those of its top items; O(m) an item and O(m²) an application.

    Sets the marginals of unary rules and of items without one.  Other arguments are as in `dense_outside`; `buffer`
    has shape (≥ m,).
    """
    bottom, bottom_start, top_start = vectors.bottom, vectors.bottom_start, vectors.top_start
    for cell in range(forest.level_cell[level - 1], forest.level_cell[level]):
        for item in range(forest.cell_top[cell], forest.cell_top[cell + 1]):
            below = forest.top_bottom[item]
            if below >= 0:
                m = top_start[item + 1] - top_start[item]
                copy_part(out.top, top_start[item], top_start[item + 1], out.bottom, bottom_start[below])
                marginals.identity[item] = dot(out.top, top_start[item], bottom, bottom_start[below], m)
        for application in range(forest.cell_unary[cell], forest.cell_unary[cell + 1]):
            above, below = forest.unary_top[application], forest.unary_bottom[application]
            m, place = bottom_start[below + 1] - bottom_start[below], bottom_start[below]
            shape = top_start[above + 1] - top_start[above], m
            first = rules.unary_start[forest.unary_rule[application]]
            set_zero(buffer, 0, m)
            add_transposed_product(rules.unary_values, first, shape, out.top, top_start[above], buffer, 0)
            marginals.unary[application] = dot(bottom, place, buffer, 0, m)
            add_scaled(out.bottom, place, 1.0, buffer, 0, m)


@njit(**INLINED)
def lexical_outside(forest: Forest, level: int, vectors: Vectors, out: OutsideVectors, lexical: np.ndarray) -> None:
    """Set the marginals of the bottom items of a level of single words; `lexical` is float64, (n_bottom,)."""
    cells = forest.level_cell[level - 1], forest.level_cell[level]
    for item in range(forest.cell_bottom[cells[0]], forest.cell_bottom[cells[1]]):
        for h in range(vectors.bottom_start[item], vectors.bottom_start[item + 1]):
            lexical[item] += vectors.bottom[h] * out.bottom[h]


@njit(**INLINED)
def contract_outside(
    forest: Forest,
    rules: TensorRules,
    vectors: Vectors,
    width: int,
    out: OutsideVectors,
    edge_marginal: np.ndarray,
    buffers: tuple[np.ndarray, np.ndarray, np.ndarray],
    places: tuple[np.ndarray, np.ndarray],
) -> None:
    """Add to β of the children of all groups of a width, and set their marginals; arguments as in `dense_outside`."""
    place, last = vectors.level_order[width - 1], vectors.level_order[width]
    products = buffers[0]
    while place < last:
        stop = run_stop(forest.group_rule, vectors.group_order, place, last)
        groups = vectors.group_order[place:stop]
        if rules.rank[forest.group_rule[groups[0]]] == 0:
            dense_outside(forest, rules, vectors, groups, out, edge_marginal, buffers, places)
        else:
            factored_outside(forest, rules, vectors, groups, out, edge_marginal, products, places)
        place = stop


def tensor_outside(batch: Batch, rules: TensorRules, vectors: Vectors) -> tuple[Marginals, np.ndarray]:
    """Compute the outside vectors β of some sentences, top down, and the marginals of all rule applications.

    Parameters
    ----------
    batch, rules
        As for `lpcfg_cli.parsing.inside_kernels.tensor_inside`.
    vectors : Vectors
        From `tensor_inside`.

    Returns
    -------
    marginals : Marginals
        Of all sentences, without exponent and total.
    total : ndarray of float64, shape (n_sentences,)
        Z of each.
    """
    forest = batch.forest
    marginals = Marginals(
        0,
        0.0,
        np.zeros(len(forest.edge_left)),
        np.zeros(len(forest.unary_rule)),
        np.zeros(len(forest.bottom_symbol)),
        np.zeros(len(forest.top_symbol)),
    )
    m, dtype = rules.n_states.max(initial=0), vectors.bottom.dtype
    buffers = room_for_products(rules), np.empty(BATCH * m, dtype), np.empty(BATCH * m, dtype)
    places = np.empty(BATCH, np.int64), np.empty(BATCH, np.int64)
    total = np.zeros(len(batch.level_start) - 1)
    parts = vectors.left.vector, vectors.right.vector
    out = OutsideVectors(*(np.zeros_like(part) for part in (vectors.bottom, vectors.top, *parts)))
    outside_pass(batch, rules, vectors, out, marginals, total, buffers, places)
    return marginals, total


@njit(**FILLING, **REORDERED_SUMS)
def outside_pass(
    batch: Batch,
    rules: TensorRules,
    vectors: Vectors,
    out: OutsideVectors,
    marginals: Marginals,
    total: np.ndarray,
    buffers: tuple[np.ndarray, np.ndarray, np.ndarray],
    places: tuple[np.ndarray, np.ndarray],
) -> None:
    """Fill the marginals and totals of `tensor_outside`; the other arguments are as in `dense_outside`."""
    forest = batch.forest
    for width in range(vectors.level_order.shape[0] - 1, 0, -1):
        for parts, back in ((vectors.left, out.left), (vectors.right, out.right)):
            multiply_parts(parts, width, vectors.top_start, rules.outside_values, back, out.top, False, places)
        for sentence in range(total.shape[0]):
            level = batch.level_start[sentence] + width
            if level >= batch.level_start[sentence + 1]:
                continue
            if level == batch.level_start[sentence + 1] - 1:
                total[sentence] = root_outside(forest, rules, level, vectors, out)
            unary_outside(forest, rules, level, vectors, out, marginals, buffers[1])
            if width == 1:
                lexical_outside(forest, level, vectors, out, marginals.lexical)
        contract_outside(forest, rules, vectors, width, out, marginals.edge, buffers, places)
