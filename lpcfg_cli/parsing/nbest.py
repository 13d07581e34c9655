"""The n best trees of a forest.

Bottom up, each item keeps its n best derivations.  They come from a heap over pairs of ranks of the children's
derivations, so that only O(n) pairs besides the first of each edge are scored (Huang and Chiang 2005, algorithm 2).
Latent states have been summed out.  Derivations of one item that write the same tree, or trivial variants of it (see
`lpcfg_cli.parsing.written`), count as one: the best of them is kept, so that an item has its n best *trees*.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.parsing.layout import Forest, Marginals
from lpcfg_cli.parsing.written import Written
from lpcfg_cli.treebank.binary import BINARY, LEXICAL, NONE, UNARY


@dataclass(frozen=True, eq=False)
class Choice:
    """One derivation of an item; each is itself, whatever its parts.

    Attributes
    ----------
    score : float
    way : int
        Of a bottom item the edge, `NONE` for a word; of a top item the unary application, `NONE` without one.
    trees : tuple of int
        Numbers of the trees that it writes side by side: those of the children for a bottom item and for a top item
        of an intermediate symbol, one tree for any other top item.
    first, second : int
        Ranks of the children's derivations that it uses.
    """

    score: float
    way: int
    trees: tuple[int, ...] = ()
    first: int = 0
    second: int = 0


@dataclass(frozen=True)
class Ranking:
    """The best derivations of each bottom and each top item, best first; empty for an item without a derivation."""

    bottom: list[list[Choice]]
    top: list[list[Choice]]


class _Trees(dict[tuple[int, ...], int]):
    """Numbers trees from 0 on: a tree is the number of its chain of brackets, then those of the trees below."""

    def __missing__(self, tree: tuple[int, ...]) -> int:
        self[tree] = number = len(self)
        return number


def rank_derivations(forest: Forest, scores: Marginals, written: Written, is_open: np.ndarray, n: int) -> Ranking:
    """Find the n best derivations of each item that write different trees.

    Parameters
    ----------
    forest : Forest
    scores : Marginals
        A score for each rule application; the score of a tree is their sum.
    written : Written
    is_open : ndarray of bool, shape (n_words,)
        Whether each word's tag is chosen by the parser; given tags are written whatever the preterminal is.
    n : int
        At least 1.
    """
    ranking = Ranking([[] for _ in forest.bottom_symbol], [[] for _ in forest.top_symbol])
    edges, trees = _edges_by_bottom(forest), _Trees()
    for cell in range(len(forest.cell_start)):
        start = forest.cell_start[cell]
        is_word = forest.cell_stop[cell] == start + 1
        for item in range(forest.cell_bottom[cell], forest.cell_bottom[cell + 1]):
            if is_word:
                tag = int(written.tag[forest.bottom_symbol[item]]) if is_open[start] else 0
                ranking.bottom[item] = [Choice(float(scores.lexical[item]), NONE, (trees[-1, tag],))]
            else:
                ranking.bottom[item] = _best_of_edges(forest, scores, ranking, edges[item], n)
        unaries = _unaries_by_top(forest, cell)
        for item in range(forest.cell_top[cell], forest.cell_top[cell + 1]):
            choices = _unary_choices(forest, scores, ranking, written, trees, item, unaries.get(item, []))
            ranking.top[item] = best_different(choices, n)
    return ranking


def best_different(choices: Iterable[Choice], n: int) -> list[Choice]:
    """The n best choices that write different trees, best first; the first of equal ones."""
    best: dict[tuple[int, ...], Choice] = {}
    for choice in sorted(choices, key=lambda choice: -choice.score):
        best.setdefault(choice.trees, choice)
    return list(best.values())[:n]


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
    found: dict[tuple[int, ...], Choice] = {}
    while heap and len(found) < n:
        negative, order, first, second = heapq.heappop(heap)
        edge = edges[order]
        left, right = ranking.top[forest.edge_left[edge]][first], ranking.top[forest.edge_right[edge]][second]
        trees = left.trees + right.trees
        found.setdefault(trees, Choice(-negative, edge, trees, first, second))
        for key in ((order, first + 1, second), (order, first, second + 1)):
            following = entry(*key) if key not in seen else None
            if following is not None:
                seen.add(key)
                heapq.heappush(heap, following)
    return list(found.values())


def _unary_choices(
    forest: Forest,
    scores: Marginals,
    ranking: Ranking,
    written: Written,
    trees: _Trees,
    item: int,
    applications: list[int],
) -> Iterator[Choice]:
    """The derivations of a top item: from its bottom item, and from its unary applications."""
    symbol, below = forest.top_symbol[item], int(forest.top_bottom[item])
    as_is, chain = float(scores.identity[item]), int(written.symbol[symbol])
    is_bare = written.is_intermediate[symbol]
    for rank, under in enumerate(ranking.bottom[below] if below != NONE else []):
        tree = under.trees if is_bare else (trees[chain, *under.trees],)
        yield Choice(as_is + under.score, NONE, tree, rank)
    for application in applications:
        score, chain = float(scores.unary[application]), int(written.unary[forest.unary_rule[application]])
        for rank, under in enumerate(ranking.bottom[forest.unary_bottom[application]]):
            yield Choice(score + under.score, application, (trees[chain, *under.trees],), rank)
