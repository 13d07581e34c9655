"""Compiled tensor inside-outside over a pruned forest (C14 Fig. 5, with unary rules).

For each span and rule the outer products over all split points are summed first, and the tensor is applied once.  All
spans of one width that use a rule are processed together, those of all sentences of a batch, so that its parameters
stay in the cache: reading them takes longer than using them once.

Loop indexes: width: number of words of a span; sentence: of the batch; level: the spans of one width of a sentence,
numbered through the batch; cell: spans of a level; group: binary rules over one span; place: in an order of groups;
edge: split points of a group; application: unary rule applications; item: bottom or top items (`above`, `below`: the
items of a unary application); a: states of the parent, some at a time; b, c: states of the left and the right child;
h: states of any item; r: components of a factored tensor; x: candidates of a word; k: entries of an array.  Named
tuples of arrays are described in `lpcfg_cli.parsing.layout`.

Vectors are float32 or float64, as the rules are; edge weights and marginals are float64.  Each group is computed by
itself, in the same order of sums whatever other groups there are.  An edge costs O(m_b m_c) with
a dense tensor and O(R (m_b + m_c)) with a factored one of rank R; a group O(m_a m_b m_c) or O(R m_a) in addition.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import BORROWING, ENTRY, INNER, REORDERED_SUMS, njit
from lpcfg_cli.parsing.forest_kernels import order_by_key
from lpcfg_cli.parsing.layout import Batch, Forest, Marginals, TensorRules, Vectors, Words
from lpcfg_cli.parsing.product_kernels import (
    add_product,
    add_scaled,
    add_transposed_product,
    copy_part,
    dot,
    rows_in_cache,
    set_zero,
)

BATCH = 32
"""Number of spans whose sums of outer products are held at a time while a dense tensor is applied."""


@njit(**INNER)
def vector_starts(symbol: np.ndarray, n_states: np.ndarray) -> np.ndarray:
    """Where the vector of each item begins, int64, shape (n_items + 1,).

    `symbol`, int32, (n_items,), has the symbol of each item; `n_states`, int64, (n_symbols,), is m_a.
    """
    start = np.zeros(symbol.shape[0] + 1, np.int64)
    for item in range(symbol.shape[0]):
        start[item + 1] = start[item] + n_states[symbol[item]]
    return start


@njit(**INNER)
def part_starts(forest: Forest, rank: np.ndarray) -> np.ndarray:
    """Where the parts of each edge begin, int64, shape (n_edges + 1,); an edge has R parts, the rank of its rule.

    `rank`, int64, (n_rules,), is R of each binary rule, 0 for dense tensors.
    """
    start = np.zeros(forest.edge_left.shape[0] + 1, np.int64)
    for group in range(forest.group_rule.shape[0]):
        for edge in range(forest.group_edge[group], forest.group_edge[group + 1]):
            start[edge + 1] = start[edge] + rank[forest.group_rule[group]]
    return start


@njit(**BORROWING)
def largest(values: np.ndarray) -> int:
    """The largest of some non-negative integers; 0 for an empty array."""
    found = 0
    for value in values:
        found = max(found, value)
    return found


@njit(**BORROWING)
def run_stop(forest: Forest, order: np.ndarray, first: int, last: int) -> int:
    """End of the run of groups with one rule that starts at place `first` of an order of groups; at most `last`."""
    stop = first + 1
    while stop < last and forest.group_rule[order[stop]] == forest.group_rule[order[first]]:
        stop += 1
    return stop


@njit(**BORROWING, **REORDERED_SUMS)
def dense_inside(
    forest: Forest, rules: TensorRules, vectors: Vectors, groups: np.ndarray, products: np.ndarray
) -> None:
    """Add to α of the bottom items of some groups, int64, which share a rule with a dense tensor.

    `products`, (≥ `BATCH` · m_b m_c,), is a buffer: row by row the sum over the edges of a group of α_b α_cᵀ.
    O(m_b m_c) an edge and O(m_a m_b m_c) a group.
    """
    rule = forest.group_rule[groups[0]]
    m_a, m_b = rules.n_states[rules.parent[rule]], rules.n_states[rules.left[rule]]
    m_c = rules.n_states[rules.right[rule]]
    size = m_b * m_c
    step = rows_in_cache(size)
    top = vectors.top
    for start in range(0, groups.shape[0], BATCH):
        some = groups[start : start + BATCH]
        for place in range(some.shape[0]):
            row, group = products[place * size : (place + 1) * size], some[place]
            set_zero(row, 0, size)
            for edge in range(forest.group_edge[group], forest.group_edge[group + 1]):
                left, right = vectors.top_start[forest.edge_left[edge]], vectors.top_start[forest.edge_right[edge]]
                vector = top[right : right + m_c]
                for b in range(m_b):
                    factor = vectors.edge_weight[edge] * top[left + b]
                    add_scaled(factor, vector, row[b * m_c : (b + 1) * m_c])
        for a in range(0, m_a, step):  # some rows for all groups, so that they stay in the fastest cache
            slabs, shape = rules.start[rule] + a * size, (min(step, m_a - a), size)
            for place in range(some.shape[0]):
                out = vectors.bottom_start[forest.group_bottom[some[place]]] + a
                add_product(rules.values, slabs, shape, products, place * size, vectors.bottom, out)


@njit(**BORROWING, **REORDERED_SUMS)
def factored_inside(
    forest: Forest, rules: TensorRules, vectors: Vectors, groups: np.ndarray, products: np.ndarray
) -> None:
    """Add to α of the bottom items of some groups, int64, which share a rule: Uᵀ Σ_edges (V α_b) ∘ (W α_c).

    Stores V α_b and W α_c of each edge in ``vectors.left_part`` and ``right_part``; `products`, (≥ `BATCH` · R,), is a
    buffer: row by row their sums.  O(R (m_b + m_c)) an edge and O(R m_a) a group.
    """
    rule = forest.group_rule[groups[0]]
    rank, values = rules.rank[rule], rules.values
    step = rows_in_cache(rank)
    m_a, m_b = rules.n_states[rules.parent[rule]], rules.n_states[rules.left[rule]]
    m_c = rules.n_states[rules.right[rule]]
    first_u = rules.start[rule]
    first_v, first_w = first_u + rank * m_a, first_u + rank * (m_a + m_b)
    for start in range(0, groups.shape[0], BATCH):
        some = groups[start : start + BATCH]
        project_children(forest, vectors, some, forest.edge_left, values, first_v, (m_b, rank), vectors.left_part)
        project_children(forest, vectors, some, forest.edge_right, values, first_w, (m_c, rank), vectors.right_part)
        set_zero(products, 0, some.shape[0] * rank)
        for place in range(some.shape[0]):
            summed = products[place * rank : (place + 1) * rank]
            for edge in range(forest.group_edge[some[place]], forest.group_edge[some[place] + 1]):
                part, last = vectors.part_start[edge], vectors.part_start[edge + 1]
                weight = values.dtype.type(vectors.edge_weight[edge])
                left_part, right_part = vectors.left_part[part:last], vectors.right_part[part:last]
                for r in range(summed.shape[0]):
                    summed[r] += weight * left_part[r] * right_part[r]
        for a in range(0, m_a, step):
            shape = min(step, m_a - a), rank
            for place in range(some.shape[0]):
                out = vectors.bottom_start[forest.group_bottom[some[place]]] + a
                add_product(values, first_u + a * rank, shape, products, place * rank, vectors.bottom, out)


@njit(**BORROWING)
def project_children(
    forest: Forest,
    vectors: Vectors,
    groups: np.ndarray,
    child: np.ndarray,
    values: np.ndarray,
    first: int,
    shape: tuple[int, int],
    parts: np.ndarray,
) -> None:
    """Set the parts of the edges of some groups to V α of their left children, or to W α of their right ones.

    Parameters
    ----------
    forest, vectors, groups
        As in `factored_inside`.
    child : ndarray of int32, shape (n_edges,)
        Left or right top item of each edge.
    values : ndarray
    first : int
        Where Vᵀ or Wᵀ begins in `values`.
    shape : (int, int)
        States of the child, and R.
    parts : ndarray
        ``vectors.left_part`` or ``vectors.right_part``.
    """
    m, rank = shape
    step = rows_in_cache(rank)
    for h in range(0, m, step):
        rows = min(step, m - h), rank
        for group in groups:
            for edge in range(forest.group_edge[group], forest.group_edge[group + 1]):
                part, vector = vectors.part_start[edge], vectors.top_start[child[edge]] + h
                if h == 0:
                    set_zero(parts, part, vectors.part_start[edge + 1])
                add_transposed_product(values, first + h * rank, rows, vectors.top, vector, parts, part)


@njit(**INNER)
def order_groups(batch: Batch, n_rules: int) -> tuple[np.ndarray, np.ndarray]:
    """The groups of all sentences by width, rule and sentence; O(groups + widths · rules).

    Returns
    -------
    level_order : ndarray of int64, shape (largest n + 1,)
        Width w has the groups ``group_order[level_order[w - 1]:level_order[w]]``.
    group_order : ndarray of int64, shape (n_groups,)
    """
    forest, start = batch.forest, batch.level_start
    n_groups, widest = forest.group_rule.shape[0], 0
    for sentence in range(start.shape[0] - 1):
        widest = max(widest, start[sentence + 1] - start[sentence] - 1)
    level_order, group_order = np.zeros(widest + 1, np.int64), np.empty(n_groups, np.int64)
    if start.shape[0] == 2:  # the groups of one sentence are in this order
        copy_part(forest.level_group, 0, widest + 1, level_order, 0)
        for group in range(n_groups):
            group_order[group] = group
        return level_order, group_order
    waiting, rule = np.empty(n_groups, np.int64), np.empty(n_groups, np.int32)
    rule_start, order = np.empty(n_rules + 1, np.int64), np.empty(n_groups, np.int64)
    for width in range(1, widest + 1):
        size = 0
        for sentence in range(start.shape[0] - 1):
            level = start[sentence] + width
            if level < start[sentence + 1]:
                for group in range(forest.level_group[level - 1], forest.level_group[level]):
                    waiting[size], rule[size] = group, forest.group_rule[group]
                    size += 1
        order_by_key(rule, size, rule_start, order)
        for place in range(size):
            group_order[level_order[width - 1] + place] = waiting[order[place]]
        level_order[width] = level_order[width - 1] + size
    return level_order, group_order


@njit(**ENTRY, **REORDERED_SUMS)
def tensor_inside(batch: Batch, rules: TensorRules, words: Words, word_scale: np.ndarray) -> Vectors:
    """Compute the inside vectors α of all bottom and top items of some sentences, bottom up.

    Parameters
    ----------
    batch : Batch
    rules : TensorRules
    words : Words
        Of all sentences, with vectors of the same floating-point type as the rules.
    word_scale : ndarray of float64, shape (number of words,)
        Factor for the lexical vectors of each word: 2^(−exponent of its cell).
    """
    forest = batch.forest
    bottom_start = vector_starts(forest.bottom_symbol, rules.n_states)
    top_start = vector_starts(forest.top_symbol, rules.n_states)
    dtype = rules.values.dtype
    bottom, top = np.zeros(bottom_start[-1], dtype), np.zeros(top_start[-1], dtype)
    part_start = part_starts(forest, rules.rank)
    parts = part_start[-1]
    level_exponent, edge_weight = np.zeros(batch.level_start[-1], np.int64), np.empty(forest.edge_weight.shape[0])
    copy_part(forest.edge_weight, 0, edge_weight.shape[0], edge_weight, 0)
    level_order, group_order = order_groups(batch, rules.parent.shape[0])
    vectors = Vectors(
        level_exponent,
        edge_weight,
        bottom_start,
        top_start,
        bottom,
        top,
        part_start,
        np.empty(parts, dtype),
        np.empty(parts, dtype),
        level_order,
        group_order,
    )
    m = largest(rules.n_states)
    products = np.empty(BATCH * max(m * m, largest(rules.rank)), dtype)
    for width in range(1, level_order.shape[0]):
        for sentence in range(batch.level_start.shape[0] - 1):
            first = batch.level_start[sentence]
            if first + width >= batch.level_start[sentence + 1]:
                continue
            if width == 1:
                lexical_inside(forest, first, words, word_scale, bottom_start, bottom)
            else:
                weigh_level(forest, first, width, level_exponent, edge_weight)
        contract_inside(forest, rules, vectors, width, products)
        for sentence in range(batch.level_start.shape[0] - 1):
            level = batch.level_start[sentence] + width
            if level < batch.level_start[sentence + 1]:
                unary_inside(forest, rules, level, vectors)
                rescale_level(forest, level, width == 1, vectors)
    return vectors


@njit(**BORROWING, **REORDERED_SUMS)
def contract_inside(forest: Forest, rules: TensorRules, vectors: Vectors, width: int, products: np.ndarray) -> None:
    """Add to α of the bottom items of all groups of a width; the buffer is as in the functions for one rule."""
    place, last = vectors.level_order[width - 1], vectors.level_order[width]
    while place < last:
        stop = run_stop(forest, vectors.group_order, place, last)
        groups = vectors.group_order[place:stop]
        if rules.rank[forest.group_rule[groups[0]]] == 0:
            dense_inside(forest, rules, vectors, groups, products)
        else:
            factored_inside(forest, rules, vectors, groups, products)
        place = stop


@njit(**BORROWING)
def unary_inside(forest: Forest, rules: TensorRules, level: int, vectors: Vectors) -> None:
    """α of the top items of a level, from those of its bottom items; O(m) an item and O(m²) an application."""
    bottom, top, bottom_start, top_start = vectors.bottom, vectors.top, vectors.bottom_start, vectors.top_start
    for cell in range(forest.level_cell[level - 1], forest.level_cell[level]):
        for item in range(forest.cell_top[cell], forest.cell_top[cell + 1]):
            below = forest.top_bottom[item]
            if below >= 0:
                copy_part(bottom, bottom_start[below], bottom_start[below + 1], top, top_start[item])
        for application in range(forest.cell_unary[cell], forest.cell_unary[cell + 1]):
            above, below = forest.unary_top[application], forest.unary_bottom[application]
            first = rules.unary_start[forest.unary_rule[application]]
            shape = top_start[above + 1] - top_start[above], bottom_start[below + 1] - bottom_start[below]
            add_product(rules.unary_values, first, shape, bottom, bottom_start[below], top, top_start[above])


@njit(**BORROWING)
def weigh_level(forest: Forest, first: int, width: int, level_exponent: np.ndarray, edge_weight: np.ndarray) -> None:
    """Set the exponent of a level from those of narrower levels, and include it in the weights of its edges.

    `first` is where the sentence's levels begin; `level_exponent`, int64, and `edge_weight`, float64, (n_edges,), are
    changed.  O(edges of the level).
    """
    largest_sum = level_exponent[first + 1] + level_exponent[first + width - 1]
    for left in range(2, width // 2 + 1):
        largest_sum = max(largest_sum, level_exponent[first + left] + level_exponent[first + width - left])
    level_exponent[first + width] = largest_sum
    for group in range(forest.level_group[first + width - 1], forest.level_group[first + width]):
        for edge in range(forest.group_edge[group], forest.group_edge[group + 1]):
            left = forest.edge_left_width[edge]
            exponent = level_exponent[first + left] + level_exponent[first + width - left] - largest_sum
            edge_weight[edge] *= 2.0**exponent


@njit(**BORROWING)
def rescale_level(forest: Forest, level: int, is_of_words: bool, vectors: Vectors) -> None:
    """Divide the vectors of a level by the power of two that brings their largest entry near 1.

    Vectors of zeros, infinities or NaN are left unchanged.
    """
    first, last = forest.level_cell[level - 1], forest.level_cell[level]
    top_first, top_last = vectors.top_start[forest.cell_top[first]], vectors.top_start[forest.cell_top[last]]
    size = 0.0
    for k in range(top_first, top_last):
        size = max(size, abs(vectors.top[k]))
    if not 0.0 < size < np.inf:
        return
    shift = int(np.floor(np.log2(size)))
    vectors.level_exponent[level] += shift
    factor = vectors.top.dtype.type(2.0**-shift)
    for k in range(top_first, top_last):
        vectors.top[k] *= factor
    bottoms = vectors.bottom_start[forest.cell_bottom[first]], vectors.bottom_start[forest.cell_bottom[last]]
    for k in range(bottoms[0], bottoms[1]):
        vectors.bottom[k] *= factor
    if is_of_words:
        return
    # The parts of this level's edges come from narrower levels and do not change.  Their sums are in `bottom`, which
    # was scaled, so the edge weights need the same factor in the outside pass.
    for group in range(forest.level_group[level - 1], forest.level_group[level]):
        for edge in range(forest.group_edge[group], forest.group_edge[group + 1]):
            vectors.edge_weight[edge] *= 2.0**-shift


@njit(**BORROWING)
def lexical_inside(
    forest: Forest, first: int, words: Words, word_scale: np.ndarray, bottom_start: np.ndarray, bottom: np.ndarray
) -> None:
    """α of the bottom items of single words of the sentence whose levels begin at `first`.

    `bottom` has all vectors, `bottom_start` where each begins.
    """
    for cell in range(forest.level_cell[first], forest.level_cell[first + 1]):
        i = forest.cell_start[cell]
        for item in range(forest.cell_bottom[cell], forest.cell_bottom[cell + 1]):
            for x in range(words.start[i], words.start[i + 1]):
                if words.symbol[x] == forest.bottom_symbol[item]:
                    vector = words.vector[words.vector_start[x] : words.vector_start[x + 1]]
                    for h in range(vector.shape[0]):
                        bottom[bottom_start[item] + h] += word_scale[i] * vector[h]


@njit(**BORROWING, **REORDERED_SUMS)
def dense_outside(
    forest: Forest,
    rules: TensorRules,
    vectors: Vectors,
    groups: np.ndarray,
    out_bottom: np.ndarray,
    out_top: np.ndarray,
    edge_marginal: np.ndarray,
    buffers: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Add to β of the children, and set the marginals, of some groups, int64, of a dense rule.

    `out_bottom` and `out_top` are β of all items, shaped like ``vectors.bottom`` and ``vectors.top``; `edge_marginal`,
    (n_edges,), is written; `buffers` have shapes (≥ `BATCH` · m_b m_c,), for Σ_a β_a T_a row by row of each group,
    (≥ m_b,) and (≥ m_b,).  O(m_b m_c) an edge and O(m_a m_b m_c) a group.
    """
    rule = forest.group_rule[groups[0]]
    m_a, m_b = rules.n_states[rules.parent[rule]], rules.n_states[rules.left[rule]]
    m_c = rules.n_states[rules.right[rule]]
    size = m_b * m_c
    step = rows_in_cache(size)
    products, through, factor = buffers
    top = vectors.top
    for start in range(0, groups.shape[0], BATCH):
        some = groups[start : start + BATCH]
        set_zero(products, 0, some.shape[0] * size)
        for a in range(0, m_a, step):
            slabs, shape = rules.start[rule] + a * size, (min(step, m_a - a), size)
            for place in range(some.shape[0]):
                outside = vectors.bottom_start[forest.group_bottom[some[place]]] + a
                add_transposed_product(rules.values, slabs, shape, out_bottom, outside, products, place * size)
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


