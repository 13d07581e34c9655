"""Compiled construction of the forest: the items and rule applications that survive pruning.

Loop indexes: width: number of words of a span; i, j: its start and end; k: split points; cell: spans with items; a:
symbols, or parents; b, c: left and right children; left, right: top items that are children; pair: pairs (b, c); r:
binary rules; u: unary rules; item: bottom items; new: edges of one width in the order in which they are found.  n is
the number of words.  Named tuples of arrays are described in `lpcfg_cli.parsing.layout`.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import BORROWING, ENTRY, INNER, njit
from lpcfg_cli.parsing.coarse_kernels import split_weights
from lpcfg_cli.parsing.layout import CoarseInside, CoarseRules, Edges, Forest, Items, PrunedChart


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
        np.empty(n_tops, np.float64),
        np.full((n, n + 1), -1, np.int32),
    )


@njit(**INNER)
def list_items(n: int, rules: CoarseRules, inside: CoarseInside, kept: PrunedChart) -> Items:
    """Number the surviving items, narrow spans first; O(n² · n_symbols)."""
    n_symbols = kept.top.shape[2]
    is_free = rules.permitted_bottom.shape[0] == 0
    items = room_for_items(n, kept)
    cell, n_top, n_bottom = 0, 0, 0
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            j = i + width
            if not kept.cell[i, j]:
                continue
            for a in range(n_symbols):
                below = -1
                if kept.bottom[i, j, a]:
                    below = n_bottom
                    items.bottom_symbol[n_bottom] = a
                    n_bottom += 1
                if kept.top[i, j, a]:
                    items.top_symbol[n_top] = a
                    items.top_inside[n_top] = inside.by_start[i, a, j]
                    is_identity = is_free or rules.permitted_identity[i, j, a]
                    items.top_bottom[n_top] = below if is_identity else -1
                    n_top += 1
            items.cell_start[cell], items.cell_stop[cell] = i, j
            items.cell_number[i, j] = cell
            cell += 1
            items.cell_bottom[cell], items.cell_top[cell] = n_bottom, n_top
        items.level_cell[width] = cell
    return items


@njit(**BORROWING)
def number_symbols(symbol: np.ndarray, first: int, last: int, number: np.ndarray) -> None:
    """Fill ``number[a]`` with the item of symbol a among the items ``first:last`` of a cell, -1 for none.

    `symbol`, int32, (n_items,), has the symbol of each item; `number` is int32, (n_symbols,).  O(n_symbols).
    """
    for a in range(number.shape[0]):
        number[a] = -1
    for item in range(first, last):
        number[symbol[item]] = item


@njit(**BORROWING)
def order_by_key(key: np.ndarray, size: int, start: np.ndarray, order: np.ndarray) -> None:
    """Sort the positions ``0:size`` by key, stably: those of key k are ``order[start[k]:start[k + 1]]``.

    `key`, int32, (≥ size,), has keys from 0 to n_keys − 1.  Fills `start`, int64, (n_keys + 1,), and `order`, int64,
    (≥ size,).  O(n_keys + size).
    """
    for k in range(start.shape[0]):
        start[k] = 0
    for position in range(size):
        start[key[position]] += 1
    total = 0
    for k in range(start.shape[0]):
        total += start[k]
        start[k] = total
    for position in range(size - 1, -1, -1):
        start[key[position]] -= 1
        order[start[key[position]]] = position


@njit(**INNER)
def rules_by_child(rules: CoarseRules) -> tuple[np.ndarray, np.ndarray]:
    """The unary rules sorted by child, then number; those of child b are ``rule[start[b]:start[b + 1]]``.

    Returns `start`, int64, (n_symbols + 1,), and `rule`, int64, (n_unary,).
    """
    n_unary = rules.unary_child.shape[0]
    start, rule = np.empty(rules.root_probability.shape[0] + 1, np.int64), np.empty(n_unary, np.int64)
    order_by_key(rules.unary_child, n_unary, start, rule)
    return start, rule


@njit(**INNER)
def list_unaries(rules: CoarseRules, items: Items) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Unary applications of each cell, by rule: `cell_unary`, `unary_top`, `unary_bottom`, `unary_rule` of a `Forest`.

    O(cells · n_symbols + unary rules of the bottom items).
    """
    n_cells, n_symbols = items.cell_start.shape[0], rules.root_probability.shape[0]
    cell_unary = np.zeros(n_cells + 1, np.int64)
    unary_top, unary_bottom = np.empty(256, np.int32), np.empty(256, np.int32)
    unary_rule = np.empty(256, np.int32)
    child_start, child_rule = rules_by_child(rules)
    top_number = np.empty(n_symbols, np.int32)
    is_free, found = rules.permitted_bottom.shape[0] == 0, 0
    for cell in range(n_cells):
        number_symbols(items.top_symbol, items.cell_top[cell], items.cell_top[cell + 1], top_number)
        i, j = items.cell_start[cell], items.cell_stop[cell]
        for below in range(items.cell_bottom[cell], items.cell_bottom[cell + 1]):
            b = items.bottom_symbol[below]
            for u in child_rule[child_start[b] : child_start[b + 1]]:
                above = top_number[rules.unary_parent[u]]
                if above < 0 or not (is_free or rules.permitted_unary[i, j, u]):
                    continue
                unary_top = grown(unary_top, found + 1)
                unary_bottom = grown(unary_bottom, found + 1)
                unary_rule = grown(unary_rule, found + 1)
                place = found
                while place > cell_unary[cell] and unary_rule[place - 1] > u:
                    unary_top[place], unary_bottom[place] = unary_top[place - 1], unary_bottom[place - 1]
                    unary_rule[place] = unary_rule[place - 1]
                    place -= 1
                unary_top[place], unary_bottom[place], unary_rule[place] = above, below, u
                found += 1
        cell_unary[cell + 1] = found
    return cell_unary, unary_top[:found], unary_bottom[:found], unary_rule[:found]


