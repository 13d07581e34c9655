"""Compiled tensor inside-outside over a pruned forest (C14 Fig. 5, with unary rules).

For each span and rule the outer products over all split points are summed first, and the tensor is applied once.  All
spans of one width that use a rule are processed together, so that its parameters stay in the cache.

Loop indexes: width: number of words of a span; cell: spans of that width; group: binary rules over one span; edge:
split points of a group; application: unary rule applications; item: bottom or top items (`above`, `below`: the items
of a unary application); a: states of the parent; b, c: states of the left and the right child; h: states of any item;
r: components of a factored tensor; x: candidates of a word; k: entries of an array.  Named tuples of arrays are
described in `lpcfg_cli.parsing.layout`.

Vectors are float32 or float64, as the rules are; edge weights and marginals are float64.  An edge costs O(m_b m_c) with
a dense tensor and O(R (m_b + m_c)) with a factored one of rank R; a group O(m_a m_b m_c) or O(R m_a) in addition.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, INNER, REORDERED_SUMS, njit
from lpcfg_cli.parsing.layout import Forest, Marginals, TensorRules, Vectors, Words

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


@njit(**INNER, **REORDERED_SUMS)
def dot(one: np.ndarray, two: np.ndarray) -> float:
    """Scalar product of two vectors of equal length and type."""
    total = one.dtype.type(0)
    for k in range(one.shape[0]):
        total += one[k] * two[k]
    return total


@njit(**INNER, **REORDERED_SUMS)
def add_scaled(factor: float, vector: np.ndarray, out: np.ndarray) -> None:
    """out += factor · vector, in the type of `vector`."""
    same = vector.dtype.type(factor)
    for k in range(vector.shape[0]):
        out[k] += same * vector[k]


@njit(**INNER)
def set_zero(array: np.ndarray, first: int, last: int) -> None:
    """array[first:last] = 0, written as a loop, because that compiles much faster."""
    for k in range(first, last):
        array[k] = 0.0


@njit(**INNER)
def copy_part(source: np.ndarray, first: int, last: int, target: np.ndarray, start: int) -> None:
    """target[start : start + last − first] = source[first:last]."""
    for k in range(last - first):
        target[start + k] = source[first + k]


@njit(**INNER)
def largest(values: np.ndarray) -> int:
    """The largest of some non-negative integers; 0 for an empty array."""
    found = 0
    for value in values:
        found = max(found, value)
    return found


@njit(**INNER)
def run_stop(forest: Forest, first: int, last: int) -> int:
    """End of the run of groups with one rule that starts at `first`; at most `last`."""
    stop = first + 1
    while stop < last and forest.group_rule[stop] == forest.group_rule[first]:
        stop += 1
    return stop


@njit(**INNER, **REORDERED_SUMS)
def dense_inside(
    forest: Forest, rules: TensorRules, vectors: Vectors, first: int, last: int, products: np.ndarray
) -> None:
    """Add to α of the bottom items of the groups ``first:last``, which share a rule with a dense tensor.

    `products`, (≥ `BATCH` · m_b m_c,), is a buffer: row by row the sum over the edges of a group of α_b α_cᵀ.
    O(m_b m_c) an edge and O(m_a m_b m_c) a group.
    """
    rule = forest.group_rule[first]
    m_a, m_b = rules.n_states[rules.parent[rule]], rules.n_states[rules.left[rule]]
    m_c = rules.n_states[rules.right[rule]]
    size = m_b * m_c
    tensor = rules.values[rules.start[rule] : rules.start[rule + 1]]
    top = vectors.top
    for start in range(first, last, BATCH):
        stop = min(last, start + BATCH)
        for group in range(start, stop):
            row = products[(group - start) * size : (group - start + 1) * size]
            set_zero(row, 0, size)
            for edge in range(forest.group_edge[group], forest.group_edge[group + 1]):
                left, right = vectors.top_start[forest.edge_left[edge]], vectors.top_start[forest.edge_right[edge]]
                vector = top[right : right + m_c]
                for b in range(m_b):
                    factor = vectors.edge_weight[edge] * top[left + b]
                    add_scaled(factor, vector, row[b * m_c : (b + 1) * m_c])
        for a in range(m_a):
            slab = tensor[a * size : (a + 1) * size]
            for group in range(start, stop):
                out = vectors.bottom_start[forest.group_bottom[group]] + a
                vectors.bottom[out] += dot(slab, products[(group - start) * size : (group - start + 1) * size])


@njit(**INNER, **REORDERED_SUMS)
def factored_inside(forest: Forest, rules: TensorRules, vectors: Vectors, group: int, summed: np.ndarray) -> None:
    """Add to α of the bottom item of one group with a factored tensor: Uᵀ Σ_edges (V α_b) ∘ (W α_c).

    Stores V α_b and W α_c of each edge in ``vectors.left_part`` and ``right_part``; `summed`, (≥ R,), is a buffer for
    their sum.  O(R (m_b + m_c)) an edge and O(R m_a) a group.
    """
    rule = forest.group_rule[group]
    rank = rules.rank[rule]
    m_a, m_b = rules.n_states[rules.parent[rule]], rules.n_states[rules.left[rule]]
    m_c = rules.n_states[rules.right[rule]]
    values = rules.values[rules.start[rule] : rules.start[rule + 1]]
    first_v, first_w = rank * m_a, rank * (m_a + m_b)
    set_zero(summed, 0, rank)
    for edge in range(forest.group_edge[group], forest.group_edge[group + 1]):
        left, right = vectors.top_start[forest.edge_left[edge]], vectors.top_start[forest.edge_right[edge]]
        left_vector, right_vector = vectors.top[left : left + m_b], vectors.top[right : right + m_c]
        part = vectors.part_start[edge]
        for r in range(rank):
            x = dot(values[first_v + r * m_b : first_v + (r + 1) * m_b], left_vector)
            y = dot(values[first_w + r * m_c : first_w + (r + 1) * m_c], right_vector)
            vectors.left_part[part + r] = x
            vectors.right_part[part + r] = y
            summed[r] += vectors.edge_weight[edge] * x * y
    start = vectors.bottom_start[forest.group_bottom[group]]
    out = vectors.bottom[start : start + m_a]
    for r in range(rank):
        add_scaled(summed[r], values[r * m_a : (r + 1) * m_a], out)


@njit(**ENTRY, **REORDERED_SUMS)
def tensor_inside(forest: Forest, rules: TensorRules, words: Words, word_scale: np.ndarray) -> Vectors:
    """Compute the inside vectors α of all bottom and top items, bottom up.

    Parameters
    ----------
    forest : Forest
    rules : TensorRules
    words : Words
        With vectors of the same floating-point type as the rules.
    word_scale : ndarray of float64, shape (n,)
        Factor for the lexical vectors of each word: 2^(−exponent of its cell).
    """
    bottom_start = vector_starts(forest.bottom_symbol, rules.n_states)
    top_start = vector_starts(forest.top_symbol, rules.n_states)
    dtype = rules.values.dtype
    bottom, top = np.zeros(bottom_start[-1], dtype), np.zeros(top_start[-1], dtype)
    part_start = part_starts(forest, rules.rank)
    parts = part_start[-1]
    n = forest.level_cell.shape[0] - 1
    level_exponent, edge_weight = np.zeros(n + 1, np.int64), np.empty(forest.edge_weight.shape[0])
    copy_part(forest.edge_weight, 0, edge_weight.shape[0], edge_weight, 0)
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
    )
    m = largest(rules.n_states)
    products = np.empty(BATCH * m * m, rules.values.dtype)
    summed = np.empty(largest(rules.rank), rules.values.dtype)
    for width in range(1, forest.level_cell.shape[0]):
        if width == 1:
            lexical_inside(forest, words, word_scale, bottom_start, bottom)
        else:
            weigh_level(forest, width, level_exponent, edge_weight)
        group, last = forest.level_group[width - 1], forest.level_group[width]
        while group < last:
            stop = run_stop(forest, group, last)
            if rules.rank[forest.group_rule[group]] == 0:
                dense_inside(forest, rules, vectors, group, stop, products)
            else:
                for one in range(group, stop):
                    factored_inside(forest, rules, vectors, one, summed)
            group = stop
        for cell in range(forest.level_cell[width - 1], forest.level_cell[width]):
            for item in range(forest.cell_top[cell], forest.cell_top[cell + 1]):
                below = forest.top_bottom[item]
                if below >= 0:
                    copy_part(bottom, bottom_start[below], bottom_start[below + 1], top, top_start[item])
            for application in range(forest.cell_unary[cell], forest.cell_unary[cell + 1]):
                above, below = forest.unary_top[application], forest.unary_bottom[application]
                vector = bottom[bottom_start[below] : bottom_start[below + 1]]
                first = rules.unary_start[forest.unary_rule[application]]
                for h in range(top_start[above], top_start[above + 1]):
                    top[h] += dot(rules.unary_values[first : first + vector.shape[0]], vector)
                    first += vector.shape[0]
        rescale_level(forest, width, vectors)
    return vectors


@njit(**INNER)
def weigh_level(forest: Forest, width: int, level_exponent: np.ndarray, edge_weight: np.ndarray) -> None:
    """Set the exponent of a level from those of narrower levels, and include it in the weights of its edges.

    `level_exponent`, int64, (n + 1,), and `edge_weight`, float64, (n_edges,), are changed.  O(edges of the level).
    """
    largest_sum = level_exponent[1] + level_exponent[width - 1]
    for left in range(2, width // 2 + 1):
        largest_sum = max(largest_sum, level_exponent[left] + level_exponent[width - left])
    level_exponent[width] = largest_sum
    for group in range(forest.level_group[width - 1], forest.level_group[width]):
        for edge in range(forest.group_edge[group], forest.group_edge[group + 1]):
            left = forest.edge_left_width[edge]
            edge_weight[edge] *= 2.0 ** (level_exponent[left] + level_exponent[width - left] - largest_sum)


@njit(**INNER)
def rescale_level(forest: Forest, width: int, vectors: Vectors) -> None:
    """Divide the vectors of a level by the power of two that brings their largest entry near 1.

    Vectors of zeros, infinities or NaN are left unchanged.
    """
    first, last = forest.level_cell[width - 1], forest.level_cell[width]
    top_first, top_last = vectors.top_start[forest.cell_top[first]], vectors.top_start[forest.cell_top[last]]
    size = 0.0
    for k in range(top_first, top_last):
        size = max(size, abs(vectors.top[k]))
    if not 0.0 < size < np.inf:
        return
    shift = int(np.floor(np.log2(size)))
    vectors.level_exponent[width] += shift
    factor = vectors.top.dtype.type(2.0**-shift)
    for k in range(top_first, top_last):
        vectors.top[k] *= factor
    bottoms = vectors.bottom_start[forest.cell_bottom[first]], vectors.bottom_start[forest.cell_bottom[last]]
    for k in range(bottoms[0], bottoms[1]):
        vectors.bottom[k] *= factor
    if width == 1:
        return
    # The parts of this level's edges come from narrower levels and do not change.  Their sums are in `bottom`, which
    # was scaled, so the edge weights need the same factor in the outside pass.
    for group in range(forest.level_group[width - 1], forest.level_group[width]):
        for edge in range(forest.group_edge[group], forest.group_edge[group + 1]):
            vectors.edge_weight[edge] *= 2.0**-shift


@njit(**INNER)
def lexical_inside(
    forest: Forest, words: Words, word_scale: np.ndarray, bottom_start: np.ndarray, bottom: np.ndarray
) -> None:
    """α of the bottom items of single words; `bottom` has all vectors, `bottom_start` where each begins."""
    for cell in range(forest.level_cell[1]):
        i = forest.cell_start[cell]
        for item in range(forest.cell_bottom[cell], forest.cell_bottom[cell + 1]):
            for x in range(words.start[i], words.start[i + 1]):
                if words.symbol[x] == forest.bottom_symbol[item]:
                    vector = words.vector[words.vector_start[x] : words.vector_start[x + 1]]
                    for h in range(vector.shape[0]):
                        bottom[bottom_start[item] + h] += word_scale[i] * vector[h]


@njit(**INNER, **REORDERED_SUMS)
def dense_outside(
    forest: Forest,
    rules: TensorRules,
    vectors: Vectors,
    groups: tuple[int, int],
    out_bottom: np.ndarray,
    out_top: np.ndarray,
    edge_marginal: np.ndarray,
    products: np.ndarray,
) -> None:
    """Add to β of the children, and set the marginals, of the groups ``groups[0]:groups[1]`` of a dense rule.

    `out_bottom` and `out_top` are β of all items, shaped like ``vectors.bottom`` and ``vectors.top``; `edge_marginal`,
    (n_edges,), is written; `products`, (≥ `BATCH` · m_b m_c,), is a buffer: row by row Σ_a β_a T_a of a group.
    O(m_b m_c) an edge and O(m_a m_b m_c) a group.
    """
    rule = forest.group_rule[groups[0]]
    m_a, m_b = rules.n_states[rules.parent[rule]], rules.n_states[rules.left[rule]]
    m_c = rules.n_states[rules.right[rule]]
    size = m_b * m_c
    tensor = rules.values[rules.start[rule] : rules.start[rule + 1]]
    top = vectors.top
    for start in range(groups[0], groups[1], BATCH):
        stop = min(groups[1], start + BATCH)
        set_zero(products, 0, (stop - start) * size)
        for a in range(m_a):
            slab = tensor[a * size : (a + 1) * size]
            for group in range(start, stop):
                outside = out_bottom[vectors.bottom_start[forest.group_bottom[group]] + a]
                add_scaled(outside, slab, products[(group - start) * size : (group - start + 1) * size])
        for group in range(start, stop):
            first = (group - start) * size
            for edge in range(forest.group_edge[group], forest.group_edge[group + 1]):
                left, right = vectors.top_start[forest.edge_left[edge]], vectors.top_start[forest.edge_right[edge]]
                weight = vectors.edge_weight[edge]
                right_vector, right_out = top[right : right + m_c], out_top[right : right + m_c]
                marginal = 0.0
                for b in range(m_b):
                    row = products[first + b * m_c : first + (b + 1) * m_c]
                    factor = weight * top[left + b]
                    through = dot(row, right_vector)
                    add_scaled(factor, row, right_out)
                    out_top[left + b] += weight * through
                    marginal += factor * through
                edge_marginal[edge] = marginal


@njit(**INNER, **REORDERED_SUMS)
def factored_outside(
    forest: Forest,
    rules: TensorRules,
    vectors: Vectors,
    group: int,
    out_bottom: np.ndarray,
    out_top: np.ndarray,
    edge_marginal: np.ndarray,
    above: np.ndarray,
) -> None:
    """Add to β of the children, and set the marginals, of one group with a factored tensor.

    Parameters are as in `dense_outside`; `above`, (≥ R,), is a buffer for U β.  O(R (m_b + m_c)) an edge and O(R m_a) a
    group.
    """
    rule = forest.group_rule[group]
    rank = rules.rank[rule]
    m_a, m_b = rules.n_states[rules.parent[rule]], rules.n_states[rules.left[rule]]
    m_c = rules.n_states[rules.right[rule]]
    values = rules.values[rules.start[rule] : rules.start[rule + 1]]
    first_v, first_w = rank * m_a, rank * (m_a + m_b)
    start = vectors.bottom_start[forest.group_bottom[group]]
    outside = out_bottom[start : start + m_a]
    for r in range(rank):
        above[r] = dot(values[r * m_a : (r + 1) * m_a], outside)
    for edge in range(forest.group_edge[group], forest.group_edge[group + 1]):
        left, right = vectors.top_start[forest.edge_left[edge]], vectors.top_start[forest.edge_right[edge]]
        left_out, right_out = out_top[left : left + m_b], out_top[right : right + m_c]
        part = vectors.part_start[edge]
        marginal = 0.0
        for r in range(rank):
            factor = vectors.edge_weight[edge] * above[r]
            x, y = vectors.left_part[part + r], vectors.right_part[part + r]
            marginal += factor * x * y
            add_scaled(factor * y, values[first_v + r * m_b : first_v + (r + 1) * m_b], left_out)
            add_scaled(factor * x, values[first_w + r * m_c : first_w + (r + 1) * m_c], right_out)
        edge_marginal[edge] = marginal


@njit(**ENTRY, **REORDERED_SUMS)
def tensor_outside(n: int, forest: Forest, rules: TensorRules, vectors: Vectors) -> Marginals:
    """Compute the outside vectors β, top down, and the marginals of all rule applications.

    Parameters
    ----------
    n : int
        Number of words.
    forest, rules
        As for `tensor_inside`.
    vectors : Vectors
        From `tensor_inside`.
    """
    bottom_start, top_start, bottom = vectors.bottom_start, vectors.top_start, vectors.bottom
    out_bottom, out_top = np.zeros(bottom.shape[0], bottom.dtype), np.zeros(vectors.top.shape[0], bottom.dtype)
    edge_marginal = np.zeros(forest.edge_left.shape[0])
    unary_marginal = np.zeros(forest.unary_rule.shape[0])
    lexical_marginal = np.zeros(forest.bottom_symbol.shape[0])
    identity_marginal = np.zeros(forest.top_symbol.shape[0])
    m = largest(rules.n_states)
    products = np.empty(BATCH * m * m, rules.values.dtype)
    above = np.empty(largest(rules.rank), rules.values.dtype)
    total = 0.0
    for width in range(n, 0, -1):
        cells = range(forest.level_cell[width - 1], forest.level_cell[width])
        if width == n:
            for item in range(forest.cell_top[cells.start], forest.cell_top[cells.stop]):
                first = rules.root_start[forest.top_symbol[item]]
                root = rules.root_vector[first : first + top_start[item + 1] - top_start[item]]
                copy_part(root, 0, root.shape[0], out_top, top_start[item])
                total += dot(root, vectors.top[top_start[item] : top_start[item + 1]])
        for cell in cells:
            for item in range(forest.cell_top[cell], forest.cell_top[cell + 1]):
                below = forest.top_bottom[item]
                if below >= 0:
                    outside = out_top[top_start[item] : top_start[item + 1]]
                    copy_part(outside, 0, outside.shape[0], out_bottom, bottom_start[below])
                    identity_marginal[item] = dot(outside, bottom[bottom_start[below] : bottom_start[below + 1]])
            for application in range(forest.cell_unary[cell], forest.cell_unary[cell + 1]):
                item, below = forest.unary_top[application], forest.unary_bottom[application]
                vector = bottom[bottom_start[below] : bottom_start[below + 1]]
                out = out_bottom[bottom_start[below] : bottom_start[below + 1]]
                first = rules.unary_start[forest.unary_rule[application]]
                for h in range(top_start[item], top_start[item + 1]):
                    row = rules.unary_values[first : first + vector.shape[0]]
                    unary_marginal[application] += out_top[h] * dot(row, vector)
                    add_scaled(out_top[h], row, out)
                    first += vector.shape[0]
        if width == 1:
            for item in range(forest.cell_bottom[cells.stop]):
                for h in range(bottom_start[item], bottom_start[item + 1]):
                    lexical_marginal[item] += bottom[h] * out_bottom[h]
        group, last = forest.level_group[width - 1], forest.level_group[width]
        while group < last:
            stop = run_stop(forest, group, last)
            if rules.rank[forest.group_rule[group]] == 0:
                dense_outside(forest, rules, vectors, (group, stop), out_bottom, out_top, edge_marginal, products)
            else:
                for one in range(group, stop):
                    factored_outside(forest, rules, vectors, one, out_bottom, out_top, edge_marginal, above)
            group = stop
    return Marginals(
        vectors.level_exponent[n], total, edge_marginal, unary_marginal, lexical_marginal, identity_marginal
    )