@njit(**BORROWING, **REORDERED_SUMS)
def factored_outside(
    forest: Forest,
    rules: TensorRules,
    vectors: Vectors,
    groups: np.ndarray,
    out_bottom: np.ndarray,
    out_top: np.ndarray,
    edge_marginal: np.ndarray,
    products: np.ndarray,
) -> None:
    """Add to β of the children, and set the marginals, of some groups, int64, of a rule with a factored tensor.

    Parameters are as in `dense_outside`; `products`, (≥ `BATCH` · R,), is a buffer: row by row U β of each group.  The
    parts of the edges are overwritten.  O(R (m_b + m_c)) an edge and O(R m_a) a group.
    """
    rule = forest.group_rule[groups[0]]
    rank, values = rules.rank[rule], rules.values
    step = rows_in_cache(rank)
    m_a, m_b = rules.n_states[rules.parent[rule]], rules.n_states[rules.left[rule]]
    m_c = rules.n_states[rules.right[rule]]
    first_u = rules.start[rule]
    first_v, first_w = first_u + rank * m_a, first_u + rank * (m_a + m_b)
    for start in range(0, groups.shape[0], BATCH):
        some = groups[start : start + BATCH]
        set_zero(products, 0, some.shape[0] * rank)
        for a in range(0, m_a, step):
            shape = min(step, m_a - a), rank
            for place in range(some.shape[0]):
                outside = vectors.bottom_start[forest.group_bottom[some[place]]] + a
                add_transposed_product(values, first_u + a * rank, shape, out_bottom, outside, products, place * rank)
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
        spread_to_children(
            forest, vectors, some, forest.edge_left, values, first_v, (m_b, rank), vectors.left_part, out_top
        )
        spread_to_children(
            forest, vectors, some, forest.edge_right, values, first_w, (m_c, rank), vectors.right_part, out_top
        )


