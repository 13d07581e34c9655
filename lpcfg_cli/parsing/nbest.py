"""The n best trees of a forest.

Bottom up, each item keeps its n best derivations.  They come from a heap over pairs of ranks of the children's
derivations, so that only O(n) pairs besides the first of each edge are scored (Huang and Chiang 2005, algorithm 2).
Latent states have been summed out, and a tree has one derivation in a binarized grammar, so that different derivations
are different trees.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.parsing.layout import Forest, Marginals
from lpcfg_cli.treebank.binary import BINARY, LEXICAL, NONE, UNARY


@dataclass(frozen=True)
class Choice:
    """One derivation of an item.

    Attributes
    ----------
    score : float
    way : int
        Of a bottom item the edge, `NONE` for a word; of a top item the unary application, `NONE` without one.
    first, second : int
        Ranks of the children's derivations that it uses.
    """

    score: float
    way: int
    first: int = 0
    second: int = 0


@dataclass(frozen=True)
class Ranking:
    """The best derivations of each bottom and each top item, best first; empty for an item without a derivation."""

    bottom: list[list[Choice]]
    top: list[list[Choice]]


def rank_derivations(forest: Forest, scores: Marginals, n: int) -> Ranking:
    """Find the n best derivations of each item.

    Parameters
    ----------
    forest : Forest
    scores : Marginals
        A score for each rule application; the score of a tree is their sum.
    n : int
        At least 1.
    """
    ranking = Ranking([[] for _ in forest.bottom_symbol], [[] for _ in forest.top_symbol])
    edges = _edges_by_bottom(forest)
    for cell in range(len(forest.cell_start)):
        is_word = forest.cell_stop[cell] == forest.cell_start[cell] + 1
        for item in range(forest.cell_bottom[cell], forest.cell_bottom[cell + 1]):
            if is_word:
                ranking.bottom[item] = [Choice(float(scores.lexical[item]), NONE)]
            else:
                ranking.bottom[item] = _best_of_edges(forest, scores, ranking, edges[item], n)
        unaries = _unaries_by_top(forest, cell)
        for item in range(forest.cell_top[cell], forest.cell_top[cell + 1]):
            ranking.top[item] = _best_of_unaries(forest, scores, ranking, item, unaries.get(item, []), n)
    return ranking


def read_choice(forest: Forest, ranking: Ranking, root: int, rank: int, unary_hidden: np.ndarray) -> list[np.ndarray]:
    """The arrays of a `lpcfg_cli.parsing.viterbi.Derivation`, in preorder: symbol, kind, hidden, parent.

    Parameters
    ----------
    forest : Forest
    ranking : Ranking
        From `rank_derivations`.
    root : int
        Top item.
    rank : int
        Rank of the derivation among those of the top item.
    unary_hidden : ndarray of int32, shape (n_unary_rules,)
    """
    rows: list[tuple[int, int, int, int]] = []
    stack = [(root, rank, NONE)]
    while stack:
        item, which, above = stack.pop()
        choice = ranking.top[item][which]
        bottom = int(forest.top_bottom[item])
        if choice.way != NONE:
            hidden = int(unary_hidden[forest.unary_rule[choice.way]])
            rows.append((int(forest.top_symbol[item]), UNARY, hidden, above))
            above = len(rows) - 1
            bottom = int(forest.unary_bottom[choice.way])
        below = ranking.bottom[bottom][choice.first]
        kind = LEXICAL if below.way == NONE else BINARY
        rows.append((int(forest.bottom_symbol[bottom]), kind, NONE, above))
        if kind == BINARY:
            here = len(rows) - 1
            stack.append((int(forest.edge_right[below.way]), below.second, here))
            stack.append((int(forest.edge_left[below.way]), below.first, here))
    symbol, kinds, hidden_labels, parents = np.array(rows).T
    return [symbol.astype(np.int32), kinds.astype(np.int8), hidden_labels.astype(np.int32), parents.astype(np.int32)]


def _edges_by_bottom(forest: Forest) -> list[list[int]]:
    edges: list[list[int]] = [[] for _ in forest.bottom_symbol]
    for group, item in enumerate(forest.group_bottom):
        edges[item].extend(range(forest.group_edge[group], forest.group_edge[group + 1]))
    return edges


def _unaries_by_top(forest: Forest, cell: int) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for application in range(forest.cell_unary[cell], forest.cell_unary[cell + 1]):
        found.setdefault(int(forest.unary_top[application]), []).append(application)
    return found


def _best_of_edges(forest: Forest, scores: Marginals, ranking: Ranking, edges: list[int], n: int) -> list[Choice]:
    """The n best derivations of one bottom item; among equal scores the first edge wins, as in 1-best decoding."""

    def entry(order: int, first: int, second: int) -> tuple[float, int, int, int] | None:
        edge = edges[order]
        left, right = ranking.top[forest.edge_left[edge]], ranking.top[forest.edge_right[edge]]
        if first >= len(left) or second >= len(right):
            return None
        return -(float(scores.edge[edge]) + left[first].score + right[second].score), order, first, second

    heap = [start for order in range(len(edges)) if (start := entry(order, 0, 0)) is not None]
    heapq.heapify(heap)
    seen = {(order, first, second) for _, order, first, second in heap}
    found: list[Choice] = []
    while heap and len(found) < n:
        negative, order, first, second = heapq.heappop(heap)
        found.append(Choice(-negative, edges[order], first, second))
        for key in ((order, first + 1, second), (order, first, second + 1)):
            following = entry(*key) if key not in seen else None
            if following is not None:
                seen.add(key)
                heapq.heappush(heap, following)
    return found


def _best_of_unaries(
    forest: Forest, scores: Marginals, ranking: Ranking, item: int, applications: list[int], n: int
) -> list[Choice]:
    """The n best derivations of a top item: from its bottom item, and from its unary applications."""
    below = int(forest.top_bottom[item])
    as_is = float(scores.identity[item])
    unchanged = ranking.bottom[below] if below != NONE else []
    choices = [Choice(as_is + choice.score, NONE, rank) for rank, choice in enumerate(unchanged)]
    for application in applications:
        score = float(scores.unary[application])
        under = ranking.bottom[forest.unary_bottom[application]]
        choices += [Choice(score + choice.score, application, rank) for rank, choice in enumerate(under)]
    return sorted(choices, key=lambda choice: -choice.score)[:n]