@njit(**INNER)
def room_for_edges(size: int) -> Edges:
    """Arrays for up to `size` edges."""
    return Edges(
        np.empty(size, np.int32),
        np.empty(size, np.int32),
        np.empty(size, np.int32),
        np.empty(size, np.int32),
        np.empty(size, np.int32),
        np.empty(size, np.float64),
    )


@njit(**INNER)
def longer(edges: Edges, size: int) -> Edges:
    """The edges themselves if there is room for `size` of them, else a copy with at least twice the room."""
    if size <= edges.rule.shape[0]:
        return edges
    return Edges(
        grown(edges.rule, size),
        grown(edges.bottom, size),
        grown(edges.left, size),
        grown(edges.right, size),
        grown(edges.left_width, size),
        grown(edges.weight, size),
    )


@njit(**BORROWING)
def list_cell_edges(
    cell: int,
    rules: CoarseRules,
    items: Items,
    above: np.ndarray,
    weight: np.ndarray,
    least: float,
    number: np.ndarray,
    edges: Edges,
    found: int,
) -> int:
    """List the probable rule applications of one span after those of its level so far, in the order of split points.

    O(pairs of surviving children + their rules).

    Parameters
    ----------
    cell : int
    rules : CoarseRules
    items : Items
    above : ndarray of float64, shape (n_symbols,)
        Outside of the bottom items of the span.
    weight : ndarray of float64, shape (n + 1,)
        Factor of each split point, from `split_weights`.
    least : float
        Smallest product of outside, rule, inside of both children and weight.
    number : ndarray of int32, shape (n_symbols,)
        The bottom items of the span, from `number_symbols`.
    edges : Edges
    found : int
        Number of edges so far.

    Returns
    -------
    int
        Number of edges, including those for which there was no room, and which are not stored.
    """
    i, j = items.cell_start[cell], items.cell_stop[cell]
    room = edges.rule.shape[0]
    for k in range(i + 1, j):
        left_cell, right_cell = items.cell_number[i, k], items.cell_number[k, j]
        if left_cell < 0 or right_cell < 0:
            continue
        for left in range(items.cell_top[left_cell], items.cell_top[left_cell + 1]):
            b = items.top_symbol[left]
            for right in range(items.cell_top[right_cell], items.cell_top[right_cell + 1]):
                pair = rules.pair_number[b, items.top_symbol[right]]
                if pair < 0:
                    continue
                product = items.top_inside[left] * items.top_inside[right] * weight[k]
                for r in range(rules.pair_rule_start[pair], rules.pair_rule_start[pair + 1]):
                    a = rules.rule_parent[r]
                    if number[a] < 0 or (least > 0.0 and product < least / (above[a] * rules.rule_probability[r])):
                        continue
                    if found < room:
                        edges.rule[found], edges.bottom[found] = r, number[a]
                        edges.left[found], edges.right[found] = left, right
                        edges.left_width[found], edges.weight[found] = k - i, weight[k]
                    found += 1
    return found


