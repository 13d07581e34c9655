"""Compiled inside-outside over a forest with an arbitrary score for each rule application, in logarithms.

Loop indexes: width: number of words of a span; cell: spans of that width; item: bottom or top items (`below`: bottom
items that are children); group: binary rules over one span; edge: split points of a group; application: unary rule
applications.  Named tuples of arrays are described in `lpcfg_cli.parsing.layout`.

The logarithm of a sum is taken of terms divided by the largest of them, so that nothing overflows or underflows in
sentences of any length; these terms are kept, so that each rule application needs one exponential.
"""

import math

import numpy as np

from lpcfg_cli.arrays.kernel_options import BORROWING, FILLING, INLINED, njit
from lpcfg_cli.parsing.layout import Forest, Marginals, Shares


@njit(**BORROWING)
def scaled(score: float, largest: float) -> float:
    """exp(score − largest); 0 if both are −∞."""
    return math.exp(score - largest) if score > -np.inf else 0.0


def log_inside(forest: Forest, scores: Marginals) -> Shares:
    """Logarithms of the inside values of all items, bottom up, and their terms; O(edges).

    Parameters
    ----------
    forest : Forest
    scores : Marginals
        A finite score for each rule application; the weight of a tree is exp(Σ scores).
    """
    n_bottom, n_top = len(forest.bottom_symbol), len(forest.top_symbol)
    shares = Shares(
        np.full(n_bottom, -np.inf),
        np.full(n_top, -np.inf),
        np.zeros(n_bottom),
        np.zeros(n_top),
        np.empty(len(forest.edge_left)),
        np.empty(len(forest.unary_rule)),
        np.empty(n_top),
    )
    words = forest.cell_bottom[forest.level_cell[1]]
    shares.bottom[:words] = scores.lexical[:words]
    fill_shares(forest, scores, shares)
    return shares


@njit(**FILLING)
def fill_shares(forest: Forest, scores: Marginals, shares: Shares) -> None:
    """Fill the shares of `log_inside`, whose inside values are −∞, or scores of words, and whose sums are 0."""
    for width in range(1, forest.level_cell.shape[0]):
        first, last = forest.level_cell[width - 1], forest.level_cell[width]
        if width > 1:
            fill_groups(forest, scores, forest.level_group[width - 1], forest.level_group[width], shares)
            for item in range(forest.cell_bottom[first], forest.cell_bottom[last]):
                if shares.bottom[item] > -np.inf:
                    shares.bottom[item] += math.log(shares.bottom_sum[item])
        fill_unaries(forest, scores, first, last, shares)
        for item in range(forest.cell_top[first], forest.cell_top[last]):
            if shares.top[item] > -np.inf:
                shares.top[item] += math.log(shares.top_sum[item])


@njit(**INLINED)
def fill_groups(forest: Forest, scores: Marginals, first: int, last: int, shares: Shares) -> None:
    """Terms of the groups ``first:last``, their largest, and their sums divided by it; O(edges)."""
    for group in range(first, last):
        item = forest.group_bottom[group]
        for edge in range(forest.group_edge[group], forest.group_edge[group + 1]):
            score = scores.edge[edge] + shares.top[forest.edge_left[edge]] + shares.top[forest.edge_right[edge]]
            shares.edge[edge] = score
            shares.bottom[item] = max(shares.bottom[item], score)
    for group in range(first, last):
        item = forest.group_bottom[group]
        for edge in range(forest.group_edge[group], forest.group_edge[group + 1]):
            shares.edge[edge] = scaled(shares.edge[edge], shares.bottom[item])
            shares.bottom_sum[item] += shares.edge[edge]


@njit(**INLINED)
def fill_unaries(forest: Forest, scores: Marginals, first: int, last: int, shares: Shares) -> None:
    """The same for the top items of the cells ``first:last``; O(top items + unary applications)."""
    for item in range(forest.cell_top[first], forest.cell_top[last]):
        below = forest.top_bottom[item]
        shares.top[item] = scores.identity[item] + shares.bottom[below] if below >= 0 else -np.inf
        shares.identity[item] = shares.top[item]
    for application in range(forest.cell_unary[first], forest.cell_unary[last]):
        item = forest.unary_top[application]
        shares.unary[application] = scores.unary[application] + shares.bottom[forest.unary_bottom[application]]
        shares.top[item] = max(shares.top[item], shares.unary[application])
    for item in range(forest.cell_top[first], forest.cell_top[last]):
        shares.identity[item] = scaled(shares.identity[item], shares.top[item])
        shares.top_sum[item] = shares.identity[item]
    for application in range(forest.cell_unary[first], forest.cell_unary[last]):
        item = forest.unary_top[application]
        shares.unary[application] = scaled(shares.unary[application], shares.top[item])
        shares.top_sum[item] += shares.unary[application]


def spread_posteriors(forest: Forest, shares: Shares, in_top: np.ndarray) -> Marginals:
    """Posteriors of all rule applications, top down: the posterior of an item, shared among its applications.

    Parameters
    ----------
    forest : Forest
    shares : Shares
        From `log_inside`.
    in_top : ndarray of float64, shape (n_top,)
        Posterior of each top item as a root; those of all top items when this returns.

    Returns
    -------
    Marginals
        With a total of 1.
    """
    in_bottom, lexical = np.zeros(len(forest.bottom_symbol)), np.zeros(len(forest.bottom_symbol))
    edges, unaries, identities = np.zeros_like(shares.edge), np.zeros_like(shares.unary), np.zeros_like(shares.identity)
    fill_posteriors(forest, shares, in_top, in_bottom, edges, unaries, identities)
    words = forest.cell_bottom[forest.level_cell[1]]
    lexical[:words] = in_bottom[:words]
    return Marginals(0, 1.0, edges, unaries, lexical, identities)


@njit(**FILLING)
def fill_posteriors(
    forest: Forest,
    shares: Shares,
    in_top: np.ndarray,
    in_bottom: np.ndarray,
    edges: np.ndarray,
    unaries: np.ndarray,
    identities: np.ndarray,
) -> None:
    """Fill the posteriors of `spread_posteriors`, all of which are 0, and those of bottom items, (n_bottom,)."""
    for width in range(forest.level_cell.shape[0] - 1, 0, -1):
        first, last = forest.level_cell[width - 1], forest.level_cell[width]
        for item in range(forest.cell_top[first], forest.cell_top[last]):
            if forest.top_bottom[item] >= 0 and in_top[item] > 0.0:
                identities[item] = in_top[item] * shares.identity[item] / shares.top_sum[item]
                in_bottom[forest.top_bottom[item]] += identities[item]
        for application in range(forest.cell_unary[first], forest.cell_unary[last]):
            item = forest.unary_top[application]
            if in_top[item] > 0.0:
                unaries[application] = in_top[item] * shares.unary[application] / shares.top_sum[item]
                in_bottom[forest.unary_bottom[application]] += unaries[application]
        for group in range(forest.level_group[width - 1], forest.level_group[width]):
            item = forest.group_bottom[group]
            if in_bottom[item] > 0.0:
                factor = in_bottom[item] / shares.bottom_sum[item]
                for edge in range(forest.group_edge[group], forest.group_edge[group + 1]):
                    edges[edge] = factor * shares.edge[edge]
                    in_top[forest.edge_left[edge]] += edges[edge]
                    in_top[forest.edge_right[edge]] += edges[edge]
