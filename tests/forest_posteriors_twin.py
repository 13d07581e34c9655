"""Inside-outside over a forest with an arbitrary score for each rule application: the numpy twin of the kernels."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from lpcfg_cli.parsing.layout import Forest, Marginals
from lpcfg_cli.parsing.scores import parts_of

Width = tuple[slice, slice, slice]
"""The edges, top items and unary applications of one width."""


def forest_posteriors(forest: Forest, scores: Marginals, is_root: np.ndarray) -> Marginals:
    """Posteriors of rule applications where p(tree) ∝ exp(Σ scores of the tree's rule applications).

    Inside values are logarithms.  Posteriors are computed top down as shares of the posterior above, without
    logarithms.  The cost is O(edges), with a few array operations for each width, and nothing overflows or underflows
    in sentences of any length.

    Parameters
    ----------
    forest : Forest
    scores : Marginals
        A finite score for each rule application.
    is_root : ndarray of bool, shape (n_top,)
        Whether each top item may be the root of a tree.

    Returns
    -------
    Marginals
        The total is 1; all values are zero if the forest has no tree.
    """
    parts = edge, unary, lexical, identity = tuple(np.zeros(len(part)) for part in parts_of(scores))
    if not len(forest.bottom_symbol):
        return Marginals(0, 0.0, *parts)
    item_of_edge, by_width = forest.edge_bottom, _by_width(forest)
    bottom, top = _inside(forest, scores, item_of_edge, by_width)
    total = np.logaddexp.reduce(top[is_root])  # −∞ for no roots
    if total == -np.inf:
        return Marginals(0, 0.0, *parts)
    in_bottom, in_top = np.zeros(len(bottom)), np.zeros(len(top))
    in_top[is_root] = np.exp(top[is_root] - total)
    for edges, tops, unaries in by_width[::-1]:
        below = forest.top_bottom[tops]
        identity[tops] = np.where(below >= 0, _share(in_top, top, tops, scores.identity[tops] + bottom[below]), 0.0)
        np.add.at(in_bottom, below[below >= 0], identity[tops][below >= 0])
        children = forest.unary_bottom[unaries]
        unary[unaries] = _share(in_top, top, forest.unary_top[unaries], scores.unary[unaries] + bottom[children])
        np.add.at(in_bottom, children, unary[unaries])
        left, right = forest.edge_left[edges], forest.edge_right[edges]
        edge[edges] = _share(in_bottom, bottom, item_of_edge[edges], scores.edge[edges] + top[left] + top[right])
        np.add.at(in_top, left, edge[edges])
        np.add.at(in_top, right, edge[edges])
    of_words = slice(0, forest.cell_bottom[forest.level_cell[1]])
    lexical[of_words] = in_bottom[of_words]
    return Marginals(0, 1.0, *parts)


def log_total(forest: Forest, scores: Marginals, is_root: np.ndarray) -> float:
    """ln Σ exp(Σ scores) over the trees of a forest; −∞ without a tree.  Parameters as for `forest_posteriors`."""
    if not len(forest.bottom_symbol):
        return -np.inf
    _, top = _inside(forest, scores, forest.edge_bottom, _by_width(forest))
    return float(np.logaddexp.reduce(top[is_root]))


def _share(posterior: np.ndarray, inside: np.ndarray, item: np.ndarray | slice, score: np.ndarray) -> np.ndarray:
    """The part of the posterior of `item` that goes through each of its applications; 0 if it has no tree below.

    `inside` and `score` are logarithms: of all trees below the items, and of those that use the application.
    """
    whole = inside[item]
    with np.errstate(invalid="ignore"):
        return np.where(whole > -np.inf, posterior[item] * np.exp(np.minimum(score - whole, 0.0)), 0.0)


def _inside(
    forest: Forest, scores: Marginals, item_of_edge: np.ndarray, by_width: list[Width]
) -> tuple[np.ndarray, np.ndarray]:
    """Logarithms of the inside values of bottom items, (n_bottom,), and top items, (n_top,); −∞ without a tree."""
    bottom, top = np.full(len(forest.bottom_symbol), -np.inf), np.full(len(forest.top_symbol), -np.inf)
    of_words = slice(0, forest.cell_bottom[forest.level_cell[1]])
    bottom[of_words] = scores.lexical[of_words]
    for edges, tops, unaries in by_width:
        below = scores.edge[edges] + top[forest.edge_left[edges]] + top[forest.edge_right[edges]]
        np.logaddexp.at(bottom, item_of_edge[edges], below)
        item = forest.top_bottom[tops]
        top[tops] = np.where(item >= 0, scores.identity[tops] + bottom[item], -np.inf)
        np.logaddexp.at(top, forest.unary_top[unaries], scores.unary[unaries] + bottom[forest.unary_bottom[unaries]])
    return bottom, top


def _by_width(forest: Forest) -> list[Width]:
    bounds = zip(
        pairwise(forest.group_edge[forest.level_group].tolist()),
        pairwise(forest.cell_top[forest.level_cell].tolist()),
        pairwise(forest.cell_unary[forest.level_cell].tolist()),
        strict=True,
    )
    return [(slice(*edges), slice(*tops), slice(*unaries)) for edges, tops, unaries in bounds]