@njit(**BORROWING)
def spread_to_children(
    forest: Forest,
    vectors: Vectors,
    groups: np.ndarray,
    child: np.ndarray,
    values: np.ndarray,
    first: int,
    shape: tuple[int, int],
    parts: np.ndarray,
    out_top: np.ndarray,
) -> None:
    """Add to β of the left or of the right children of some groups what the parts of their edges say by now.

    Parameters are as in `project_children`; `out_top` is as in `dense_outside`.
    """
    m, rank = shape
    step = rows_in_cache(rank)
    for h in range(0, m, step):
        rows = min(step, m - h), rank
        for group in groups:
            for edge in range(forest.group_edge[group], forest.group_edge[group + 1]):
                out = vectors.top_start[child[edge]] + h
                add_product(values, first + h * rank, rows, parts, vectors.part_start[edge], out_top, out)


@njit(**BORROWING)
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


@njit(**BORROWING)
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


@njit(**BORROWING)
def lexical_outside(forest: Forest, level: int, vectors: Vectors, out_bottom: np.ndarray, lexical: np.ndarray) -> None:
    """Set the marginals of the bottom items of a level of single words; `lexical` is float64, (n_bottom,)."""
    cells = forest.level_cell[level - 1], forest.level_cell[level]
    for item in range(forest.cell_bottom[cells[0]], forest.cell_bottom[cells[1]]):
        for h in range(vectors.bottom_start[item], vectors.bottom_start[item + 1]):
            lexical[item] += vectors.bottom[h] * out_bottom[h]


