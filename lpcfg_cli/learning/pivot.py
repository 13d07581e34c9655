"""Pivot learning of L-PCFGs: states from features that only one state has (Cohen and Collins 2014).

For each nonterminal, `lpcfg_cli.spectral.anchor_factorization` finds p(h | a) and the distributions of inside and
outside features given h.  For each rule, EM on a concave likelihood finds the joint distribution of its states.  The
resulting parameters are probabilities.

Departures from the paper: there are also unary rules, with t(h1, h2) and the same objective less one factor; the sum
over all combinations of templates (§6.2) is taken over a few combinations drawn for each node; each rule's t has a
Dirichlet prior.  All vanish as the treebank grows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpcfg_cli.arrays.grouping import number_rows
from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.arrays.streams import Purpose, stream
from lpcfg_cli.config import FeatureSettings, PivotSettings, Settings
from lpcfg_cli.em import mixture_kernels
from lpcfg_cli.em.mixture import Convex
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.features.matrices import FeatureMatrices, NodeFeatures
from lpcfg_cli.learning.em_steps import REFINING, Start, fit_by_em
from lpcfg_cli.learning.learner import Learner, LearningContext, Learnt, names_of
from lpcfg_cli.learning.mixing import MIXING, mixed_grammar
from lpcfg_cli.learning.projected_nodes import ProjectedNodes
from lpcfg_cli.learning.rule_table import RuleParameters, RuleTable, maximise, rule_table
from lpcfg_cli.learning.smoothing import weighted_mean
from lpcfg_cli.learning.training_data import TrainingData
from lpcfg_cli.spectral.anchor_factorization import Decomposition, Side, decompose
from lpcfg_cli.spectral.scaling import weighted
from lpcfg_cli.treebank.binary import NONE, UNARY, BinaryTreebank

if TYPE_CHECKING:
    from scipy import sparse

PRESENT = FeatureSettings(scale=False)
"""Settings that give every present feature the value 1."""


@dataclass(frozen=True)
class Examples:
    """The observations of the convex EM of each rule: combinations of features at occurrences of the rule.

    Attributes
    ----------
    first : ndarray of int64, shape (n_rules + 1,)
        Rule r has the examples ``first[r]:first[r + 1]``.
    rows : ndarray of int32, shape (n_examples, 3)
        An outside feature g of the parent and inside features f2, f3 of the children, numbered across all symbols.
    weight : ndarray of float64, shape (n_examples,)
        How often the combination occurs; the weights of a rule sum to its count.
    """

    first: np.ndarray
    rows: np.ndarray
    weight: np.ndarray


def decompose_symbols(
    features: NodeFeatures, projected: ProjectedNodes, settings: PivotSettings, progress: Progress = no_progress
) -> list[Decomposition]:
    """Find the states of every nonterminal (CC14 Fig. 1, step 1).

    Parameters
    ----------
    features : NodeFeatures
    projected : ProjectedNodes
        Projections from canonical correlation; `n_states` is the largest m of each nonterminal.
    settings : PivotSettings
    progress : Progress
        Reports progress over the nonterminals.

    Returns
    -------
    list of Decomposition
        One for each symbol.
    """
    symbols = range(len(projected.n_states))
    steps = progress(symbols, "states", len(symbols), "symbol")
    return [_decompose_symbol(a, features, projected, settings) for a in steps]


def _decompose_symbol(
    a: int, features: NodeFeatures, projected: ProjectedNodes, settings: PivotSettings
) -> Decomposition:
    order, m = features.order, int(projected.n_states[a])
    nodes = order.node[order.row_start[a] : order.row_start[a + 1]]
    weight = order.weight_of(a)
    phi, psi = (side.matrix(a, order, PRESENT) for side in (features.inside, features.outside))
    counted = weighted(phi, weight)
    inside = _side(a, features.inside, counted, _unit_columns(projected.outside[nodes, :m], weight))
    outside = _side(a, features.outside, weighted(psi, weight), _unit_columns(projected.inside[nodes, :m], weight))
    least, convex = settings.anchor_count * np.sqrt(weight.sum()), Convex(settings.steps, settings.tolerance)
    return decompose((counted.T @ psi).tocsr(), inside, outside, m, least, convex)


def _side(a: int, features: FeatureMatrices, matrix: sparse.csr_array, representation: np.ndarray) -> Side:
    number = slice(*features.column_start[a : a + 2])
    count = features.count[number].astype(float)
    return Side(matrix.T @ representation / count[:, None], count, features.template[number])


def _unit_columns(values: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Columns divided by their root mean squares: in this metric the noise of CCA is the same in all directions."""
    size = np.sqrt(weighted_mean(values**2, weight))
    return values / np.where(size > 0, size, 1.0)


