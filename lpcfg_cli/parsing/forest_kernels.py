"""Compiled construction of the forest: the items and rule applications that survive pruning.

Loop indexes: width: number of words of a span; i, j: its start and end; k: split points; cell: spans with items, `here`
the same counted within one width; a: symbols, or parents; b, c: left and right children; pair: pairs (b, c); r: binary
rules; u: unary rules; item: bottom items.  n is the number of words.  Named tuples of arrays are described in
`lpcfg_cli.parsing.layout`.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, INNER, njit
from lpcfg_cli.parsing.coarse_kernels import split_weights
from lpcfg_cli.parsing.layout import CoarseInside, CoarseRules, Forest, Items, PrunedChart


@njit(**INNER)
def grown(array: np.ndarray, size: int) -> np.ndarray:
    """The array itself if it has `size` entries, else a copy of at least twice its length; amortized O(1) an entry."""
    if size <= array.shape[0]:
        return array
    larger = np.empty(max(size, 2 * array.shape[0]), array.dtype)
    for k in range(array.shape[0]):
        larger[k] = array[k]
    return larger


@njit(**INNER)
def room_for_items(n: int, kept: PrunedChart) -> Items:
    """Arrays of the right sizes for the surviving items; O(n² · n_symbols)."""
    n_symbols = kept.top.shape[2]
    n_cells, n_tops, n_bottoms = 0, 0, 0
    for i in range(n):
        for j in range(i + 1, n + 1):
            if kept.cell[i, j]:
                n_cells += 1
                for a in range(n_symbols):
                    n_tops += kept.top[i, j, a]
                    n_bottoms += kept.bottom[i, j, a]
    return Items(
        np.zeros(n + 1, np.int64),
        np.empty(n_cells, np.int32),
        np.empty(n_cells, np.int32),
        np.zeros(n_cells + 1, np.int64),
        np.zeros(n_cells + 1, np.int64),
        np.empty(n_bottoms, np.int32),
        np.empty(n_tops, np.int32),
        np.empty(n_tops, np.int32),
        np.full((n, n_symbols, n + 1), -1, np.int32),
    )


@njit(**INNER)
def list_items(n: int, rules: CoarseRules, kept: PrunedChart) -> Items:
    """Number the surviving items, narrow spans first; O(n² · n_symbols)."""
    n_symbols = kept.top.shape[2]
    is_free = rules.permitted_bottom.shape[0] == 0
    items = room_for_items(n, kept)
    bottom_number = np.empty(n_symbols, np.int32)
    cell, n_top, n_bottom = 0, 0, 0
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            j = i + width
            if not kept.cell[i, j]:
                continue
            for a in range(n_symbols):
                bottom_number[a] = -1
                if kept.bottom[i, j, a]:
                    bottom_number[a] = n_bottom
                    items.bottom_symbol[n_bottom] = a
                    n_bottom += 1
                if kept.top[i, j, a]:
                    items.top_number[i, a, j] = n_top
                    items.top_symbol[n_top] = a
                    is_identity = is_free or rules.permitted_identity[i, j, a]
                    items.top_bottom[n_top] = bottom_number[a] if is_identity else -1
                    n_top += 1
            items.cell_start[cell], items.cell_stop[cell] = i, j
            cell += 1
            items.cell_bottom[cell], items.cell_top[cell] = n_bottom, n_top
        items.level_cell[width] = cell
    return items


@njit(**INNER)
def number_bottoms(items: Items, first_cell: int, last_cell: int, number: np.ndarray, count: np.ndarray) -> None:
    """Fill ``number[a, cell − first_cell]`` with the bottom item a of each cell, -1 for none, and ``count[a]``.

    `number`, int32, (n_symbols, ≥ number of cells); `count`, int32, (n_symbols,): bottom items of each symbol in the
    cells ``first_cell:last_cell``.  O(n_symbols · number of cells).
    """
    for a in range(number.shape[0]):
        count[a] = 0
        for here in range(last_cell - first_cell):
            number[a, here] = -1
    for cell in range(first_cell, last_cell):
        for item in range(items.cell_bottom[cell], items.cell_bottom[cell + 1]):
            number[items.bottom_symbol[item], cell - first_cell] = item
            count[items.bottom_symbol[item]] += 1


@njit(**INNER)
def list_unaries(n: int, rules: CoarseRules, items: Items) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Unary applications of each cell: `cell_unary`, `unary_top`, `unary_bottom` and `unary_rule` of a `Forest`.

    O(cells · (n_symbols + unary rules)).
    """
    n_cells = items.cell_start.shape[0]
    cell_unary = np.zeros(n_cells + 1, np.int64)
    unary_top, unary_bottom = np.empty(256, np.int32), np.empty(256, np.int32)
    unary_rule = np.empty(256, np.int32)
    number = np.empty((rules.root_probability.shape[0], 1), np.int32)
    count = np.empty(number.shape[0], np.int32)
    is_free, found = rules.permitted_bottom.shape[0] == 0, 0
    for cell in range(n_cells):
        number_bottoms(items, cell, cell + 1, number, count)
        i, j = items.cell_start[cell], items.cell_stop[cell]
        for u in range(rules.unary_parent.shape[0]):
            above, below = items.top_number[i, rules.unary_parent[u], j], number[rules.unary_child[u], 0]
            if above >= 0 and below >= 0 and (is_free or rules.permitted_unary[i, j, u]):
                unary_top = grown(unary_top, found + 1)
                unary_bottom = grown(unary_bottom, found + 1)
                unary_rule = grown(unary_rule, found + 1)
                unary_top[found], unary_bottom[found], unary_rule[found] = above, below, u
                found += 1
        cell_unary[cell + 1] = found
    return cell_unary, unary_top[:found], unary_bottom[:found], unary_rule[:found]


