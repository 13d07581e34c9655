"""Compiled outside pass of tensor inside-outside: β of all items, top down, and the marginals of all rule applications.

How a batch is gone through, and the loop indexes, are told in `lpcfg_cli.parsing.tensor_kernels`.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import BORROWING, FILLING, INLINED, REORDERED_SUMS, njit
from lpcfg_cli.parsing.inside_kernels import room_for_products
from lpcfg_cli.parsing.layout import Batch, Forest, Marginals, TensorRules, Vectors
from lpcfg_cli.parsing.product_kernels import (
    add_product,
    add_products,
    add_scaled,
    add_transposed_product,
    copy_part,
    dot,
    set_transposed_products,
    set_zero,
)
from lpcfg_cli.parsing.tensor_kernels import BATCH, run_stop


@njit(**INLINED)
def dense_outside(
    forest: Forest,
    rules: TensorRules,
    vectors: Vectors,
    groups: np.ndarray,
    out_bottom: np.ndarray,
    out_top: np.ndarray,
    edge_marginal: np.ndarray,
    buffers: tuple[np.ndarray, np.ndarray, np.ndarray],
    places: tuple[np.ndarray, np.ndarray],
) -> None:
    """Add to β of the children, and set the marginals, of some groups, int64, of a dense rule.

    `out_bottom` and `out_top` are β of all items, shaped like ``vectors.bottom`` and ``vectors.top``; `edge_marginal`,
    (n_edges,), is written; `buffers` have shapes (≥ `BATCH` · m_b m_c,), for Σ_a β_a T_a row by row of each group,
    (≥ m_b,) and (≥ m_b,); `places` are as in `lpcfg_cli.parsing.inside_kernels.dense_inside`.  O(m_b m_c) an edge and
    O(m_a m_b m_c) a group.
    """
    rule = forest.group_rule[groups[0]]
    m_a, m_b = rules.n_states[rules.parent[rule]], rules.n_states[rules.left[rule]]
    m_c = rules.n_states[rules.right[rule]]
    size = m_b * m_c
    products, through, factor = buffers
    above, rows = places
    top = vectors.top
    for start in range(0, groups.shape[0], BATCH):
        some = groups[start : start + BATCH]
        n = some.shape[0]
        for place in range(n):
            above[place], rows[place] = vectors.bottom_start[forest.group_bottom[some[place]]], place * size
        set_transposed_products(rules.values, rules.start[rule], (m_a, size), out_bottom, above[:n], products, rows[:n])
        for place in range(some.shape[0]):
            matrix, group = place * size, some[place]
            for edge in range(forest.group_edge[group], forest.group_edge[group + 1]):
                left, right = vectors.top_start[forest.edge_left[edge]], vectors.top_start[forest.edge_right[edge]]
                weight = top.dtype.type(vectors.edge_weight[edge])
                set_zero(through, 0, m_b)
                add_product(products, matrix, (m_b, m_c), top, right, through, 0)
                for b in range(m_b):
                    factor[b] = weight * top[left + b]
                    out_top[left + b] += weight * through[b]
                add_transposed_product(products, matrix, (m_b, m_c), factor, 0, out_top, right)
                edge_marginal[edge] = dot(through[:m_b], factor)


@njit(**INLINED)
def factored_outside(
    forest: Forest,
    rules: TensorRules,
    vectors: Vectors,
    groups: np.ndarray,
    out_bottom: np.ndarray,
    out_top: np.ndarray,
    edge_marginal: np.ndarray,
    products: np.ndarray,
    places: tuple[np.ndarray, np.ndarray],
) -> None:
    """Add to β of the children, and set the marginals, of some groups, int64, of a rule with a factored tensor.

    Parameters are as in `dense_outside`; `products`, (≥ `BATCH` · R,), is a buffer: row by row U β of each group.  The
    parts of the edges are overwritten.  O(R (m_b + m_c)) an edge and O(R m_a) a group.
    """
    rule = forest.group_rule[groups[0]]
    rank, values = rules.rank[rule], rules.values
    outsides, rows = places
    m_a, m_b = rules.n_states[rules.parent[rule]], rules.n_states[rules.left[rule]]
    m_c = rules.n_states[rules.right[rule]]
    first_u = rules.start[rule]
    first_v, first_w = first_u + rank * m_a, first_u + rank * (m_a + m_b)
    for start in range(0, groups.shape[0], BATCH):
        some = groups[start : start + BATCH]
        n = some.shape[0]
        for place in range(n):
            outsides[place], rows[place] = vectors.bottom_start[forest.group_bottom[some[place]]], place * rank
        set_transposed_products(values, first_u, (m_a, rank), out_bottom, outsides[:n], products, rows[:n])
        for place in range(some.shape[0]):
            above = products[place * rank : (place + 1) * rank]
            for edge in range(forest.group_edge[some[place]], forest.group_edge[some[place] + 1]):
                part, last = vectors.part_start[edge], vectors.part_start[edge + 1]
                left_part, right_part = vectors.left_part[part:last], vectors.right_part[part:last]
                weight, marginal = values.dtype.type(vectors.edge_weight[edge]), values.dtype.type(0)
                for r in range(above.shape[0]):
                    from_right, from_left = weight * above[r] * right_part[r], weight * above[r] * left_part[r]
                    marginal += from_right * left_part[r]
                    left_part[r], right_part[r] = from_right, from_left
                edge_marginal[edge] = marginal
        shape_v, shape_w = (m_b, rank), (m_c, rank)
        edges, begin = forest.group_edge, (vectors.top_start, vectors.part_start)
        shape_v, shape_w, left, right = (m_b, rank), (m_c, rank), vectors.left_part, vectors.right_part
        spread_to_children(some, edges, forest.edge_left, begin, values, first_v, shape_v, out_top, left, places)
        spread_to_children(some, edges, forest.edge_right, begin, values, first_w, shape_w, out_top, right, places)


@njit(**BORROWING)
def spread_to_children(
    groups: np.ndarray,
    group_edge: np.ndarray,
    child: np.ndarray,
    begin: tuple[np.ndarray, np.ndarray],
    values: np.ndarray,
    first: int,
    shape: tuple[int, int],
    out_top: np.ndarray,
    parts: np.ndarray,
    places: tuple[np.ndarray, np.ndarray],
) -> None:
    """Add to β of the left or of the right children of some groups what the parts of their edges say by now.

    Parameters are as in `lpcfg_cli.parsing.inside_kernels.project_children`; `out_top` is as in `dense_outside`.
    """
    top_start, part_start = begin
    of_parts, of_children = places
    n = 0
    for group in groups:
        for edge in range(group_edge[group], group_edge[group + 1]):
            of_parts[n], of_children[n] = part_start[edge], top_start[child[edge]]
            n += 1
            if n == BATCH:
                add_products(values, first, shape, parts, of_parts, out_top, of_children)
                n = 0
    add_products(values, first, shape, parts, of_parts[:n], out_top, of_children[:n])


@njit(**INLINED)
def root_outside(forest: Forest, rules: TensorRules, level: int, vectors: Vectors, out_top: np.ndarray) -> float:
    """Set β of the top items over a whole sentence, whose level this is, to the root vectors; returns Z."""
    total, top_start = 0.0, vectors.top_start
    cells = forest.level_cell[level - 1], forest.level_cell[level]
    for item in range(forest.cell_top[cells[0]], forest.cell_top[cells[1]]):
        first = rules.root_start[forest.top_symbol[item]]
        root = rules.root_vector[first : first + top_start[item + 1] - top_start[item]]
        copy_part(root, 0, root.shape[0], out_top, top_start[item])
        total += dot(root, vectors.top[top_start[item] : top_start[item + 1]])
    return total


@njit(**INLINED)
def unary_outside(
    forest: Forest,
    rules: TensorRules,
    level: int,
    vectors: Vectors,
    out_bottom: np.ndarray,
    out_top: np.ndarray,
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
                outside = out_top[top_start[item] : top_start[item + 1]]
                copy_part(outside, 0, outside.shape[0], out_bottom, bottom_start[below])
                marginals.identity[item] = dot(outside, bottom[bottom_start[below] : bottom_start[below + 1]])
        for application in range(forest.cell_unary[cell], forest.cell_unary[cell + 1]):
            above, below = forest.unary_top[application], forest.unary_bottom[application]
            vector = bottom[bottom_start[below] : bottom_start[below + 1]]
            shape = top_start[above + 1] - top_start[above], vector.shape[0]
            first = rules.unary_start[forest.unary_rule[application]]
            set_zero(buffer, 0, vector.shape[0])
            add_transposed_product(rules.unary_values, first, shape, out_top, top_start[above], buffer, 0)
            marginals.unary[application] = dot(vector, buffer)
            add_scaled(1.0, buffer[: vector.shape[0]], out_bottom[bottom_start[below] : bottom_start[below + 1]])


@njit(**INLINED)
def lexical_outside(forest: Forest, level: int, vectors: Vectors, out_bottom: np.ndarray, lexical: np.ndarray) -> None:
    """Set the marginals of the bottom items of a level of single words; `lexical` is float64, (n_bottom,)."""
    cells = forest.level_cell[level - 1], forest.level_cell[level]
    for item in range(forest.cell_bottom[cells[0]], forest.cell_bottom[cells[1]]):
        for h in range(vectors.bottom_start[item], vectors.bottom_start[item + 1]):
            lexical[item] += vectors.bottom[h] * out_bottom[h]


@njit(**INLINED)
def contract_outside(
    forest: Forest,
    rules: TensorRules,
    vectors: Vectors,
    width: int,
    out_bottom: np.ndarray,
    out_top: np.ndarray,
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
            dense_outside(forest, rules, vectors, groups, out_bottom, out_top, edge_marginal, buffers, places)
        else:
            factored_outside(forest, rules, vectors, groups, out_bottom, out_top, edge_marginal, products, places)
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
    buffers = room_for_products(rules), np.empty(m, dtype), np.empty(m, dtype)
    places = np.empty(BATCH, np.int64), np.empty(BATCH, np.int64)
    total = np.zeros(len(batch.level_start) - 1)
    out_bottom, out_top = np.zeros_like(vectors.bottom), np.zeros_like(vectors.top)
    outside_pass(batch, rules, vectors, out_bottom, out_top, marginals, total, buffers, places)
    return marginals, total


@njit(**FILLING, **REORDERED_SUMS)
def outside_pass(
    batch: Batch,
    rules: TensorRules,
    vectors: Vectors,
    out_bottom: np.ndarray,
    out_top: np.ndarray,
    marginals: Marginals,
    total: np.ndarray,
    buffers: tuple[np.ndarray, np.ndarray, np.ndarray],
    places: tuple[np.ndarray, np.ndarray],
) -> None:
    """Fill the marginals and totals of `tensor_outside`; the other arguments are as in `dense_outside`."""
    forest = batch.forest
    for width in range(vectors.level_order.shape[0] - 1, 0, -1):
        for sentence in range(total.shape[0]):
            level = batch.level_start[sentence] + width
            if level >= batch.level_start[sentence + 1]:
                continue
            if level == batch.level_start[sentence + 1] - 1:
                total[sentence] = root_outside(forest, rules, level, vectors, out_top)
            unary_outside(forest, rules, level, vectors, out_bottom, out_top, marginals, buffers[1])
            if width == 1:
                lexical_outside(forest, level, vectors, out_bottom, marginals.lexical)
        contract_outside(forest, rules, vectors, width, out_bottom, out_top, marginals.edge, buffers, places)
