"""Pruning of a forest by one grammar's posteriors, before the other grammars of an ensemble parse with it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.parsing.layout import Forest, Marginals


class Survivors(NamedTuple):
    """Flags of the rule applications and items of a forest that survive pruning.

    Attributes
    ----------
    edge : ndarray of bool, shape (n_edges,)
    unary : ndarray of bool, shape (n_unary,)
    bottom : ndarray of bool, shape (n_bottom,)
    top : ndarray of bool, shape (n_top,)
    identity : ndarray of bool, shape (n_top,)
        Whether a top item may be the bottom item of its symbol, without a unary rule.
    """

    edge: np.ndarray
    unary: np.ndarray
    bottom: np.ndarray
    top: np.ndarray
    identity: np.ndarray

    def of(self, marginals: Marginals) -> Marginals:
        """The marginals of the survivors."""
        return Marginals(
            marginals.exponent,
            marginals.total,
            marginals.edge[self.edge],
            marginals.unary[self.unary],
            marginals.lexical[self.bottom],
            marginals.identity[self.top],
        )


def bottom_posteriors(forest: Forest, posteriors: Marginals) -> np.ndarray:
    """Posterior of each bottom item, the sum over its rule applications; float64, shape (n_bottom,)."""
    return posteriors.lexical + np.bincount(forest.edge_bottom, posteriors.edge, len(forest.bottom_symbol))


def probable(forest: Forest, posteriors: Marginals, threshold: float) -> Survivors:
    """The items whose posterior is at least the threshold, and the rule applications for which this and their items do.

    Parameters
    ----------
    forest : Forest
    posteriors : Marginals
    threshold : float

    Returns
    -------
    Survivors
        They may include dead ends: items that reach the threshold only as a sum of rule applications that do not.
    """
    bottom = bottom_posteriors(forest, posteriors) >= threshold
    n_top = len(forest.top_symbol)
    top = posteriors.identity + np.bincount(forest.unary_top, posteriors.unary, n_top) >= threshold
    unary = (posteriors.unary >= threshold) & top[forest.unary_top] & bottom[forest.unary_bottom]
    children = top[forest.edge_left] & top[forest.edge_right]
    edge = (posteriors.edge >= threshold) & children & bottom[forest.edge_bottom]
    return Survivors(edge, unary, bottom, top, np.ones(n_top, bool))


def surviving_forest(forest: Forest, kept: Survivors) -> Forest:
    """The forest of the survivors, renumbered; O(edges)."""
    new_bottom, new_top, new_unary = (starts(flags) for flags in (kept.bottom, kept.top, kept.unary))
    below = np.where(kept.identity, forest.top_bottom, -1)[kept.top]
    in_group = np.diff(starts(kept.edge)[forest.group_edge])
    group = in_group > 0
    return forest._replace(
        level_group=starts(group)[forest.level_group],
        cell_bottom=new_bottom[forest.cell_bottom],
        cell_top=new_top[forest.cell_top],
        cell_unary=new_unary[forest.cell_unary],
        bottom_symbol=forest.bottom_symbol[kept.bottom],
        top_symbol=forest.top_symbol[kept.top],
        top_bottom=np.where((below >= 0) & kept.bottom[below], new_bottom[below], -1).astype(np.int32),
        group_bottom=new_bottom[forest.group_bottom[group]].astype(np.int32),
        group_rule=forest.group_rule[group],
        group_edge=starts(in_group[group]),
        edge_left=new_top[forest.edge_left[kept.edge]].astype(np.int32),
        edge_right=new_top[forest.edge_right[kept.edge]].astype(np.int32),
        edge_left_width=forest.edge_left_width[kept.edge],
        edge_weight=forest.edge_weight[kept.edge],
        unary_top=new_top[forest.unary_top[kept.unary]].astype(np.int32),
        unary_bottom=new_bottom[forest.unary_bottom[kept.unary]].astype(np.int32),
        unary_rule=forest.unary_rule[kept.unary],
    )
