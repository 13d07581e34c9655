"""Named tuples of arrays in which kernels take a grammar and pass charts to one another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class CoarseRules(NamedTuple):
    """A plain PCFG, its binary rules grouped by their pair of children.

    Attributes
    ----------
    pair_left_start : ndarray of int64, shape (n_symbols + 1,)
        Left child b has the pairs ``pair_left_start[b]:pair_left_start[b + 1]``.
    pair_right : ndarray of int32, shape (n_pairs,)
    pair_rule_start : ndarray of int64, shape (n_pairs + 1,)
        The rules of each pair; rules are in the order of `lpcfg_cli.grammar.model.BinaryRules`.
    rule_parent : ndarray of int32, shape (n_rules,)
    rule_probability : ndarray of float64, shape (n_rules,)
    unary_parent, unary_child : ndarray of int32, shape (n_unary,)
    unary_probability : ndarray of float64, shape (n_unary,)
    root_probability : ndarray of float64, shape (n_symbols,)
    """

    pair_left_start: np.ndarray
    pair_right: np.ndarray
    pair_rule_start: np.ndarray
    rule_parent: np.ndarray
    rule_probability: np.ndarray
    unary_parent: np.ndarray
    unary_child: np.ndarray
    unary_probability: np.ndarray
    root_probability: np.ndarray


class Words(NamedTuple):
    """The lexical rules that a sentence's words may use.

    Attributes
    ----------
    start : ndarray of int64, shape (n + 1,)
        Word i has the candidates ``start[i]:start[i + 1]``.
    symbol : ndarray of int32, shape (n_candidates,)
    probability : ndarray of float64, shape (n_candidates,)
    vector_start : ndarray of int64, shape (n_candidates + 1,)
    vector : ndarray of float64, or of float32 from an ensemble
        Lexical vectors, probability included.
    """

    start: np.ndarray
    symbol: np.ndarray
    probability: np.ndarray
    vector_start: np.ndarray
    vector: np.ndarray


class CoarseInside(NamedTuple):
    """Inside probabilities of a plain PCFG; true values are the stored ones times 2^exponent.

    Attributes
    ----------
    by_start : ndarray of float64, shape (n, n_symbols, n + 1)
        ``by_start[i, a, j]``: inside of the top item a over (i, j).
    by_stop : ndarray of float64, shape (n + 1, n_symbols, n)
        The same values as ``by_stop[j, a, i]``, so that sums over splits run through memory in order.
    bottom : ndarray of float64, shape (n, n + 1, n_symbols)
        Inside of bottom items: before unary rules.
    exponent : ndarray of int64, shape (n, n + 1)
    first_by_start, last_by_start : ndarray of int32, shape (n, n_symbols)
        First and last j for which ``by_start[i, a, j]`` is not zero.
    first_by_stop, last_by_stop : ndarray of int32, shape (n + 1, n_symbols)
        First and last i for which ``by_stop[j, a, i]`` is not zero.
    """

    by_start: np.ndarray
    by_stop: np.ndarray
    bottom: np.ndarray
    exponent: np.ndarray
    first_by_start: np.ndarray
    last_by_start: np.ndarray
    first_by_stop: np.ndarray
    last_by_stop: np.ndarray


class PrunedChart(NamedTuple):
    """Which items survive pruning.

    Attributes
    ----------
    total : float
        Stored inside total of the sentence; 0 when it has no tree.
    outside : ndarray of float64, shape (n, n + 1, n_symbols)
        Outside probabilities of surviving bottom items; inside times outside is a posterior times `total`.
    top_by_start : ndarray, shape (n, n_symbols, n + 1)
    top_by_stop : ndarray, shape (n + 1, n_symbols, n)
        The same flags; see `CoarseInside`.
    top, bottom : ndarray, shape (n, n + 1, n_symbols)
        Flags of top items once more, and those of bottom items.
    cell : ndarray, shape (n, n + 1)
        Whether a span has any item.  This and the three above are of dtype bool.
    first_by_start, last_by_start, first_by_stop, last_by_stop
        As in `CoarseInside`, for surviving top items.
    """

    total: float
    outside: np.ndarray
    top_by_start: np.ndarray
    top_by_stop: np.ndarray
    top: np.ndarray
    bottom: np.ndarray
    cell: np.ndarray
    first_by_start: np.ndarray
    last_by_start: np.ndarray
    first_by_stop: np.ndarray
    last_by_stop: np.ndarray


class Items(NamedTuple):
    """The surviving items, numbered; the arrays that it shares with `Forest`, and one more.

    Attributes
    ----------
    top_number : ndarray of int32, shape (n, n_symbols, n + 1)
        ``top_number[i, a, j]``: number of the top item a over (i, j), -1 for none.
    """

    level_cell: np.ndarray
    cell_start: np.ndarray
    cell_stop: np.ndarray
    cell_bottom: np.ndarray
    cell_top: np.ndarray
    bottom_symbol: np.ndarray
    top_symbol: np.ndarray
    top_bottom: np.ndarray
    top_number: np.ndarray


class Forest(NamedTuple):
    """The surviving items and rule applications, narrow spans before wide ones.

    A *level* holds all spans of one width.  A *group* is a binary rule over one span with all its split
    points; within a level groups are sorted by rule, so that a tensor is fetched once for all its spans.

    Attributes
    ----------
    level_cell, level_group : ndarray of int64, shape (n + 1,)
        Width w has the cells and the groups from ``level_…[w - 1]`` to ``level_…[w]``.
    cell_start, cell_stop : ndarray of int32, shape (n_cells,)
        Spans that have items.
    cell_bottom, cell_top, cell_unary : ndarray of int64, shape (n_cells + 1,)
        Where each cell's bottom items, top items and unary applications begin.
    bottom_symbol : ndarray of int32, shape (n_bottom,)
    top_symbol : ndarray of int32, shape (n_top,)
    top_bottom : ndarray of int32, shape (n_top,)
        The bottom item of the same symbol, -1 if it was pruned.
    group_bottom, group_rule : ndarray of int32, shape (n_groups,)
    group_edge : ndarray of int64, shape (n_groups + 1,)
        Where each group's edges begin.
    edge_left, edge_right : ndarray of int32, shape (n_edges,)
        Top items of the two children.
    edge_left_width : ndarray of int32, shape (n_edges,)
        Number of words of the left child.
    edge_weight : ndarray of float64, shape (n_edges,)
        2^(exponents of the children − exponent of the span).
    unary_top, unary_bottom, unary_rule : ndarray of int32, shape (n_unary,)
        Unary applications.
    """

    level_cell: np.ndarray
    level_group: np.ndarray
    cell_start: np.ndarray
    cell_stop: np.ndarray
    cell_bottom: np.ndarray
    cell_top: np.ndarray
    cell_unary: np.ndarray
    bottom_symbol: np.ndarray
    top_symbol: np.ndarray
    top_bottom: np.ndarray
    group_bottom: np.ndarray
    group_rule: np.ndarray
    group_edge: np.ndarray
    edge_left: np.ndarray
    edge_right: np.ndarray
    edge_left_width: np.ndarray
    edge_weight: np.ndarray
    unary_top: np.ndarray
    unary_bottom: np.ndarray
    unary_rule: np.ndarray

    @property
    def edge_bottom(self) -> np.ndarray:
        """The bottom item above each edge, int32, shape (n_edges,)."""
        return np.repeat(self.group_bottom, np.diff(self.group_edge))


class Vectors(NamedTuple):
    """Inside vectors of a forest's items, and what of them the outside pass uses again.

    The coarse exponents keep plain probabilities near 1; an L-PCFG's drift from them, by a factor a word, so
    that vectors have exponents of their own, one for each width.

    Attributes
    ----------
    level_exponent : ndarray of int64, shape (n + 1,)
        Vectors over w words are the stored ones times 2^``level_exponent[w]``.
    edge_weight : ndarray of float64, shape (n_edges,)
        That of the forest, with these exponents taken in.
    bottom_start, top_start : ndarray of int64, shape (n_items + 1,)
        Where each item's vector begins.
    bottom, top : ndarray of float64
    part_start : ndarray of int64, shape (n_edges + 1,)
        Where each edge's parts begin; only edges of factored rules have any.
    left_part, right_part : ndarray of float64
        V·α and W·α of the children of edges of factored rules.
    """

    level_exponent: np.ndarray
    edge_weight: np.ndarray
    bottom_start: np.ndarray
    top_start: np.ndarray
    bottom: np.ndarray
    top: np.ndarray
    part_start: np.ndarray
    left_part: np.ndarray
    right_part: np.ndarray


class TensorRules(NamedTuple):
    """The parameters of an L-PCFG as kernels take them; see `lpcfg_cli.grammar.model`."""

    n_states: np.ndarray
    parent: np.ndarray
    left: np.ndarray
    right: np.ndarray
    rank: np.ndarray
    start: np.ndarray
    values: np.ndarray
    unary_start: np.ndarray
    unary_values: np.ndarray
    root_start: np.ndarray
    root_vector: np.ndarray


class Marginals(NamedTuple):
    """Rule marginals over a `Forest`, all times the same power of two.

    Attributes
    ----------
    exponent : int
        True values are the stored ones times 2^(this + the exponent of the sentence in the coarse pass).
    total : float
        Z, the inside total of the sentence.
    edge : ndarray of float64, shape (n_edges,)
        µ(a → b c, i, k, j).
    unary : ndarray of float64, shape (n_unary,)
        µ(a → b, i, j).
    lexical : ndarray of float64, shape (n_bottom,)
        µ(a, i, i + 1) of the bottom items of single words; zero for the others.
    identity : ndarray of float64, shape (n_top,)
        µ of top items that are the bottom item of their symbol, without a unary rule over it.
    """

    exponent: int
    total: float
    edge: np.ndarray
    unary: np.ndarray
    lexical: np.ndarray
    identity: np.ndarray


class GrammarMarginals(NamedTuple):
    """What one grammar says of the rule applications of a forest.

    Attributes
    ----------
    marginals : Marginals
    is_probabilistic : bool
        Whether the grammar's parameters are probabilities.
    """

    marginals: Marginals
    is_probabilistic: bool
