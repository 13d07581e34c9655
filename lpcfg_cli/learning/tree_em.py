"""Expectation maximisation for L-PCFGs over given trees (Matsuzaki et al. 2005; the baseline of C13 §4)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from lpcfg_cli.em.loop import Expectation
from lpcfg_cli.errors import NumericalError
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.learning import tree_em_kernels as em_kernels
from lpcfg_cli.learning.rule_table import RuleParameters, RuleTable, log_prior, maximise
from lpcfg_cli.treebank.binary import NONE, UNARY, BinaryTreebank

PART_NODES = 1 << 17
"""Number of nodes whose expected counts one task computes.  It is fixed, so that the order of summation, and thus every
digit of the result, does not depend on the number of workers."""


class TreePart(NamedTuple):
    """Some of the trees in the form of the kernels: nodes are sorted by height, then by rule.

    Attributes
    ----------
    run : ndarray of int64, shape (n_runs + 1,)
        Run k has the nodes ``run[k]:run[k + 1]``, all of one height and one rule.
    by_rule : ndarray of int64, shape (n,)
        Nodes sorted by rule.
    rule : ndarray of int32, shape (n,)
        Rule of each node.
    left, right : ndarray of int32, shape (n,)
        Children as in `lpcfg_cli.learning.tree_em_kernels`: n stands for an absent child, an only child is the right
        one.
    root : ndarray of int32, shape (n_trees,)
        Root nodes.
    symbol : ndarray of int32, shape (n,)
        Symbol of each node.
    weight : ndarray of float64, shape (n,)
        Weight of each node's tree.
    """

    run: np.ndarray
    by_rule: np.ndarray
    rule: np.ndarray
    left: np.ndarray
    right: np.ndarray
    root: np.ndarray
    symbol: np.ndarray
    weight: np.ndarray


class TableArrays(NamedTuple):
    """The arrays of a `RuleTable` that the kernels need."""

    shape: np.ndarray
    start: np.ndarray
    state_start: np.ndarray


@dataclass(frozen=True)
class TreeModel:
    """An L-PCFG over given trees, as `lpcfg_cli.em.loop.Model`.

    Attributes
    ----------
    parts : list of TreePart
    table : RuleTable
    prior : float
        κ, as for `maximise`.
    mapper : callable like map
        Spreads the parts over workers; results do not depend on it.
    """

    parts: list[TreePart]
    table: RuleTable
    prior: float
    mapper: Mapper = map

    def expect(self, parameters: RuleParameters) -> Expectation[RuleParameters]:
        """Expected counts of root states, and of rules with their states."""
        return expect(self.parts, self.table, parameters, self.mapper)

    def maximise(self, counts: RuleParameters) -> RuleParameters:
        """The most probable parameters given expected counts."""
        return maximise(self.table, counts, self.prior)

    def log_prior(self, parameters: RuleParameters) -> float:
        """Logarithm of the Dirichlet prior's density."""
        return log_prior(self.table, parameters, self.prior)


def divide_trees(trees: BinaryTreebank, table: RuleTable, part_nodes: int = PART_NODES) -> list[TreePart]:
    """Cut the treebank, between trees, into parts of about `part_nodes` nodes."""
    first_of = (trees.tree_start[:-1] // part_nodes).astype(np.int64)
    bounds = np.append(trees.tree_start[:-1][np.append(True, first_of[1:] != first_of[:-1])], trees.n_nodes)
    return [_part(trees, table, first, last) for first, last in pairwise(bounds.tolist())]


def _part(trees: BinaryTreebank, table: RuleTable, first: int, last: int) -> TreePart:
    here, n = slice(first, last), last - first
    left, right = trees.left[here] - first, trees.right[here] - first
    is_unary = trees.kind[here] == UNARY
    right = np.where(is_unary, left, right)
    left, right = np.where((left < 0) | is_unary, n, left), np.where(right < 0, n, right)
    rule = table.node_rule[here]
    height = em_kernels.heights(left, right)
    order = np.lexsort([rule, height])
    place = np.empty(n + 1, np.int32)
    place[order], place[n] = np.arange(n), n
    rule, height = rule[order], height[order]
    is_first = np.append(True, (np.diff(rule) != 0) | (np.diff(height) != 0))
    return TreePart(
        np.append(np.flatnonzero(is_first), n),
        np.argsort(rule, kind="stable"),
        rule,
        place[left[order]],
        place[right[order]],
        place[np.flatnonzero(trees.parent[here] == NONE)],
        trees.symbol[here][order],
        trees.node_weight()[here][order],
    )


def expect(
    parts: list[TreePart], table: RuleTable, parameters: RuleParameters, mapper: Mapper = map
) -> Expectation[RuleParameters]:
    """The E-step: expected counts over all trees.

    Parameters
    ----------
    parts : list of TreePart
    table : RuleTable
    parameters : RuleParameters
    mapper : callable like map
        Spreads the parts over workers; results do not depend on it.

    Raises
    ------
    NumericalError
        A tree has probability zero.
    """
    arrays = TableArrays(table.shape, table.start, table.state_start)
    found = iter(mapper(_expect_part, ((part, arrays, parameters) for part in parts)))
    first = next(found)
    counts, total = first.counts, first.log_likelihood
    for other in found:
        np.add(counts.root, other.counts.root, out=counts.root)
        np.add(counts.rules, other.counts.rules, out=counts.rules)
        total += other.log_likelihood
    if not np.isfinite(total):
        raise NumericalError("EM: a training tree has probability zero. Give em.prior a value above zero.")
    em_kernels.multiply(parameters.rules, counts.rules)
    return Expectation(counts, total)


def _expect_part(task: tuple[TreePart, TableArrays, RuleParameters]) -> Expectation[RuleParameters]:
    part, table, parameters = task
    n, m = len(part.rule), int(table.shape.max())
    alpha, beta, scale = np.zeros((n + 1, m)), np.zeros((n + 1, m)), np.empty(n)
    counts = RuleParameters(np.zeros(len(parameters.root)), np.zeros(len(parameters.rules)))
    way = (part.rule, part.left, part.right, table.shape, table.start)
    total = em_kernels.inside(part.run, *way, parameters.rules, part.weight, alpha, scale)
    if np.isfinite(total):
        tops = (part.root, part.symbol, part.weight)
        total += em_kernels.roots(*tops, table.state_start, parameters.root, alpha, beta, counts.root)
    if np.isfinite(total):
        em_kernels.outside(part.run, *way, parameters.rules, alpha, scale, beta)
        em_kernels.count(part.by_rule, *way, alpha, scale, beta, counts.rules)
    return Expectation(counts, float(total))