def pivot_counts(
    trees: BinaryTreebank,
    table: RuleTable,
    features: NodeFeatures,
    decompositions: Sequence[Decomposition],
    settings: PivotSettings,
    rng: np.random.Generator,
    progress: Progress = no_progress,
) -> RuleParameters:
    """Expected counts of rules with their states, and of root states (CC14 Fig. 1, steps 2 and 3; §6.1).

    `lpcfg_cli.learning.rule_table.maximise` turns them into parameters.

    Parameters
    ----------
    trees : BinaryTreebank
    table : RuleTable
        With the numbers of states of `decompositions`.
    features : NodeFeatures
    decompositions : sequence of Decomposition
        One for each symbol.
    settings : PivotSettings
    rng : Generator
        Draws the templates whose features stand for an occurrence of a rule.
    progress : Progress
        Reports progress over the binary and unary rules.
    """
    stacked = _Stacked(trees, table, features, decompositions)
    rules = stacked.independent_states()
    n_inner = len(table.binary) + len(table.unary)
    examples, blocks = stacked.examples(settings.combinations, rng), table.blocks(rules)
    how = (stacked.outside, stacked.inside, settings.rule_prior, settings.steps, settings.tolerance)
    for rule in progress(range(n_inner), "rules", n_inner, "rule"):
        own = slice(*examples.first[rule : rule + 2])
        mixture_kernels.fit_mixture(blocks[rule], examples.rows[own], examples.weight[own], *how)
    rules[table.start[n_inner] :] = stacked.lexical_states()
    return RuleParameters(stacked.root_counts(), rules * np.repeat(table.count, np.diff(table.start)))


