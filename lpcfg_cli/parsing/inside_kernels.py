"""Compiled inside pass of tensor inside-outside: α of all items of some sentences, bottom up.

How a batch is gone through, and the loop indexes, are told in `lpcfg_cli.parsing.tensor_kernels`.
"""

import numpy as np

from lpcfg_cli.arrays.entrywise import add_entrywise, prefetch
from lpcfg_cli.arrays.kernel_options import FILLING, INLINED, REORDERED_SUMS, njit
from lpcfg_cli.arrays.lanes import add_outer
from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.parsing.layout import Batch, Forest, TensorRules, Vectors, Words
from lpcfg_cli.parsing.parts import parts_of_children
from lpcfg_cli.parsing.product_kernels import add_product, add_transposed_products, copy_part
from lpcfg_cli.parsing.tensor_kernels import BATCH, multiply_parts, run_stop


@njit(**INLINED)
def dense_inside(
    forest: Forest,
    rules: TensorRules,
    vectors: Vectors,
    groups: np.ndarray,
    products: np.ndarray,
    places: tuple[np.ndarray, np.ndarray],
) -> None:
    """Add to α of the bottom items of some groups, int64, which share a rule with a dense tensor.

    `products`, (≥ `BATCH` · m_b m_c,), is a buffer: row by row the sum over the edges of a group of α_b α_cᵀ.
    `places`, int64, (`BATCH`,) each, are buffers for where vectors begin.  O(m_b m_c) an edge and O(m_a m_b m_c) a
    group.
    """
    rule = forest.group_rule[groups[0]]
    m_a, m_b = rules.n_states[rules.parent[rule]], rules.n_states[rules.left[rule]]
    m_c = rules.n_states[rules.right[rule]]
    size, first = m_b * m_c, rules.start[rule]
    rows, outs = places
    for start in range(0, groups.shape[0], BATCH):
        some = groups[start : start + BATCH]
        for place in range(some.shape[0]):
            group = some[place]
            if place + 1 < some.shape[0]:
                edge = forest.group_edge[some[place + 1]]
                prefetch(vectors.top, vectors.top_start[forest.edge_left[edge]], m_b)
                prefetch(vectors.top, vectors.top_start[forest.edge_right[edge]], m_c)
            rows[place], outs[place] = place * size, vectors.bottom_start[forest.group_bottom[group]]
            for edge in range(forest.group_edge[group], forest.group_edge[group + 1]):
                left, right = vectors.top_start[forest.edge_left[edge]], vectors.top_start[forest.edge_right[edge]]
                weight, is_first = vectors.edge_weight[edge], edge == forest.group_edge[group]
                add_outer(products, place * size, (m_b, m_c), weight, vectors.top, left, right, is_first)
        at, out_at = rows[: some.shape[0]], outs[: some.shape[0]]
        shape = size, m_a
        add_transposed_products(rules.inside_values, first, shape, products, at, vectors.bottom, out_at, False)


@njit(**INLINED)
def factored_inside(
    forest: Forest,
    rules: TensorRules,
    vectors: Vectors,
    groups: np.ndarray,
    products: np.ndarray,
    places: tuple[np.ndarray, np.ndarray],
) -> None:
    """Add to α of the bottom items of some groups, int64, which share a rule: Uᵀ Σ_edges (V α_b) ∘ (W α_c).

    `products`, (≥ `BATCH` · R,), is a buffer: row by row these sums; `places` are as in `dense_inside`.  O(R) an edge
    and O(R m_a) a group.
    """
    rule = forest.group_rule[groups[0]]
    rank, first = rules.rank[rule], rules.start[rule]
    shape = rank, rules.n_states[rules.parent[rule]]
    left, right = vectors.left, vectors.right
    rows, outs = places
    for start in range(0, groups.shape[0], BATCH):
        some = groups[start : start + BATCH]
        for place in range(some.shape[0]):
            group, row = some[place], place * rank
            if place + 1 < some.shape[0]:
                edge = forest.group_edge[some[place + 1]]
                prefetch(left.vector, left.edge[edge], rank)
                prefetch(right.vector, right.edge[edge], rank)
            rows[place], outs[place] = row, vectors.bottom_start[forest.group_bottom[group]]
            for edge in range(forest.group_edge[group], forest.group_edge[group + 1]):
                weight, is_first = vectors.edge_weight[edge], edge == forest.group_edge[group]
                of_left, of_right = left.edge[edge], right.edge[edge]
                add_entrywise(products, row, weight, left.vector, of_left, right.vector, of_right, rank, is_first)
        at, out_at = rows[: some.shape[0]], outs[: some.shape[0]]
        add_transposed_products(rules.inside_values, first, shape, products, at, vectors.bottom, out_at, False)


