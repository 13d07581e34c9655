"""Compiled inside-outside over the trees of a forest whose rule applications have scores of their own."""

import math

import numpy as np
from numba import njit

from lpcfg_cli.parsing.kernel_options import ENTRY, INNER
from lpcfg_cli.parsing.layout import Forest, Marginals

NEVER = -np.inf


@njit(**INNER)
def log_add(a: float, b: float) -> float:
    """log(exp a + exp b)."""
    if a < b:
        a, b = b, a
    return a if b == NEVER else a + math.log1p(math.exp(b - a))


@njit(**ENTRY)
def forest_posteriors(forest: Forest, scores: Marginals, is_root: np.ndarray) -> Marginals:
    """Posteriors of rule applications where p(tree) ∝ exp(Σ scores), in logarithms throughout; O(edges).

    Parameters
    ----------
    forest : Forest
    scores : Marginals
        A finite score for each rule application.
    is_root : ndarray of bool, shape (n_top,)
        Whether a tree may have a top item as its root.

    Returns
    -------
    Marginals
        Their total is 1; all are zero when the forest has no tree.
    """
    n = forest.level_cell.shape[0] - 1
    bottom, top = np.full(forest.bottom_symbol.shape[0], NEVER), np.full(forest.top_symbol.shape[0], NEVER)
    for width in range(1, n + 1):
        cells = range(forest.level_cell[width - 1], forest.level_cell[width])
        if width == 1:
            for item in range(forest.cell_bottom[cells.stop]):
                bottom[item] = scores.lexical[item]
        for group in range(forest.level_group[width - 1], forest.level_group[width]):
            item = forest.group_bottom[group]
            for edge in range(forest.group_edge[group], forest.group_edge[group + 1]):
                below = top[forest.edge_left[edge]] + top[forest.edge_right[edge]]
                bottom[item] = log_add(bottom[item], scores.edge[edge] + below)
        for cell in cells:
            for item in range(forest.cell_top[cell], forest.cell_top[cell + 1]):
                if forest.top_bottom[item] >= 0:
                    top[item] = bottom[forest.top_bottom[item]] + scores.identity[item]
            for application in range(forest.cell_unary[cell], forest.cell_unary[cell + 1]):
                item = forest.unary_top[application]
                below = bottom[forest.unary_bottom[application]]
                top[item] = log_add(top[item], scores.unary[application] + below)
    total = NEVER
    for item in range(top.shape[0]):
        if is_root[item]:
            total = log_add(total, top[item])
    out_bottom, out_top = np.full(bottom.shape[0], NEVER), np.full(top.shape[0], NEVER)
    edges, unaries = np.zeros(forest.edge_left.shape[0]), np.zeros(forest.unary_rule.shape[0])
    words, identities = np.zeros(bottom.shape[0]), np.zeros(top.shape[0])
    if total == NEVER:
        return Marginals(0, 0.0, edges, unaries, words, identities)
    for item in range(top.shape[0]):
        if is_root[item]:
            out_top[item] = -total
    for width in range(n, 0, -1):
        cells = range(forest.level_cell[width - 1], forest.level_cell[width])
        for cell in cells:
            for item in range(forest.cell_top[cell], forest.cell_top[cell + 1]):
                below = forest.top_bottom[item]
                if below >= 0:
                    out_bottom[below] = out_top[item] + scores.identity[item]
                    identities[item] = math.exp(out_bottom[below] + bottom[below])
            for application in range(forest.cell_unary[cell], forest.cell_unary[cell + 1]):
                below = forest.unary_bottom[application]
                outside = out_top[forest.unary_top[application]] + scores.unary[application]
                out_bottom[below] = log_add(out_bottom[below], outside)
                unaries[application] = math.exp(outside + bottom[below])
        if width == 1:
            for item in range(forest.cell_bottom[cells.stop]):
                words[item] = math.exp(out_bottom[item] + bottom[item])
        for group in range(forest.level_group[width - 1], forest.level_group[width]):
            above = out_bottom[forest.group_bottom[group]]
            for edge in range(forest.group_edge[group], forest.group_edge[group + 1]):
                left, right = forest.edge_left[edge], forest.edge_right[edge]
                outside = above + scores.edge[edge]
                out_top[left] = log_add(out_top[left], outside + top[right])
                out_top[right] = log_add(out_top[right], outside + top[left])
                edges[edge] = math.exp(outside + top[left] + top[right])
    return Marginals(0, 1.0, edges, unaries, words, identities)
