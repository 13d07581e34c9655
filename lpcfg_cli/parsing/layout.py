"""Named tuples of arrays: the form in which kernels take grammars and sentences and return charts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class CoarseRules(NamedTuple):
    """A plain PCFG, its binary rules grouped by their pair of children, and where it may use symbols and unary rules.

    Attributes
    ----------
    pair_left_start : ndarray of int64, shape (n_symbols + 1,)
        Left child b has the pairs ``pair_left_start[b]:pair_left_start[b + 1]``.
    pair_right : ndarray of int32, shape (n_pairs,)
        Right child of each pair.
    pair_number : ndarray of int32, shape (n_symbols, n_symbols)
        ``pair_number[b, c]``: the pair of these children, -1 if no rule has them.
    pair_rule_start : ndarray of int64, shape (n_pairs + 1,)
        Pair p has the rules ``pair_rule_start[p]:pair_rule_start[p + 1]``, in the order of
        `lpcfg_cli.grammar.model.BinaryRules`.
    rule_parent : ndarray of int32, shape (n_rules,)
    rule_probability : ndarray of float64, shape (n_rules,)
    unary_parent, unary_child : ndarray of int32, shape (n_unary,)
    unary_probability : ndarray of float64, shape (n_unary,)
    root_probability : ndarray of float64, shape (n_symbols,)
    permitted_bottom, permitted_identity : ndarray of bool, shape (n, n + 1, n_symbols), or (0, 0, 0)
        Whether a bottom item a may stand over (i, j), and whether a top item a there may have no unary rule; empty if
        there are no constraints.
    permitted_unary : ndarray of bool, shape (n, n + 1, n_unary), or (0, 0, 0)
        Whether each unary rule may apply over (i, j).
    """

    pair_left_start: np.ndarray
    pair_right: np.ndarray
    pair_number: np.ndarray
    pair_rule_start: np.ndarray
    rule_parent: np.ndarray
    rule_probability: np.ndarray
    unary_parent: np.ndarray
    unary_child: np.ndarray
    unary_probability: np.ndarray
    root_probability: np.ndarray
    permitted_bottom: np.ndarray
    permitted_identity: np.ndarray
    permitted_unary: np.ndarray


class Words(NamedTuple):
    """The lexical rules that a sentence's words may use.

    Attributes
    ----------
    start : ndarray of int64, shape (n + 1,)
        Word i has the candidates ``start[i]:start[i + 1]``.
    symbol : ndarray of int32, shape (n_candidates,)
        Preterminal of each candidate.
    probability : ndarray of float64, shape (n_candidates,)
        p(word | preterminal) in the plain PCFG.
    vector_start : ndarray of int64, shape (n_candidates + 1,)
        Candidate x has the vector ``vector[vector_start[x]:vector_start[x + 1]]``.
    vector : ndarray of float64, or of float32 from an ensemble
        Lexical vectors of shape (m_a,), multiplied by the probability.
    """

    start: np.ndarray
    symbol: np.ndarray
    probability: np.ndarray
    vector_start: np.ndarray
    vector: np.ndarray


class CoarseInside(NamedTuple):
    """Inside probabilities of a plain PCFG; the true values are the stored ones times 2^exponent of their span.

    Attributes
    ----------
    by_start : ndarray of float64, shape (n, n_symbols, n + 1)
        ``by_start[i, a, j]``: inside of the top item a over (i, j).
    by_stop : ndarray of float64, shape (n + 1, n_symbols, n)
        The same values as ``by_stop[j, a, i]``, so that sums over split points read memory in order.
    bottom : ndarray of float64, shape (n, n + 1, n_symbols)
        Inside of bottom items, before unary rules.
    exponent : ndarray of int64, shape (n, n + 1)
        Exponent of each span.
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
    """The items that survive pruning.

    Attributes
    ----------
    total : float
        Stored inside total of the sentence; 0 if it has no tree.
    outside : ndarray of float64, shape (n, n + 1, n_symbols)
        Outside probabilities of surviving bottom items; inside times outside is the posterior times `total`.
    top : ndarray of bool, shape (n, n + 1, n_symbols)
        Whether the top item a over (i, j) survives, as ``top[i, j, a]``.
    bottom : ndarray of bool, shape (n, n + 1, n_symbols)
        Whether the bottom item a over (i, j) survives, as ``bottom[i, j, a]``.
    cell : ndarray of bool, shape (n, n + 1)
        Whether a span has any surviving item.
    """

    total: float
    outside: np.ndarray
    top: np.ndarray
    bottom: np.ndarray
    cell: np.ndarray