class _Stacked:
    """The decompositions of all symbols, stacked, and padded with zeros to the largest m.

    Attributes
    ----------
    states : ndarray, shape (n_symbols + 1, m)
        p(h | a).  The last row stands for an absent child, which has one state.
    inside : ndarray, shape (n_inside_features + 1, m)
        r(f | h) / p(f).  The last row stands for an absent child.
    outside : ndarray, shape (n_outside_features, m)
        The same for outside features.
    """

    def __init__(
        self,
        trees: BinaryTreebank,
        table: RuleTable,
        features: NodeFeatures,
        decompositions: Sequence[Decomposition],
    ):
        self.trees, self.table, self.features = trees, table, features
        absent = np.ones((1, 1))
        self.states = _padded([*(d.states[None] for d in decompositions), absent])
        self.inside = _padded([*(d.inside for d in decompositions), absent])
        self.outside = _padded([d.outside for d in decompositions])
        self.row = np.empty(trees.n_nodes, np.int64)
        self.row[features.order.node] = np.arange(trees.n_nodes)

    def independent_states(self) -> np.ndarray:
        """p(h1 | a) p(h2 | b) p(h3 | c) for all rules, shape (Σ m_a m_b m_c,).

        The convex EM starts there, and the prior keeps rare rules near it.
        """
        table = self.table
        values = np.empty(table.start[-1])
        for rule, block in enumerate(table.blocks(values)):
            symbols = (table.parent[rule], table.left[rule], table.right[rule])
            a, b, c = (self.states[s, :m] for s, m in zip(symbols, block.shape, strict=True))
            block[...] = a[:, None, None] * b[:, None] * c
        return values

    def examples(self, combinations: int, rng: np.random.Generator) -> Examples:
        """Draw feature combinations for each binary or unary node; a rule's equal examples become one with a weight."""
        trees, table = self.trees, self.table
        nodes = np.repeat(np.concatenate([table.binary.member, table.unary.member]), combinations)
        is_unary = trees.kind[nodes] == UNARY
        only, rule = trees.left[nodes], table.node_rule[nodes]
        right = self.draw(self.features.inside, np.where(is_unary, only, trees.right[nodes]), rng)
        left = np.where(is_unary, len(self.inside) - 1, self.draw(self.features.inside, only, rng))
        above = self.draw(self.features.outside, nodes, rng)
        number, where = number_rows([rule, above, left, right])
        count = np.bincount(number, trees.node_weight()[nodes])
        by_rule = np.argsort(rule[where], kind="stable")
        rows = np.stack([above[where], left[where], right[where]], 1)[by_rule]
        size = np.bincount(rule[where], minlength=len(table.binary) + len(table.unary))
        return Examples(starts(size), rows.astype(np.int32), count[by_rule] / combinations)

    def draw(self, side: FeatureMatrices, nodes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """For each node, the feature of a template drawn at random, numbered across all symbols; int, shape (n,)."""
        begin, end = side.indptr[self.row[nodes]], side.indptr[self.row[nodes] + 1]
        return side.column_start[self.trees.symbol[nodes]] + side.indices[begin + rng.integers(0, end - begin)]

    def rarest(self, side: FeatureMatrices, nodes: np.ndarray) -> np.ndarray:
        """For each node, its rarest feature, numbered across all symbols; int, shape (n,).

        The same templates must apply to all of the nodes.
        """
        begin, end = side.indptr[self.row[nodes]], side.indptr[self.row[nodes] + 1]
        columns = side.indices[begin[:, None] + np.arange(int((end - begin)[0]))]
        number = side.column_start[self.trees.symbol[nodes]][:, None] + columns
        return number[np.arange(len(nodes)), side.count[number].argmin(1)]

    def lexical_states(self) -> np.ndarray:
        """p(h | a → x) of all lexical rules, given the inside feature that identifies the rule (CC14 §6.1)."""
        nodes = self.table.lexical.first
        posterior = self.posterior(nodes, self.inside[self.rarest(self.features.inside, nodes)])
        return posterior[np.arange(posterior.shape[1]) < self.table.n_states[self.trees.symbol[nodes]][:, None]]

    def root_counts(self) -> np.ndarray:
        """count(a at the root) p(h | a, □), shape (Σ m_a,); □: the outside feature that only roots have (CC14 §6.1)."""
        roots = np.flatnonzero(self.trees.parent == NONE)
        symbols, where, number = np.unique(self.trees.symbol[roots], return_index=True, return_inverse=True)
        count = np.bincount(number, self.trees.weight)
        counts = np.zeros((len(self.table.n_states), self.states.shape[1]))
        posterior = self.posterior(roots[where], self.outside[self.rarest(self.features.outside, roots[where])])
        counts[symbols] = count[:, None] * posterior
        return counts[np.arange(counts.shape[1]) < self.table.n_states[:, None]]

    def posterior(self, nodes: np.ndarray, ratio: np.ndarray) -> np.ndarray:
        """p(h | a, f) from `ratio`, r(f | h) / p(f); both of shape (n, m)."""
        joint = self.states[self.trees.symbol[nodes]] * ratio
        return joint / joint.sum(1, keepdims=True)


def _padded(parts: list[np.ndarray]) -> np.ndarray:
    """Stack matrices vertically, padded with zeros on the right to the widest."""
    result = np.zeros((sum(map(len, parts)), max(part.shape[1] for part in parts)))
    for part, end in zip(parts, np.cumsum([len(part) for part in parts]), strict=True):
        result[end - len(part) : end, : part.shape[1]] = part
    return result


def pivot_start(data: TrainingData, settings: Settings, progress: Progress) -> Start:
    """The states that pivot features identify, and their parameters, as a start for EM."""
    projected = data.projections()
    found = decompose_symbols(data.features, projected, settings.pivot, progress)
    table = rule_table(data.trees, data.entry, np.array([symbol.n_states for symbol in found], np.int32))

    def parameters() -> RuleParameters:
        rng = stream(settings.seed, Purpose.PIVOT)
        counts = pivot_counts(data.trees, table, data.features, found, settings.pivot, rng, progress)
        return maximise(table, counts, settings.em.prior)

    return Start(table, parameters)


def fit_pivot(data: TrainingData, settings: Settings, context: LearningContext) -> Learnt:
    """Pivot learning without EM steps over trees."""
    start = pivot_start(data, settings, context.progress)
    return Learnt(mixed_grammar(data, start.table, start.parameters(), settings.em))


def fit_pivot_em(data: TrainingData, settings: Settings, context: LearningContext) -> Learnt:
    """EM from the parameters of pivot learning; takes at most ``em.refine`` steps."""
    start = pivot_start(data, settings, context.progress)
    return fit_by_em(data, settings, context, PIVOT_EM, start, settings.em.refine)


PIVOT = Learner(
    name="pivot",
    summary="states found by features that only one state has (CC14)",
    fit=fit_pivot,
    shaped_by={"pivot": names_of(PivotSettings), "em": ("prior", *MIXING)},
    needs_projections=True,
)

PIVOT_EM = Learner(
    name="pivot+em",
    summary="EM from the states of pivot",
    fit=fit_pivot_em,
    shaped_by={"pivot": names_of(PivotSettings), "em": REFINING},
    needs_projections=True,
    takes_em_steps=True,
)
