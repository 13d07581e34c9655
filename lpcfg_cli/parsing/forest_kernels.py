"""Compiled listing of the rule applications of a forest.

Loop indexes: width: number of words of a span; i, j: its start and end; k: split points; cell: spans with items; a:
symbols, or parents; left, right: top items that are children; pair: pairs of children; r: binary rules; edge: rule
applications.  n is the number of words.  Named tuples of arrays are described in `lpcfg_cli.parsing.layout`.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import FILLING, njit
from lpcfg_cli.parsing.layout import CoarseRules, Edges, Items


@njit(**FILLING)
def list_edges(
    rules: CoarseRules,
    items: Items,
    exponent: np.ndarray,
    outside: np.ndarray,
    least: float,
    cell_edge: np.ndarray,
    edges: Edges,
) -> int:
    """List the probable rule applications of all spans in the order of cells and split points.

    O(pairs of surviving children + their rules).

    Parameters
    ----------
    rules : CoarseRules
    items : Items
    exponent : ndarray of int64, shape (n, n + 1)
        Exponent of each span in the coarse pass.
    outside : ndarray of float64, shape (n, n + 1, n_symbols)
        Outside of the bottom items.
    least : float
        Smallest product of outside, rule, inside of both children and weight.
    cell_edge : ndarray of int64, shape (n_cells + 1,)
        Written: where the edges of each cell begin.
    edges : Edges
        Written.

    Returns
    -------
    int
        Number of edges, including those for which there was no room, and which are not stored.
    """
    room, found = edges.rule.shape[0], 0
    for cell in range(items.cell_start.shape[0]):
        i, j = items.cell_start[cell], items.cell_stop[cell]
        for k in range(i + 1, j):
            left_cell, right_cell = items.cell_number[i, k], items.cell_number[k, j]
            if left_cell < 0 or right_cell < 0:
                continue
            weight = 2.0 ** (exponent[i, k] + exponent[k, j] - exponent[i, j])
            for left in range(items.cell_top[left_cell], items.cell_top[left_cell + 1]):
                b = items.top_symbol[left]
                for right in range(items.cell_top[right_cell], items.cell_top[right_cell + 1]):
                    pair = rules.pair_number[b, items.top_symbol[right]]
                    if pair < 0:
                        continue
                    product = items.top_inside[left] * items.top_inside[right] * weight
                    for r in range(rules.pair_rule_start[pair], rules.pair_rule_start[pair + 1]):
                        a = rules.rule_parent[r]
                        bottom = items.bottom_number[cell, a]
                        if bottom < 0 or (
                            least > 0.0 and product < least / (outside[i, j, a] * rules.rule_probability[r])
                        ):
                            continue
                        if found < room:
                            edges.rule[found], edges.bottom[found] = r, bottom
                            edges.left[found], edges.right[found] = left, right
                            edges.left_width[found], edges.weight[found] = k - i, weight
                        found += 1
        cell_edge[cell + 1] = found
    return found


@njit(**FILLING)
def order_by_rule(rule: np.ndarray, level_edge: np.ndarray, start: np.ndarray, order: np.ndarray) -> None:
    """Sort the edges of each width by rule, stably; O(edges + n · rules).

    Parameters
    ----------
    rule : ndarray of int32, shape (≥ n_edges,)
    level_edge : ndarray of int64, shape (n + 1,)
        Where the edges of each width begin.
    start : ndarray of int64, shape (n_rules,)
        A buffer.
    order : ndarray of int64, shape (n_edges,)
        Written: the edges in order.
    """
    for width in range(1, level_edge.shape[0]):
        first, last = level_edge[width - 1], level_edge[width]
        for r in range(start.shape[0]):
            start[r] = 0
        for edge in range(first, last):
            start[rule[edge]] += 1
        total = first
        for r in range(start.shape[0]):
            total += start[r]
            start[r] = total
        for edge in range(last - 1, first - 1, -1):
            start[rule[edge]] -= 1
            order[start[rule[edge]]] = edge
