"""Compiled coarse pass: inside-outside of a plain PCFG, pruning, and the forest that is left.

Every cell has an exponent of its own, so that neither short nor long sentences under- or overflow.
"""

import numpy as np
from numba import njit

from lpcfg_cli.parsing.layout import CoarseInside, CoarseRules, Forest, Kept, Words

FASTMATH = {"reassoc", "contract", "nsz"}
"""Allows sums to be reordered for vector units, but keeps NaN and infinity what they are."""


@njit(cache=True)
def split_weights(exponent: np.ndarray, has_items: np.ndarray, i: int, j: int, total: int, weight: np.ndarray) -> None:
    """Fill ``weight[k]`` with 2^(e_ik + e_kj − total), 0 where a part has no items."""
    for k in range(i + 1, j):
        if has_items[i, k] and has_items[k, j]:
            weight[k] = 2.0 ** (exponent[i, k] + exponent[k, j] - total)
        else:
            weight[k] = 0.0


@njit(cache=True)
def empty_ranges(n: int, n_symbols: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """First and last stop by start and symbol, and first and last start by stop and symbol: none yet."""
    return (
        np.full((n, n_symbols), n + 1, np.int32),
        np.full((n, n_symbols), -1, np.int32),
        np.full((n + 1, n_symbols), n + 1, np.int32),
        np.full((n + 1, n_symbols), -1, np.int32),
    )


@njit(cache=True)
def extend_ranges(
    i: int,
    j: int,
    symbol: int,
    first_by_start: np.ndarray,
    last_by_start: np.ndarray,
    first_by_stop: np.ndarray,
    last_by_stop: np.ndarray,
) -> None:
    """Take the item (i, j, symbol) into the ranges of `empty_ranges`."""
    first_by_start[i, symbol] = min(first_by_start[i, symbol], j)
    last_by_start[i, symbol] = max(last_by_start[i, symbol], j)
    first_by_stop[j, symbol] = min(first_by_stop[j, symbol], i)
    last_by_stop[j, symbol] = max(last_by_stop[j, symbol], i)


@njit(cache=True, fastmath=FASTMATH)
def coarse_inside(n: int, rules: CoarseRules, words: Words) -> tuple[CoarseInside, np.ndarray]:
    """Inside probabilities; O(n³ · active pairs), the sum over splits innermost.

    Parameters
    ----------
    n : int
        Number of words.
    rules : CoarseRules
    words : Words

    Returns
    -------
    CoarseInside
    has_items : ndarray of bool, shape (n, n + 1)
    """
    n_symbols = rules.root_probability.shape[0]
    by_start = np.zeros((n, n_symbols, n + 1))
    by_stop = np.zeros((n + 1, n_symbols, n))
    bottoms = np.zeros((n, n + 1, n_symbols))
    exponent = np.zeros((n, n + 1), np.int64)
    has_items = np.zeros((n, n + 1), np.bool_)
    first_by_start, last_by_start, first_by_stop, last_by_stop = empty_ranges(n, n_symbols)
    weight = np.zeros(n + 1)
    weighted = np.zeros(n + 1)
    top = np.zeros(n_symbols)
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            j = i + width
            bottom = bottoms[i, j]
            scale = 0
            if width == 1:
                for x in range(words.start[i], words.start[i + 1]):
                    bottom[words.symbol[x]] += words.probability[x]
            else:
                found = False
                for k in range(i + 1, j):
                    if has_items[i, k] and has_items[k, j]:
                        e = exponent[i, k] + exponent[k, j]
                        if not found or e > scale:
                            scale = e
                        found = True
                if not found:
                    continue
                split_weights(exponent, has_items, i, j, scale, weight)
                for b in range(n_symbols):
                    first, last = first_by_start[i, b], min(last_by_start[i, b], j - 1)
                    if first > last:
                        continue
                    for k in range(first, last + 1):
                        weighted[k] = by_start[i, b, k] * weight[k]
                    for pair in range(rules.pair_left_start[b], rules.pair_left_start[b + 1]):
                        c = rules.pair_right[pair]
                        low, high = max(first, first_by_stop[j, c]), min(last, last_by_stop[j, c])
                        if low > high:
                            continue
                        row = by_stop[j, c]
                        total = 0.0
                        for k in range(low, high + 1):
                            total += weighted[k] * row[k]
                        if total > 0.0:
                            for r in range(rules.pair_rule_start[pair], rules.pair_rule_start[pair + 1]):
                                bottom[rules.rule_parent[r]] += rules.rule_probability[r] * total
            largest = 0.0
            for a in range(n_symbols):
                top[a] = bottom[a]
            for u in range(rules.unary_parent.shape[0]):
                value = bottom[rules.unary_child[u]]
                if value > 0.0:
                    top[rules.unary_parent[u]] += rules.unary_probability[u] * value
            for a in range(n_symbols):
                largest = max(largest, top[a])
            if largest == 0.0:
                continue
            has_items[i, j] = True
            shift = int(np.floor(np.log2(largest)))
            exponent[i, j] = scale + shift
            factor = 2.0**-shift
            for a in range(n_symbols):
                bottom[a] *= factor
                if top[a] > 0.0:
                    by_start[i, a, j] = top[a] * factor
                    by_stop[j, a, i] = top[a] * factor
                    extend_ranges(i, j, a, first_by_start, last_by_start, first_by_stop, last_by_stop)
    inside = CoarseInside(
        by_start, by_stop, bottoms, exponent, first_by_start, last_by_start, first_by_stop, last_by_stop
    )
    return inside, has_items


@njit(cache=True, fastmath=FASTMATH)
def coarse_outside(n: int, rules: CoarseRules, inside: CoarseInside, has_items: np.ndarray, threshold: float) -> Kept:
    """Outside probabilities, top down, leaving out whatever has a posterior below the threshold.

    Outside values are kept times 2^(exponent of the sentence − exponent of the cell), so that inside times
    outside is a posterior times the stored total in every cell.

    Parameters
    ----------
    n, rules, inside, has_items
        As for and from `coarse_inside`.
    threshold : float
        Posterior below which an item is dropped; with 0 all items that some tree uses stay.

    """
    n_symbols = rules.root_probability.shape[0]
    by_start, by_stop, bottoms = inside.by_start, inside.by_stop, inside.bottom
    out_by_start = np.zeros((n, n_symbols, n + 1))
    out_by_stop = np.zeros((n + 1, n_symbols, n))
    top_by_start = np.zeros((n, n_symbols, n + 1), np.bool_)
    top_by_stop = np.zeros((n + 1, n_symbols, n), np.bool_)
    keep_top = np.zeros((n, n + 1, n_symbols), np.bool_)
    keep_bottom = np.zeros((n, n + 1, n_symbols), np.bool_)
    keep_cell = np.zeros((n, n + 1), np.bool_)
    weight = np.zeros(n + 1)
    top_outside = np.zeros(n_symbols)
    outsides = np.zeros((n, n + 1, n_symbols))
    first_by_start, last_by_start, first_by_stop, last_by_stop = empty_ranges(n, n_symbols)
    total = 0.0
    for a in range(n_symbols):
        total += rules.root_probability[a] * by_start[0, a, n]
    kept = Kept(
        total,
        outsides,
        top_by_start,
        top_by_stop,
        keep_top,
        keep_bottom,
        keep_cell,
        first_by_start,
        last_by_start,
        first_by_stop,
        last_by_stop,
    )
    if not total > 0.0:
        return kept
    least = threshold * total
    for width in range(n, 0, -1):
        for i in range(n - width + 1):
            j = i + width
            if not has_items[i, j]:
                continue
            is_empty = True
            outside = outsides[i, j]
            for a in range(n_symbols):
                value = out_by_start[i, a, j] + out_by_stop[j, a, i]
                if width == n:
                    value += rules.root_probability[a]
                posterior = value * by_start[i, a, j]
                if posterior > 0.0 and posterior >= least:
                    top_by_start[i, a, j] = True
                    top_by_stop[j, a, i] = True
                    keep_top[i, j, a] = True
                    extend_ranges(i, j, a, first_by_start, last_by_start, first_by_stop, last_by_stop)
                    is_empty = False
                    top_outside[a] = value
                else:
                    top_outside[a] = 0.0
                outside[a] = top_outside[a]
            if is_empty:
                continue
            keep_cell[i, j] = True
            for u in range(rules.unary_parent.shape[0]):
                value = top_outside[rules.unary_parent[u]]
                if value > 0.0:
                    outside[rules.unary_child[u]] += rules.unary_probability[u] * value
            is_empty = True
            for a in range(n_symbols):
                posterior = outside[a] * bottoms[i, j, a]
                if posterior > 0.0 and posterior >= least:
                    keep_bottom[i, j, a] = True
                    is_empty = False
                else:
                    outside[a] = 0.0
            if width == 1 or is_empty:
                continue
            split_weights(inside.exponent, has_items, i, j, inside.exponent[i, j], weight)
            for b in range(n_symbols):
                first, last = inside.first_by_start[i, b], min(inside.last_by_start[i, b], j - 1)
                if first > last:
                    continue
                for pair in range(rules.pair_left_start[b], rules.pair_left_start[b + 1]):
                    c = rules.pair_right[pair]
                    low, high = max(first, inside.first_by_stop[j, c]), min(last, inside.last_by_stop[j, c])
                    if low > high:
                        continue
                    above = 0.0
                    for r in range(rules.pair_rule_start[pair], rules.pair_rule_start[pair + 1]):
                        above += rules.rule_probability[r] * outside[rules.rule_parent[r]]
                    if above == 0.0:
                        continue
                    left_row, right_row = by_start[i, b], by_stop[j, c]
                    left_out, right_out = out_by_start[i, b], out_by_stop[j, c]
                    for k in range(low, high + 1):
                        w = above * weight[k]
                        left_out[k] += w * right_row[k]
                        right_out[k] += w * left_row[k]
    return kept


@njit(cache=True)
def grown(array: np.ndarray, size: int) -> np.ndarray:
    """The array, copied into one of twice the room when it has less than `size`."""
    if size <= array.shape[0]:
        return array
    larger = np.empty(max(size, 2 * array.shape[0]), array.dtype)
    for k in range(array.shape[0]):
        larger[k] = array[k]
    return larger


@njit(cache=True)
def build_forest(n: int, rules: CoarseRules, inside: CoarseInside, kept: Kept, threshold: float) -> Forest:
    """List the surviving items and the rule applications among them.

    Parameters
    ----------
    n, rules, inside, kept
        From `coarse_inside` and `coarse_outside`.
    threshold : float
        Binary rule applications with a smaller posterior are left out.
    """
    least = threshold * kept.total
    n_symbols = rules.root_probability.shape[0]
    n_cells, n_tops, n_bottoms = 0, 0, 0
    can_be_left, can_be_right = np.zeros(n_symbols, np.bool_), np.zeros(n_symbols, np.bool_)
    for i in range(n):
        for j in range(i + 1, n + 1):
            if kept.cell[i, j]:
                n_cells += 1
                for a in range(n_symbols):
                    n_bottoms += kept.bottom[i, j, a]
                    if kept.top[i, j, a]:
                        n_tops += 1
                        can_be_left[a] |= j < n
                        can_be_right[a] |= i > 0
    top_number = np.full((n, n_symbols, n + 1), -1, np.int32)
    bottom_number = np.empty((n_symbols, n), np.int32)
    bottoms_in_level = np.zeros(n_symbols, np.int32)
    weight = np.empty((n, n + 1))
    level_cell, level_group = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    cell_start, cell_stop = np.empty(n_cells, np.int32), np.empty(n_cells, np.int32)
    cell_bottom, cell_top = np.zeros(n_cells + 1, np.int64), np.zeros(n_cells + 1, np.int64)
    cell_unary = np.zeros(n_cells + 1, np.int64)
    bottom_symbol, top_symbol = np.empty(n_bottoms, np.int32), np.empty(n_tops, np.int32)
    top_bottom = np.empty(n_tops, np.int32)
    group_bottom, group_rule = np.empty(1024, np.int32), np.empty(1024, np.int32)
    group_edge = np.zeros(1024, np.int64)
    edge_left, edge_right = np.empty(4096, np.int32), np.empty(4096, np.int32)
    edge_weight = np.empty(4096)
    unary_top, unary_bottom = np.empty(256, np.int32), np.empty(256, np.int32)
    unary_rule = np.empty(256, np.int32)
    cell, n_top, n_bottom, n_group, n_edge, n_unary = 0, 0, 0, 0, 0, 0
    for width in range(1, n + 1):
        first_cell = cell
        for a in range(n_symbols):
            bottoms_in_level[a] = 0
        for i in range(n - width + 1):
            j = i + width
            if not kept.cell[i, j]:
                continue
            here = cell - first_cell
            split_weights(inside.exponent, kept.cell, i, j, inside.exponent[i, j], weight[here])
            for a in range(n_symbols):
                bottom_number[a, here] = -1
                if kept.bottom[i, j, a]:
                    bottom_number[a, here] = n_bottom
                    bottom_symbol[n_bottom] = a
                    bottoms_in_level[a] += 1
                    n_bottom += 1
                if kept.top[i, j, a]:
                    top_number[i, a, j] = n_top
                    top_symbol[n_top] = a
                    top_bottom[n_top] = bottom_number[a, here]
                    n_top += 1
            for u in range(rules.unary_parent.shape[0]):
                above, below = top_number[i, rules.unary_parent[u], j], bottom_number[rules.unary_child[u], here]
                if above >= 0 and below >= 0:
                    unary_top = grown(unary_top, n_unary + 1)
                    unary_bottom = grown(unary_bottom, n_unary + 1)
                    unary_rule = grown(unary_rule, n_unary + 1)
                    unary_top[n_unary], unary_bottom[n_unary], unary_rule[n_unary] = above, below, u
                    n_unary += 1
            cell_start[cell], cell_stop[cell] = i, j
            cell += 1
            cell_bottom[cell], cell_top[cell], cell_unary[cell] = n_bottom, n_top, n_unary
        level_cell[width] = cell
        # rules outermost, so that the groups of a level come out sorted by rule
        for b in range(n_symbols if width > 1 else 0):
            if not can_be_left[b]:
                continue
            for pair in range(rules.pair_left_start[b], rules.pair_left_start[b + 1]):
                c = rules.pair_right[pair]
                if not can_be_right[c]:
                    continue
                for r in range(rules.pair_rule_start[pair], rules.pair_rule_start[pair + 1]):
                    a = rules.rule_parent[r]
                    if bottoms_in_level[a] == 0:
                        continue
                    for here in range(cell - first_cell):
                        if bottom_number[a, here] < 0:
                            continue
                        i, j = cell_start[first_cell + here], cell_stop[first_cell + here]
                        low = max(kept.first_by_start[i, b], kept.first_by_stop[j, c])
                        high = min(kept.last_by_start[i, b], kept.last_by_stop[j, c], j - 1)
                        if low > high:
                            continue
                        before = n_edge
                        above = rules.rule_probability[r] * kept.outside[i, j, a]
                        if n_edge + high - low >= edge_left.shape[0]:
                            edge_left = grown(edge_left, n_edge + high - low + 1)
                            edge_right = grown(edge_right, n_edge + high - low + 1)
                            edge_weight = grown(edge_weight, n_edge + high - low + 1)
                        for k in range(low, high + 1):
                            if not (kept.top_by_start[i, b, k] and kept.top_by_stop[j, c, k]):
                                continue
                            below = inside.by_start[i, b, k] * inside.by_stop[j, c, k]
                            if above * below * weight[here, k] >= least:
                                edge_left[n_edge] = top_number[i, b, k]
                                edge_right[n_edge] = top_number[k, c, j]
                                edge_weight[n_edge] = weight[here, k]
                                n_edge += 1
                        if n_edge == before:
                            continue
                        if n_group + 1 >= group_rule.shape[0]:
                            group_bottom = grown(group_bottom, n_group + 2)
                            group_rule = grown(group_rule, n_group + 2)
                            group_edge = grown(group_edge, n_group + 2)
                        group_bottom[n_group], group_rule[n_group] = bottom_number[a, here], r
                        n_group += 1
                        group_edge[n_group] = n_edge
        level_group[width] = n_group
    return Forest(
        level_cell,
        level_group,
        cell_start,
        cell_stop,
        cell_bottom,
        cell_top,
        cell_unary,
        bottom_symbol,
        top_symbol,
        top_bottom,
        group_bottom[:n_group].copy(),
        group_rule[:n_group].copy(),
        group_edge[: n_group + 1].copy(),
        edge_left[:n_edge].copy(),
        edge_right[:n_edge].copy(),
        edge_weight[:n_edge].copy(),
        unary_top[:n_unary].copy(),
        unary_bottom[:n_unary].copy(),
        unary_rule[:n_unary].copy(),
    )
