"""Compiled inside-outside over a forest with an arbitrary score for each rule application, in logarithms.

Loop indexes: width: number of words of a span; cell: spans of that width; item: bottom or top items (`below`: bottom
items that are children); group: binary rules over one span; edge: split points of a group; application: unary rule
applications.  Named tuples of arrays are described in `lpcfg_cli.parsing.layout`.

The logarithm of a sum is taken of terms divided by the largest of them, so that nothing overflows or underflows in
sentences of any length; these terms are kept, so that each rule application needs one exponential.
"""

import math

import numpy as np

from lpcfg_cli.arrays.kernel_options import BORROWING, FILLING, njit
from lpcfg_cli.parsing.layout import Forest, Marginals, Shares


@njit(**BORROWING)
def end_of_sums(largest: np.ndarray, total: np.ndarray, first: int, last: int) -> None:
    """Add the logarithms of `total` to `largest` for the items ``first:last``; items without a tree have none."""
    for item in range(first, last):
        if largest[item] > -np.inf:
            largest[item] += math.log(total[item])


@njit(**BORROWING)
def scaled(score: float, largest: float) -> float:
    """exp(score − largest); 0 if both are −∞."""
    return math.exp(score - largest) if score > -np.inf else 0.0


@njit(**BORROWING)
def sum_groups(forest: Forest, scores: Marginals, width: int, shares: Shares) -> None:
    """Inside of the bottom items of a level with more than one word; O(edges of the level)."""
    groups = range(forest.level_group[width - 1], forest.level_group[width])
    for group in groups:
        item = forest.group_bottom[group]
        for edge in range(forest.group_edge[group], forest.group_edge[group + 1]):
            score = scores.edge[edge] + shares.top[forest.edge_left[edge]] + shares.top[forest.edge_right[edge]]
            shares.edge[edge] = score
            shares.bottom[item] = max(shares.bottom[item], score)
    for group in groups:
        item = forest.group_bottom[group]
        for edge in range(forest.group_edge[group], forest.group_edge[group + 1]):
            shares.edge[edge] = scaled(shares.edge[edge], shares.bottom[item])
            shares.bottom_sum[item] += shares.edge[edge]


@njit(**BORROWING)
def sum_unaries(forest: Forest, scores: Marginals, cell: int, shares: Shares) -> None:
    """Inside of the top items of a cell, from its bottom items; O(top items + unary applications)."""
    tops = range(forest.cell_top[cell], forest.cell_top[cell + 1])
    applications = range(forest.cell_unary[cell], forest.cell_unary[cell + 1])
    for item in tops:
        below = forest.top_bottom[item]
        shares.top[item] = scores.identity[item] + shares.bottom[below] if below >= 0 else -np.inf
        shares.identity[item] = shares.top[item]
    for application in applications:
        item = forest.unary_top[application]
        score = scores.unary[application] + shares.bottom[forest.unary_bottom[application]]
        shares.unary[application] = score
        shares.top[item] = max(shares.top[item], score)
    for item in tops:
        shares.identity[item] = scaled(shares.identity[item], shares.top[item])
        shares.top_sum[item] = shares.identity[item]
    for application in applications:
        item = forest.unary_top[application]
        shares.unary[application] = scaled(shares.unary[application], shares.top[item])
        shares.top_sum[item] += shares.unary[application]
    end_of_sums(shares.top, shares.top_sum, tops.start, tops.stop)


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
    fill_shares(forest, scores, shares)
    return shares


@njit(**FILLING)
def fill_shares(forest: Forest, scores: Marginals, shares: Shares) -> None:
    """Fill the shares of `log_inside`, whose inside values are −∞ and sums 0."""
    for width in range(1, forest.level_cell.shape[0]):
        first, last = forest.level_cell[width - 1], forest.level_cell[width]
        if width == 1:
            for item in range(forest.cell_bottom[last]):
                shares.bottom[item] = scores.lexical[item]
        else:
            sum_groups(forest, scores, width, shares)
            end_of_sums(shares.bottom, shares.bottom_sum, forest.cell_bottom[first], forest.cell_bottom[last])
        for cell in range(first, last):
            sum_unaries(forest, scores, cell, shares)


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
        for cell in range(forest.level_cell[width - 1], forest.level_cell[width]):
            for item in range(forest.cell_top[cell], forest.cell_top[cell + 1]):
                if forest.top_bottom[item] >= 0 and in_top[item] > 0.0:
                    identities[item] = in_top[item] * shares.identity[item] / shares.top_sum[item]
                    in_bottom[forest.top_bottom[item]] += identities[item]
            for application in range(forest.cell_unary[cell], forest.cell_unary[cell + 1]):
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