def group_order(batch: Batch) -> tuple[np.ndarray, np.ndarray]:
    """The groups of all sentences by width, rule and sentence; O(groups · log sentences).

    Returns
    -------
    level_order : ndarray of int64, shape (largest n + 1,)
        Width w has the groups ``group_order[level_order[w - 1]:level_order[w]]``.
    group_order : ndarray of int64, shape (n_groups,)
    """
    forest, start = batch.forest, batch.level_start
    if len(start) == 2:  # the groups of one sentence are in this order
        return forest.level_group, np.arange(len(forest.group_rule))
    n_groups, widest = np.diff(forest.level_group, prepend=0), int(np.diff(start).max()) - 1
    width = np.arange(start[-1]) - np.repeat(start[:-1], np.diff(start))
    n_groups[start[:-1]] = 0
    n_rules = int(forest.group_rule.max(initial=0)) + 1
    key = np.repeat(width * n_rules, n_groups) + forest.group_rule
    level_order = np.zeros(widest + 1, np.int64)
    np.add.at(level_order, width, n_groups)
    # sorting is fast, because the groups of each sentence are in order
    return np.cumsum(level_order), np.argsort(key, kind="stable")


def room_for_vectors(batch: Batch, rules: TensorRules) -> Vectors:
    """Vectors of zeros, and what is known without them; see `tensor_inside`."""
    forest, dtype = batch.forest, rules.root_vector.dtype
    bottom_start, top_start = starts(rules.n_states[forest.bottom_symbol]), starts(rules.n_states[forest.top_symbol])
    level_order, order = group_order(batch)
    left, right = parts_of_children(forest, len(level_order) - 1, rules)
    return Vectors(
        np.zeros(batch.level_start[-1], np.int64),
        forest.edge_weight.copy(),
        bottom_start,
        top_start,
        np.zeros(bottom_start[-1], dtype),
        np.zeros(top_start[-1], dtype),
        left,
        right,
        level_order,
        order,
    )


def room_for_products(rules: TensorRules) -> np.ndarray:
    """The buffer of the functions for one rule: a sum of outer products, or of parts, of each of `BATCH` groups."""
    m, rank = rules.n_states.max(initial=0), rules.rank.max(initial=0)
    return np.empty(BATCH * max(m * m, rank), rules.root_vector.dtype)


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
    vectors = room_for_vectors(batch, rules)
    places = np.empty(BATCH, np.int64), np.empty(BATCH, np.int64)
    inside_pass(batch, rules, words, word_scale, vectors, room_for_products(rules), places)
    return vectors


@njit(**FILLING, **REORDERED_SUMS)
def inside_pass(
    batch: Batch,
    rules: TensorRules,
    words: Words,
    word_scale: np.ndarray,
    vectors: Vectors,
    products: np.ndarray,
    places: tuple[np.ndarray, np.ndarray],
) -> None:
    """Fill the vectors of `room_for_vectors`; buffers are as in the functions for one rule; else as `tensor_inside`."""
    forest = batch.forest
    for width in range(1, vectors.level_order.shape[0]):
        for sentence in range(batch.level_start.shape[0] - 1):
            first = batch.level_start[sentence]
            if first + width >= batch.level_start[sentence + 1]:
                continue
            if width == 1:
                lexical_inside(forest, first, words, word_scale, vectors.bottom_start, vectors.bottom)
            else:
                weigh_level(forest, first, width, vectors.level_exponent, vectors.edge_weight)
        contract_inside(forest, rules, vectors, width, products, places)
        for sentence in range(batch.level_start.shape[0] - 1):
            level = batch.level_start[sentence] + width
            if level < batch.level_start[sentence + 1]:
                unary_inside(forest, rules, level, vectors)
                rescale_level(forest, level, width == 1, vectors)
        for parts in (vectors.left, vectors.right):
            multiply_parts(
                parts, width, vectors.top_start, rules.inside_values, vectors.top, parts.vector, True, places
            )


@njit(**INLINED)
def contract_inside(
    forest: Forest,
    rules: TensorRules,
    vectors: Vectors,
    width: int,
    products: np.ndarray,
    places: tuple[np.ndarray, np.ndarray],
) -> None:
    """Add to α of the bottom items of all groups of a width; the buffers are as in the functions for one rule."""
    place, last = vectors.level_order[width - 1], vectors.level_order[width]
    while place < last:
        stop = run_stop(forest.group_rule, vectors.group_order, place, last)
        groups = vectors.group_order[place:stop]
        if rules.rank[forest.group_rule[groups[0]]] == 0:
            dense_inside(forest, rules, vectors, groups, products, places)
        else:
            factored_inside(forest, rules, vectors, groups, products, places)
        place = stop


@njit(**INLINED)
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


@njit(**INLINED)
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


@njit(**INLINED)
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


@njit(**INLINED)
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