@njit(**INNER)
def probable_splits(
    left_kept: np.ndarray,
    right_kept: np.ndarray,
    products: tuple[np.ndarray, np.ndarray, np.ndarray],
    between: tuple[int, int],
    least: float,
    splits: np.ndarray,
) -> int:
    """Find the split points at which both children survive and the product of three factors is at least `least`.

    Takes rows of arrays, not the charts: passing a named tuple of arrays costs more than the work.  O(n).

    Parameters
    ----------
    left_kept, right_kept : ndarray of bool, shapes (n + 1,) and (n,)
        Whether the left child that ends at k, and the right child that starts there, survive.
    products : tuple of ndarray of float64, shapes (n + 1,), (n,) and (n + 1,)
        Inside of the left and of the right child, and weight of the split, for each split point.
    between : tuple of int
        First and last split point to consider.
    least : float
    splits : ndarray of int32, shape (n + 1,)
        Filled with the split points found.

    Returns
    -------
    int
        Number of split points found.
    """
    found = 0
    for k in range(between[0], between[1] + 1):
        if left_kept[k] and right_kept[k] and products[0][k] * products[1][k] * products[2][k] >= least:
            splits[found] = k
            found += 1
    return found


@njit(**ENTRY)
def build_forest(n: int, rules: CoarseRules, inside: CoarseInside, kept: PrunedChart, threshold: float) -> Forest:
    """List the surviving items and the rule applications among them; at most O(n³ · binary rules).

    Parameters
    ----------
    n, rules
        As for `coarse_inside`.
    inside : CoarseInside
        From `coarse_inside`.
    kept : PrunedChart
        From `coarse_outside`.
    threshold : float
        Smallest posterior of a binary rule application in the forest.
    """
    n_symbols = rules.root_probability.shape[0]
    items = list_items(n, rules, kept)
    cell_unary, unary_top, unary_bottom, unary_rule = list_unaries(n, rules, items)
    level_group = np.zeros(n + 1, np.int64)
    group_bottom, group_rule = np.empty(1024, np.int32), np.empty(1024, np.int32)
    group_edge = np.zeros(1024, np.int64)
    edge_left, edge_right = np.empty(4096, np.int32), np.empty(4096, np.int32)
    edge_left_width, edge_weight = np.empty(4096, np.int32), np.empty(4096)
    number, count = np.empty((n_symbols, n), np.int32), np.empty(n_symbols, np.int32)
    splits, weight = np.empty(n + 1, np.int32), np.empty((n, n + 1))
    least = threshold * kept.total
    n_group, n_edge = 0, 0
    for width in range(1, n + 1):
        first_cell, last_cell = items.level_cell[width - 1], items.level_cell[width]
        number_bottoms(items, first_cell, last_cell, number, count)
        for here in range(last_cell - first_cell):
            i, j = items.cell_start[first_cell + here], items.cell_stop[first_cell + here]
            split_weights(inside.exponent, kept.cell, i, j, inside.exponent[i, j], weight[here])
        # rules in the outer loops, so that the groups of a level are sorted by rule
        for b in range(n_symbols if width > 1 else 0):
            for pair in range(rules.pair_left_start[b], rules.pair_left_start[b + 1]):
                c = rules.pair_right[pair]
                for r in range(rules.pair_rule_start[pair], rules.pair_rule_start[pair + 1]):
                    a = rules.rule_parent[r]
                    for here in range(last_cell - first_cell if count[a] > 0 else 0):
                        if number[a, here] < 0:
                            continue
                        i, j = items.cell_start[first_cell + here], items.cell_stop[first_cell + here]
                        low = max(kept.first_by_start[i, b], kept.first_by_stop[j, c])
                        high = min(kept.last_by_start[i, b], kept.last_by_stop[j, c], j - 1)
                        if low > high:
                            continue
                        above = kept.outside[i, j, a] * rules.rule_probability[r]
                        products = (inside.by_start[i, b], inside.by_stop[j, c], weight[here])
                        found = probable_splits(
                            kept.top_by_start[i, b],
                            kept.top_by_stop[j, c],
                            products,
                            (low, high),
                            least / above if least > 0.0 else 0.0,
                            splits,
                        )
                        if found == 0:
                            continue
                        edge_left = grown(edge_left, n_edge + found)
                        edge_right = grown(edge_right, n_edge + found)
                        edge_left_width = grown(edge_left_width, n_edge + found)
                        edge_weight = grown(edge_weight, n_edge + found)
                        for k in splits[:found]:
                            edge_left[n_edge] = items.top_number[i, b, k]
                            edge_right[n_edge] = items.top_number[k, c, j]
                            edge_left_width[n_edge] = k - i
                            edge_weight[n_edge] = weight[here, k]
                            n_edge += 1
                        group_bottom = grown(group_bottom, n_group + 1)
                        group_rule = grown(group_rule, n_group + 1)
                        group_edge = grown(group_edge, n_group + 2)
                        group_bottom[n_group], group_rule[n_group] = number[a, here], r
                        n_group += 1
                        group_edge[n_group] = n_edge
        level_group[width] = n_group
    return Forest(
        items.level_cell,
        level_group,
        items.cell_start,
        items.cell_stop,
        items.cell_bottom,
        items.cell_top,
        cell_unary,
        items.bottom_symbol,
        items.top_symbol,
        items.top_bottom,
        group_bottom[:n_group],
        group_rule[:n_group],
        group_edge[: n_group + 1],
        edge_left[:n_edge],
        edge_right[:n_edge],
        edge_left_width[:n_edge],
        edge_weight[:n_edge],
        unary_top,
        unary_bottom,
        unary_rule,
    )