class Items(NamedTuple):
    """The surviving items, numbered: arrays as in `Forest`, and four more.

    Attributes
    ----------
    top_inside : ndarray of float64, shape (n_top,)
        Inside of each top item in the coarse pass.
    cell_number : ndarray of int32, shape (n, n + 1)
        Number of the cell of each span, -1 for none.
    bottom_number, top_number : ndarray of int32, shape (n_cells, n_symbols)
        The bottom and the top item of each cell with each symbol, -1 for none.
    """

    level_cell: np.ndarray
    cell_start: np.ndarray
    cell_stop: np.ndarray
    cell_bottom: np.ndarray
    cell_top: np.ndarray
    bottom_symbol: np.ndarray
    top_symbol: np.ndarray
    top_bottom: np.ndarray
    top_inside: np.ndarray
    cell_number: np.ndarray
    bottom_number: np.ndarray
    top_number: np.ndarray


class Edges(NamedTuple):
    """Binary rule applications.

    Attributes
    ----------
    rule, bottom : ndarray of int32
        Binary rule, and the bottom item above it.
    left, right, left_width, weight : ndarray
        As `edge_left`, `edge_right`, `edge_left_width` and `edge_weight` of a `Forest`.
    """

    rule: np.ndarray
    bottom: np.ndarray
    left: np.ndarray
    right: np.ndarray
    left_width: np.ndarray
    weight: np.ndarray


