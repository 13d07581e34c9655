"""Construction of the forest: the items and rule applications that survive pruning."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.arrays.ragged import positions_of, starts
from lpcfg_cli.parsing.forest_kernels import list_edges, order_by_rule
from lpcfg_cli.parsing.layout import CoarseInside, CoarseRules, Edges, Forest, Items, PrunedChart

ROOM = 1 << 15
"""Edges for which there is room at first; few sentences have more unless pruning is off."""


def build_forest(n: int, rules: CoarseRules, inside: CoarseInside, kept: PrunedChart, threshold: float) -> Forest:
    """List the surviving items and the rule applications among them.

    O(n² · n_symbols + n · binary rules + pairs of surviving children over all split points).

    Parameters
    ----------
    n, rules
        As for `lpcfg_cli.parsing.coarse_kernels.coarse_inside`.
    inside : CoarseInside
        From `coarse_inside`.
    kept : PrunedChart
        From `coarse_outside`.
    threshold : float
        Smallest posterior of a binary rule application in the forest.
    """
    items = list_items(n, rules, inside, kept)
    level_edge, edges = edges_in_order(rules, items, inside, kept, threshold)
    is_first = np.ones(len(edges.rule), bool)  # of its group, which is in one level, as its bottom item is
    is_first[1:] = (edges.rule[1:] != edges.rule[:-1]) | (edges.bottom[1:] != edges.bottom[:-1])
    group_edge = np.append(np.flatnonzero(is_first), len(edges.rule))
    cell_unary, unary_top, unary_bottom, unary_rule = list_unaries(rules, items)
    return Forest(
        items.level_cell,
        np.searchsorted(group_edge[:-1], level_edge),
        items.cell_start,
        items.cell_stop,
        items.cell_bottom,
        items.cell_top,
        cell_unary,
        items.bottom_symbol,
        items.top_symbol,
        items.top_bottom,
        edges.bottom[group_edge[:-1]],
        edges.rule[group_edge[:-1]],
        group_edge,
        edges.left,
        edges.right,
        edges.left_width,
        edges.weight,
        unary_top,
        unary_bottom,
        unary_rule,
    )


def list_items(n: int, rules: CoarseRules, inside: CoarseInside, kept: PrunedChart) -> Items:
    """Number the surviving items, narrow spans first; O(n² · n_symbols)."""
    start, stop = np.nonzero(kept.cell)
    order = np.argsort((stop - start) * n + start)
    start, stop = start[order], stop[order]
    cells = np.arange(len(start))
    cell_number = np.full((n, n + 1), -1, np.int32)
    cell_number[start, stop] = cells
    has_bottom, has_top = kept.bottom[start, stop], kept.top[start, stop]
    cell_bottom, bottom_symbol, bottom_number = numbered(has_bottom)
    cell_top, top_symbol, top_number = numbered(has_top)
    cell = np.repeat(cells, np.diff(cell_top))
    top_bottom = bottom_number[cell, top_symbol]
    if rules.permitted_identity.size:
        top_bottom[~rules.permitted_identity[start[cell], stop[cell], top_symbol]] = -1
    return Items(
        starts(np.bincount(stop - start, minlength=n + 1)[1:]),
        start.astype(np.int32),
        stop.astype(np.int32),
        cell_bottom,
        cell_top,
        bottom_symbol,
        top_symbol,
        top_bottom,
        inside.by_start[start[cell], top_symbol, stop[cell]],
        cell_number,
        bottom_number,
        top_number,
    )


def numbered(flags: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Number the items that each cell has.

    Parameters
    ----------
    flags : ndarray of bool, shape (n_cells, n_symbols)

    Returns
    -------
    cell_item : ndarray of int64, shape (n_cells + 1,)
        Where the items of each cell begin.
    symbol : ndarray of int32, shape (n_items,)
    number : ndarray of int32, shape (n_cells, n_symbols)
        The number of each item, -1 for what a cell does not have.
    """
    number = np.full(flags.shape, -1, np.int32)
    cell, symbol = np.nonzero(flags)
    number[cell, symbol] = np.arange(len(cell))
    return starts(np.count_nonzero(flags, axis=1)), symbol.astype(np.int32), number


def list_unaries(rules: CoarseRules, items: Items) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Unary applications of each cell, by rule: `cell_unary`, `unary_top`, `unary_bottom`, `unary_rule` of a `Forest`.

    O(unary rules of the bottom items), and sorting of those that apply.
    """
    n_cells, n_unary, n_symbols = len(items.cell_start), len(rules.unary_child), len(rules.root_probability)
    by_child = np.argsort(rules.unary_child, kind="stable")
    child_start = starts(np.bincount(rules.unary_child, minlength=n_symbols))
    rule = by_child[positions_of(child_start, items.bottom_symbol)]
    below = np.repeat(np.arange(len(items.bottom_symbol)), np.diff(child_start)[items.bottom_symbol])
    cell = np.repeat(np.arange(n_cells), np.diff(items.cell_bottom))[below]
    above = items.top_number[cell, rules.unary_parent[rule]]
    applies = above >= 0
    if rules.permitted_unary.size:
        applies &= rules.permitted_unary[items.cell_start[cell], items.cell_stop[cell], rule]
    place = np.flatnonzero(applies)
    place = place[np.argsort(cell[place] * n_unary + rule[place])]
    cell_unary = starts(np.bincount(cell[place], minlength=n_cells))
    return cell_unary, above[place], below[place].astype(np.int32), rule[place].astype(np.int32)


def edges_in_order(
    rules: CoarseRules, items: Items, inside: CoarseInside, kept: PrunedChart, threshold: float
) -> tuple[np.ndarray, Edges]:
    """The probable rule applications by width, rule and span, and where those of each width begin.

    Returns
    -------
    level_edge : ndarray of int64, shape (n + 1,)
        Width w has the edges ``level_edge[w - 1]:level_edge[w]``.
    edges : Edges
    """
    cell_edge, least = np.zeros(len(items.cell_start) + 1, np.int64), threshold * kept.total
    edges = room_for_edges(ROOM)
    found = list_edges(rules, items, inside.exponent, kept.outside, least, cell_edge, edges)
    if found > ROOM:
        edges = room_for_edges(found)
        list_edges(rules, items, inside.exponent, kept.outside, least, cell_edge, edges)
    level_edge, order = cell_edge[items.level_cell], np.empty(found, np.int64)
    order_by_rule(edges.rule, level_edge, np.empty(len(rules.rule_parent), np.int64), order)
    return level_edge, Edges(*(part[order] for part in edges))


def room_for_edges(size: int) -> Edges:
    """Arrays for up to `size` edges."""
    rule, bottom, left, right, left_width = (np.empty(size, np.int32) for _ in range(5))
    return Edges(rule, bottom, left, right, left_width, np.empty(size))