@njit(**BORROWING)
def take_edges(level: Edges, order: np.ndarray, edges: Edges, first: int) -> None:
    """Copy the edges of a level in the given order to the places from `first` on, for which there is room."""
    for new in range(order.shape[0]):
        edges.rule[first + new], edges.bottom[first + new] = level.rule[order[new]], level.bottom[order[new]]
        edges.left[first + new], edges.right[first + new] = level.left[order[new]], level.right[order[new]]
        edges.left_width[first + new], edges.weight[first + new] = (
            level.left_width[order[new]],
            level.weight[order[new]],
        )


@njit(**INNER)
def list_groups(edges: Edges, level_edge: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """`level_group`, `group_bottom`, `group_rule` and `group_edge` of a `Forest`, from its edges in order.

    `level_edge`, int64, (n + 1,), says where the edges of each width begin.  O(edges).
    """
    n_edges, n_group = level_edge[-1], 0
    level_group = np.zeros(level_edge.shape[0], np.int64)
    group_bottom, group_rule = np.empty(n_edges, np.int32), np.empty(n_edges, np.int32)
    group_edge = np.zeros(n_edges + 1, np.int64)
    for width in range(1, level_edge.shape[0]):
        for edge in range(level_edge[width - 1], level_edge[width]):
            rule, bottom = edges.rule[edge], edges.bottom[edge]
            # a bottom item is of one width only, so that no group goes on in the next level
            if edge == 0 or rule != edges.rule[edge - 1] or bottom != edges.bottom[edge - 1]:
                group_rule[n_group], group_bottom[n_group] = rule, bottom
                n_group += 1
            group_edge[n_group] = edge + 1
        level_group[width] = n_group
    return level_group, group_bottom[:n_group], group_rule[:n_group], group_edge[: n_group + 1]


@njit(**ENTRY)
def build_forest(n: int, rules: CoarseRules, inside: CoarseInside, kept: PrunedChart, threshold: float) -> Forest:
    """List the surviving items and the rule applications among them.

    O(n² · n_symbols + n · binary rules + pairs of surviving children over all split points).

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
    items = list_items(n, rules, inside, kept)
    cell_unary, unary_top, unary_bottom, unary_rule = list_unaries(rules, items)
    edges, level, order = room_for_edges(4096), room_for_edges(1024), np.empty(1024, np.int64)
    number = np.empty(rules.root_probability.shape[0], np.int32)
    rule_start, level_edge = np.empty(rules.rule_parent.shape[0] + 1, np.int64), np.zeros(n + 1, np.int64)
    weight, least = np.empty(n + 1), threshold * kept.total
    for width in range(2, n + 1):
        size = 0
        for cell in range(items.level_cell[width - 1], items.level_cell[width]):
            i, j = items.cell_start[cell], items.cell_stop[cell]
            number_symbols(items.bottom_symbol, items.cell_bottom[cell], items.cell_bottom[cell + 1], number)
            split_weights(inside.exponent, kept.cell, i, j, inside.exponent[i, j], weight)
            above = kept.outside[i, j]
            found = list_cell_edges(cell, rules, items, above, weight, least, number, level, size)
            if found > level.rule.shape[0]:
                level = longer(level, found)
                found = list_cell_edges(cell, rules, items, above, weight, least, number, level, size)
            size = found
        order, edges = grown(order, size), longer(edges, level_edge[width - 1] + size)
        order_by_key(level.rule, size, rule_start, order)
        take_edges(level, order[:size], edges, level_edge[width - 1])
        level_edge[width] = level_edge[width - 1] + size
    level_group, group_bottom, group_rule, group_edge = list_groups(edges, level_edge)
    n_edges = level_edge[n]
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
        group_bottom,
        group_rule,
        group_edge,
        edges.left[:n_edges],
        edges.right[:n_edges],
        edges.left_width[:n_edges],
        edges.weight[:n_edges],
        unary_top,
        unary_bottom,
        unary_rule,
    )