class Forest(NamedTuple):
    """The surviving items and rule applications, narrow spans before wide ones.

    A *level* has all spans of one width.  A *cell* is a span with items.  A *bottom item* is a symbol over a span
    before unary rules, a *top item* after them.  An *edge* is a binary rule application: rule, span and split point.
    A *group* has all edges of one rule over one span; within a level groups are sorted by rule, so that a tensor is
    read once for all spans.

    Attributes
    ----------
    level_cell, level_group : ndarray of int64, shape (n + 1,)
        Width w has the cells ``level_cell[w - 1]:level_cell[w]`` and the groups ``level_group[w - 1]:level_group[w]``.
    cell_start, cell_stop : ndarray of int32, shape (n_cells,)
        The span of each cell.
    cell_bottom, cell_top, cell_unary : ndarray of int64, shape (n_cells + 1,)
        Where the bottom items, top items and unary applications of each cell begin.
    bottom_symbol : ndarray of int32, shape (n_bottom,)
    top_symbol : ndarray of int32, shape (n_top,)
    top_bottom : ndarray of int32, shape (n_top,)
        The bottom item of the same symbol and span, -1 if it was pruned.
    group_bottom, group_rule : ndarray of int32, shape (n_groups,)
        Bottom item above each group, and its binary rule.
    group_edge : ndarray of int64, shape (n_groups + 1,)
        Group g has the edges ``group_edge[g]:group_edge[g + 1]``.
    edge_left, edge_right : ndarray of int32, shape (n_edges,)
        Top items of the two children.
    edge_left_width : ndarray of int32, shape (n_edges,)
        Number of words of the left child.
    edge_weight : ndarray of float64, shape (n_edges,)
        2^(sum of the exponents of the children − exponent of the span), exponents being those of the coarse pass.
    unary_top, unary_bottom, unary_rule : ndarray of int32, shape (n_unary,)
        The items and the rule of each unary application.
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

    @property
    def cell_span(self) -> list[tuple[int, int]]:
        """The half-open span of each cell."""
        return list(zip(self.cell_start.tolist(), self.cell_stop.tolist(), strict=True))


class Batch(NamedTuple):
    """The forests of several sentences, one after the other.

    Attributes
    ----------
    forest : Forest
        Its arrays are those of the sentences' forests, with numbers of items and edges that go on from one sentence to
        the next; `cell_start` and `cell_stop` count words through the batch.
    level_start : ndarray of int64, shape (n_sentences + 1,)
        The n + 1 entries of a sentence in `level_cell` and `level_group` are
        ``level_start[sentence]:level_start[sentence + 1]``.
    """

    forest: Forest
    level_start: np.ndarray


class Parts(NamedTuple):
    """The *parts* of the left children of factored rules, V α of each, or of the right ones, W α.

    A part is made once for all edges of a rule with one child.  Parts are sorted by width of the child and by rule.

    Attributes
    ----------
    level_part : ndarray of int64, shape (largest n + 1,)
        Children of width w have the parts ``level_part[w - 1]:level_part[w]``.
    item : ndarray of int32, shape (n_parts,)
        The child, a top item.
    matrix : ndarray of int64, shape (n_parts,)
        Where V or W begins in the values of the rules.
    start : ndarray of int64, shape (n_parts + 1,)
        Where each part, (R,), begins in `vector`.
    edge : ndarray of int64, shape (n_edges,)
        Where the part of each edge begins; not set for edges of dense rules.
    vector : ndarray of float32 or float64
    """

    level_part: np.ndarray
    item: np.ndarray
    matrix: np.ndarray
    start: np.ndarray
    edge: np.ndarray
    vector: np.ndarray


class Vectors(NamedTuple):
    """Inside vectors of the items of a batch of forests, and intermediate results for the outside pass.

    The exponents of the coarse pass keep the probabilities of the plain PCFG near 1.  Those of an L-PCFG drift from
    them by a factor for each word, so that vectors have further exponents, one for each width.

    Attributes
    ----------
    level_exponent : ndarray of int64
        The true vectors of a level are the stored ones times 2^(its entry); levels are numbered as in the batch.
    edge_weight : ndarray of float64, shape (n_edges,)
        That of the forest, with these exponents included.
    bottom_start, top_start : ndarray of int64, shapes (n_bottom + 1,) and (n_top + 1,)
        Where the vector of each item begins.
    bottom, top : ndarray of float32 or float64, as the rules' values
        α of the bottom and of the top items, (m_a,) each.
    left, right : Parts
    level_order, group_order : ndarray of int64, shapes (largest n + 1,) and (n_groups,)
        The groups of all sentences by width, rule and sentence: width w has
        ``group_order[level_order[w - 1]:level_order[w]]``.
    """

    level_exponent: np.ndarray
    edge_weight: np.ndarray
    bottom_start: np.ndarray
    top_start: np.ndarray
    bottom: np.ndarray
    top: np.ndarray
    left: Parts
    right: Parts
    level_order: np.ndarray
    group_order: np.ndarray


class OutsideVectors(NamedTuple):
    """Outside vectors of the items of a batch of forests, each laid out as in `Vectors`.

    Attributes
    ----------
    bottom, top : ndarray of float32 or float64
        β of the bottom and of the top items.
    left, right : ndarray of float32 or float64
        What the parts of the left and the right children are multiplied by, summed over edges.
    """

    bottom: np.ndarray
    top: np.ndarray
    left: np.ndarray
    right: np.ndarray


class TensorRules(NamedTuple):
    """The parameters of an L-PCFG, those of binary rules once for each pass, in the order in which it reads them.

    Both passes multiply vectors by transposed matrices: they sum rows, which are as long as the result.

    Attributes
    ----------
    n_states : ndarray of int64, shape (n_symbols,)
        m_a.
    parent, left, right : ndarray of int32, shape (n_rules,)
        Symbols of the binary rules.
    rank : ndarray of int64, shape (n_rules,)
        R of factored tensors, 0 for dense ones.
    start : ndarray of int64, shape (n_rules + 1,)
        The parameters of binary rule r begin at ``start[r]`` in `inside_values` and in `outside_values`.
    inside_values : ndarray of float32 or float64, or uint16 for upper halves
        A dense tensor, (m_b, m_c, m_a), or a factored one: U, (R, m_a), Vᵀ, (m_b, R), and Wᵀ, (m_c, R).
        `lpcfg_cli.arrays.halves` tells what upper halves are.
    outside_values : ndarray of float32 or float64, or uint16 for upper halves
        A dense tensor, (m_a, m_b · m_c), cut into panels of some columns, one after the other; or a factored one:
        Uᵀ, (m_a, R), V, (R, m_b), and W, (R, m_c).
    unary_start : ndarray of int64, shape (n_unary + 1,)
        Unary rule u has ``unary_values[unary_start[u]:unary_start[u + 1]]``.
    unary_values : ndarray of float32 or float64
    root_start : ndarray of int64, shape (n_symbols + 1,)
        Symbol a has ``root_vector[root_start[a]:root_start[a + 1]]``.
    root_vector : ndarray of float32 or float64, shape (Σ m_a,)
    """

    n_states: np.ndarray
    parent: np.ndarray
    left: np.ndarray
    right: np.ndarray
    rank: np.ndarray
    start: np.ndarray
    inside_values: np.ndarray
    outside_values: np.ndarray
    unary_start: np.ndarray
    unary_values: np.ndarray
    root_start: np.ndarray
    root_vector: np.ndarray


class Marginals(NamedTuple):
    """Marginals of the rule applications of a `Forest`, all scaled by the same power of two.

    Attributes
    ----------
    exponent : int
        The true values are the stored ones times 2^(`exponent` + exponent of the sentence in the coarse pass).
    total : float
        Z, the inside total of the sentence.
    edge : ndarray of float64, shape (n_edges,)
        µ(a → b c, i, k, j).
    unary : ndarray of float64, shape (n_unary,)
        µ(a → b, i, j).
    lexical : ndarray of float64, shape (n_bottom,)
        µ(a, i, i + 1) of the bottom items of single words; zero for all others.
    identity : ndarray of float64, shape (n_top,)
        µ that the top item is the bottom item of its symbol, without a unary rule.
    """

    exponent: int
    total: float
    edge: np.ndarray
    unary: np.ndarray
    lexical: np.ndarray
    identity: np.ndarray


class Shares(NamedTuple):
    """Inside values of a forest whose rule applications have scores, and their terms; see `posterior_kernels`.

    Attributes
    ----------
    bottom, top : ndarray of float64, shapes (n_bottom,) and (n_top,)
        Logarithm of the inside value of each item; −∞ without a tree.
    bottom_sum, top_sum : ndarray of float64, shapes (n_bottom,) and (n_top,)
        Sum of the item's terms below.
    edge, unary, identity : ndarray of float64, shapes (n_edges,), (n_unary,) and (n_top,)
        Weight of the trees through each rule application, divided by the largest of the item above it.
    """

    bottom: np.ndarray
    top: np.ndarray
    bottom_sum: np.ndarray
    top_sum: np.ndarray
    edge: np.ndarray
    unary: np.ndarray
    identity: np.ndarray


class GrammarMarginals(NamedTuple):
    """One grammar's marginals of the rule applications of a forest.

    Attributes
    ----------
    marginals : Marginals
    is_probabilistic : bool
        Whether the grammar's parameters are probabilities.
    """

    marginals: Marginals
    is_probabilistic: bool
