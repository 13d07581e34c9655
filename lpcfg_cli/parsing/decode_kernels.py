"""Compiled decoding: the tree of a forest whose rule applications have the largest sum of scores.

Loop indexes: width: number of words of a span; cell: spans of that width; item: bottom or top items; group: binary
rules over one span; edge: split points of a group; application: unary rule applications.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import FILLING, njit
from lpcfg_cli.parsing.layout import Forest, Marginals

IMPOSSIBLE = -np.inf


def best_derivation(forest: Forest, scores: Marginals) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Find the best score of every item, bottom up, with back pointers; O(edges).

    Parameters
    ----------
    forest : Forest
    scores : Marginals
        A score for each rule application; the score of a tree is their sum.

    Returns
    -------
    bottom_edge : ndarray of int32, shape (n_bottom,)
        The edge chosen below each bottom item; -1 for a word, and for an item without a tree.
    top_unary : ndarray of int32, shape (n_top,)
        The unary application chosen below each top item; -1 if the bottom item of its symbol is chosen.
    top_best : ndarray of float64, shape (n_top,)
        Score of the best tree below each top item, `IMPOSSIBLE` if there is none.
    """
    bottom_best = np.full(len(forest.bottom_symbol), IMPOSSIBLE)
    top_best = np.full(len(forest.top_symbol), IMPOSSIBLE)
    bottom_edge = np.full(len(forest.bottom_symbol), -1, np.int32)
    top_unary = np.full(len(forest.top_symbol), -1, np.int32)
    words = forest.cell_bottom[forest.level_cell[1]]
    bottom_best[:words] = scores.lexical[:words]
    choose(forest, scores, bottom_best, top_best, bottom_edge, top_unary)
    return bottom_edge, top_unary, top_best


@njit(**FILLING)
def choose(
    forest: Forest,
    scores: Marginals,
    bottom_best: np.ndarray,
    top_best: np.ndarray,
    bottom_edge: np.ndarray,
    top_unary: np.ndarray,
) -> None:
    """Fill the arrays of `best_derivation`, in which the scores of words, `IMPOSSIBLE` and -1 stand."""
    for width in range(1, forest.level_cell.shape[0]):
        for group in range(forest.level_group[width - 1], forest.level_group[width]):
            item = forest.group_bottom[group]
            for edge in range(forest.group_edge[group], forest.group_edge[group + 1]):
                score = scores.edge[edge] + top_best[forest.edge_left[edge]] + top_best[forest.edge_right[edge]]
                if score > bottom_best[item]:
                    bottom_best[item] = score
                    bottom_edge[item] = edge
        first, last = forest.level_cell[width - 1], forest.level_cell[width]
        for item in range(forest.cell_top[first], forest.cell_top[last]):
            if forest.top_bottom[item] >= 0:
                top_best[item] = bottom_best[forest.top_bottom[item]] + scores.identity[item]
        for application in range(forest.cell_unary[first], forest.cell_unary[last]):
            item = forest.unary_top[application]
            score = scores.unary[application] + bottom_best[forest.unary_bottom[application]]
            if score > top_best[item]:
                top_best[item] = score
                top_unary[item] = application


def read_derivation(
    forest: Forest,
    root: int,
    bottom_edge: np.ndarray,
    top_unary: np.ndarray,
    unary_hidden: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Follow back pointers from a top item to the words, in preorder, without recursion; O(n_nodes).

    Parameters
    ----------
    forest : Forest
    root : int
        Top item.
    bottom_edge, top_unary
        From `best_derivation`.
    unary_hidden : ndarray of int32, shape (n_unary_rules,)
        `UnaryRules.hidden` of the grammar.

    Returns
    -------
    symbol : ndarray of int32, shape (n_nodes,)
    kind : ndarray of int8, shape (n_nodes,)
        0 lexical, 1 binary, 2 unary.
    hidden : ndarray of int32, shape (n_nodes,)
        `unary_hidden` of the rule of a unary node, -1 for other nodes.
    parent : ndarray of int32, shape (n_nodes,)
        -1 for the root.
    """
    room = 4 * len(forest.level_cell) + 4
    symbol, kind = np.empty(room, np.int32), np.empty(room, np.int8)
    hidden, parent = np.full(room, -1, np.int32), np.empty(room, np.int32)
    stack = np.empty((room, 2), np.int32)
    stack[0] = root, -1
    n_nodes = follow(forest, bottom_edge, top_unary, unary_hidden, symbol, kind, hidden, parent, stack)
    return symbol[:n_nodes], kind[:n_nodes], hidden[:n_nodes], parent[:n_nodes]


@njit(**FILLING)
def follow(
    forest: Forest,
    bottom_edge: np.ndarray,
    top_unary: np.ndarray,
    unary_hidden: np.ndarray,
    symbol: np.ndarray,
    kind: np.ndarray,
    hidden: np.ndarray,
    parent: np.ndarray,
    stack: np.ndarray,
) -> int:
    """Fill the arrays of `read_derivation`; returns the number of nodes.

    `stack`, int32, (room, 2), has items that wait and the nodes above them: at first the root and -1.
    """
    depth, n_nodes = 1, 0
    while depth > 0:
        depth -= 1
        item, above = stack[depth, 0], stack[depth, 1]
        bottom = forest.top_bottom[item]
        if top_unary[item] >= 0:
            application = top_unary[item]
            symbol[n_nodes], kind[n_nodes], parent[n_nodes] = forest.top_symbol[item], 2, above
            hidden[n_nodes] = unary_hidden[forest.unary_rule[application]]
            above = n_nodes
            n_nodes += 1
            bottom = forest.unary_bottom[application]
        symbol[n_nodes], parent[n_nodes] = forest.bottom_symbol[bottom], above
        edge = bottom_edge[bottom]
        kind[n_nodes] = 0 if edge < 0 else 1
        if edge >= 0:
            stack[depth, 0], stack[depth, 1] = forest.edge_right[edge], n_nodes
            stack[depth + 1, 0], stack[depth + 1, 1] = forest.edge_left[edge], n_nodes
            depth += 2
        n_nodes += 1
    return n_nodes