@njit(**BORROWING, **REORDERED_SUMS)
def contract_outside(
    forest: Forest,
    rules: TensorRules,
    vectors: Vectors,
    width: int,
    out_bottom: np.ndarray,
    out_top: np.ndarray,
    edge_marginal: np.ndarray,
    buffers: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Add to β of the children of all groups of a width, and set their marginals; arguments as in `dense_outside`."""
    place, last = vectors.level_order[width - 1], vectors.level_order[width]
    products = buffers[0]
    while place < last:
        stop = run_stop(forest, vectors.group_order, place, last)
        groups = vectors.group_order[place:stop]
        if rules.rank[forest.group_rule[groups[0]]] == 0:
            dense_outside(forest, rules, vectors, groups, out_bottom, out_top, edge_marginal, buffers)
        else:
            factored_outside(forest, rules, vectors, groups, out_bottom, out_top, edge_marginal, products)
        place = stop


@njit(**ENTRY, **REORDERED_SUMS)
def tensor_outside(batch: Batch, rules: TensorRules, vectors: Vectors) -> tuple[Marginals, np.ndarray]:
    """Compute the outside vectors β of some sentences, top down, and the marginals of all rule applications.

    Parameters
    ----------
    batch, rules
        As for `tensor_inside`.
    vectors : Vectors
        From `tensor_inside`.

    Returns
    -------
    marginals : Marginals
        Of all sentences, without exponent and total.
    total : ndarray of float64, shape (n_sentences,)
        Z of each.
    """
    forest, bottom = batch.forest, vectors.bottom
    out_bottom, out_top = np.zeros(bottom.shape[0], bottom.dtype), np.zeros(vectors.top.shape[0], bottom.dtype)
    marginals = Marginals(
        0,
        0.0,
        np.zeros(forest.edge_left.shape[0]),
        np.zeros(forest.unary_rule.shape[0]),
        np.zeros(forest.bottom_symbol.shape[0]),
        np.zeros(forest.top_symbol.shape[0]),
    )
    m = largest(rules.n_states)
    products = np.empty(BATCH * max(m * m, largest(rules.rank)), bottom.dtype)
    buffers = products, np.empty(m, bottom.dtype), np.empty(m, bottom.dtype)
    total = np.zeros(batch.level_start.shape[0] - 1)
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
        contract_outside(forest, rules, vectors, width, out_bottom, out_top, marginals.edge, buffers)
    return marginals, total
