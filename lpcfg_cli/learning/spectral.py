"""Spectral estimation of an L-PCFG's parameters from projected nodes (C13 §2.3, §3.2; C14 Fig. 7)."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.arrays.grouping import Groups, group_by, means_by
from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.config import EstimateSettings, Settings
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.grammar.lexicon import Lexicon
from lpcfg_cli.grammar.model import DENSE, BinaryRules, Grammar, LexicalRules, UnaryRules
from lpcfg_cli.learning.learner import Learner, LearningContext, Learnt
from lpcfg_cli.learning.projected_nodes import ProjectedNodes
from lpcfg_cli.learning.smoothing import plain_binary, plain_unary, smoothed_binary, smoothed_unary
from lpcfg_cli.learning.training_data import TrainingData
from lpcfg_cli.treebank.binary import BINARY, LEXICAL, NONE, UNARY, BinaryTreebank

UNSEEN_COUNT = 0.1
"""Added to the number of words that occur once with a preterminal, for the probability of unknown words."""


def estimate(
    trees: BinaryTreebank,
    lexical_entry: np.ndarray,
    projected: ProjectedNodes,
    lexicon: Lexicon,
    settings: EstimateSettings,
    progress: Progress = no_progress,
) -> Grammar:
    """Estimate all parameters (C13 §2.3).

    Parameters
    ----------
    trees : BinaryTreebank
    lexical_entry : ndarray of int, shape (n_nodes,)
        Entry of each preterminal's word in the lexicon.
    projected : ProjectedNodes
    lexicon : Lexicon
    settings : EstimateSettings
    progress : Progress
        Reports progress over the binary rules.
    """
    return _Estimator(trees, lexical_entry, projected, settings, progress).grammar(lexicon)


def unseen_probabilities(trees: BinaryTreebank) -> np.ndarray:
    """Probability of an unknown word given each preterminal; float64, shape (n_symbols,), 0 for phrases.

    It is estimated from the words that occur once with the preterminal; in weighted trees, from those with a total
    weight of at most 1.
    """
    n_symbols = len(trees.symbols)
    nodes = np.flatnonzero(trees.kind == LEXICAL)
    groups = group_by(nodes, [trees.symbol, trees.word])
    weight = trees.node_weight()
    total = groups.sums(weight)
    is_once = total <= 1
    n_once = np.bincount(trees.symbol[groups.first[is_once]], total[is_once], n_symbols)
    is_preterminal = np.array([symbol.is_preterminal for symbol in trees.symbols])
    count = np.bincount(trees.symbol, weight, n_symbols)
    return np.where(is_preterminal, (n_once + UNSEEN_COUNT) / (count + UNSEEN_COUNT), 0.0)


class _Estimator:
    """Estimates parameters as weighted averages over the nodes of one treebank."""

    def __init__(
        self,
        trees: BinaryTreebank,
        lexical_entry: np.ndarray,
        projected: ProjectedNodes,
        settings: EstimateSettings,
        progress: Progress,
    ):
        self.trees, self.entry, self.settings, self.progress = trees, lexical_entry, settings, progress
        self.inside, self.outside, self.n_states = projected.inside, projected.outside, projected.n_states
        self.n_symbols = len(trees.symbols)
        self.weight = trees.node_weight()
        self.count = np.bincount(trees.symbol, self.weight, self.n_symbols)
        self.mean_inside = means_by(trees.symbol, self.n_symbols, self.inside, self.weight)
        self.mean_outside = means_by(trees.symbol, self.n_symbols, self.outside, self.weight)

    def grammar(self, lexicon: Lexicon) -> Grammar:
        trees = self.trees
        root_probability, root_vector = self.roots()
        unseen_probability, unseen_vector = self.unseen_words()
        return Grammar(
            trees.symbols,
            trees.hidden_labels,
            self.n_states,
            starts(self.n_states),
            root_probability,
            root_vector,
            unseen_probability,
            unseen_vector,
            self.binary_rules(),
            self.unary_rules(),
            self.lexical_rules(len(lexicon.entries)),
            lexicon,
            is_probabilistic=False,
        )

    def y(self, nodes: np.ndarray) -> np.ndarray:
        """Inside projections of nodes of one symbol, shape (n, m_a)."""
        return self.inside[nodes, : self.n_states[self.trees.symbol[nodes[0]]]]

    def z(self, nodes: np.ndarray) -> np.ndarray:
        """Outside projections of nodes of one symbol, shape (n, m_a)."""
        return self.outside[nodes, : self.n_states[self.trees.symbol[nodes[0]]]]

    def h(self, symbol: int) -> np.ndarray:
        """H^a, the mean outside projection, shape (m_a,)."""
        return self.mean_outside[symbol, : self.n_states[symbol]]

    def f(self, symbol: int) -> np.ndarray:
        """F^a, the mean inside projection, shape (m_a,)."""
        return self.mean_inside[symbol, : self.n_states[symbol]]

    def frequency(self, groups: Groups) -> np.ndarray:
        """count(rule) / count(a) of each group, shape (n_groups,)."""
        return groups.sums(self.weight) / self.count[self.trees.symbol[groups.first]]

    def binary_rules(self) -> BinaryRules:
        symbol, left, right = self.trees.symbol, self.trees.left, self.trees.right
        nodes = np.flatnonzero(self.trees.kind == BINARY)
        groups = group_by(nodes, [symbol[left], symbol[right], symbol])
        probability = self.frequency(groups)
        blocks, rank = [], []
        for rule, instances in enumerate(self.progress(groups, "estimate", len(groups), "rule")):
            components = self.binary_moment(instances)
            scaled = type(components)(components.u * probability[rule], components.v, components.w)
            is_factored = scaled.is_smaller_than_dense
            blocks.append(scaled.flat() if is_factored else scaled.dense().ravel())
            rank.append(scaled.rank if is_factored else DENSE)
        first = groups.first
        return BinaryRules(
            symbol[first],
            symbol[left[first]],
            symbol[right[first]],
            probability,
            np.array(rank, np.int32),
            starts([len(block) for block in blocks]),
            _joined(blocks),
        )

    def binary_moment(self, instances: np.ndarray):  # type: ignore[no-untyped-def]
        symbol = self.trees.symbol
        left, right = self.trees.left[instances], self.trees.right[instances]
        z, y2, y3, weight = self.z(instances), self.y(left), self.y(right), self.weight[instances]
        if not self.settings.smooth_rules:
            return plain_binary(z, y2, y3, weight)
        default = (self.h(symbol[instances[0]]), self.f(symbol[left[0]]), self.f(symbol[right[0]]))
        return smoothed_binary(z, y2, y3, weight, default, self.settings.binary_c)

    def unary_rules(self) -> UnaryRules:
        symbol, child = self.trees.symbol, self.trees.left
        nodes = np.flatnonzero(self.trees.kind == UNARY)
        groups = group_by(nodes, [symbol[child], symbol, self.trees.hidden])
        probability = self.frequency(groups)
        blocks = [p * self.unary_moment(instances).ravel() for p, instances in zip(probability, groups, strict=True)]
        first = groups.first
        return UnaryRules(
            symbol[first],
            symbol[child[first]],
            self.trees.hidden[first],
            probability,
            starts([len(block) for block in blocks]),
            _joined(blocks),
        )

    def unary_moment(self, instances: np.ndarray) -> np.ndarray:
        symbol, child = self.trees.symbol, self.trees.left[instances]
        z, y, weight = self.z(instances), self.y(child), self.weight[instances]
        if not self.settings.smooth_rules:
            return plain_unary(z, y, weight)
        default = (self.h(symbol[instances[0]]), self.f(symbol[child[0]]))
        return smoothed_unary(z, y, weight, default, self.settings.unary_c)

    def lexical_rules(self, n_entries: int) -> LexicalRules:
        """Vectors of a → x: E[Z | rule]; ν E[Z | rule] + (1−ν) E[Z | a] for rare rules (C13 §3.2)."""
        symbol = self.trees.symbol
        nodes = np.flatnonzero(self.trees.kind == LEXICAL)
        groups = group_by(nodes, [self.entry, symbol])
        probability = self.frequency(groups)
        of_rule = symbol[groups.first]
        number = np.repeat(np.arange(len(groups)), groups.count)
        mean = means_by(number, len(groups), self.outside[groups.member], self.weight[groups.member])
        if self.settings.smooth_lexicon:
            is_rare = groups.sums(self.weight) <= self.settings.lexical_max_count
            nu = np.where(is_rare, self.settings.lexical_nu, 1.0)[:, None]
            mean = nu * mean + (1 - nu) * self.mean_outside[of_rule]
        entry_start = np.searchsorted(self.entry[groups.first], np.arange(n_entries + 1))
        return LexicalRules(
            of_rule,
            probability,
            entry_start.astype(np.int64),
            starts(self.n_states[of_rule]),
            self.trimmed(mean * probability[:, None], of_rule),
        )

    def roots(self) -> tuple[np.ndarray, np.ndarray]:
        """Frequency of each symbol at the root, (n_symbols,), and E[Y | root] times it, (Σ m_a,)."""
        roots = np.flatnonzero(self.trees.parent == NONE)
        symbol, weight = self.trees.symbol[roots], self.weight[roots]
        probability = np.bincount(symbol, weight, self.n_symbols) / weight.sum()
        vectors = means_by(symbol, self.n_symbols, self.inside[roots], weight) * probability[:, None]
        return probability, self.trimmed(vectors, np.arange(self.n_symbols))

    def unseen_words(self) -> tuple[np.ndarray, np.ndarray]:
        """Probability of an unknown word given each preterminal, (n_symbols,), and E[Z | a] times it, (Σ m_a,)."""
        probability = unseen_probabilities(self.trees)
        return probability, self.trimmed(self.mean_outside * probability[:, None], np.arange(self.n_symbols))

    def trimmed(self, vectors: np.ndarray, symbol: np.ndarray) -> np.ndarray:
        """The first m_a entries of each row, one row after the other, where a is the row's `symbol`."""
        return vectors[np.arange(vectors.shape[1]) < self.n_states[symbol][:, None]]


def _joined(blocks: list[np.ndarray]) -> np.ndarray:
    return np.concatenate(blocks) if blocks else np.zeros(0)


def fit_spectral(data: TrainingData, settings: Settings, context: LearningContext) -> Learnt:
    """Moments of projected nodes."""
    parts = (data.trees, data.entry, data.projections(), data.lexicon)
    return Learnt(estimate(*parts, settings.estimate, context.progress))


SPECTRAL = Learner(
    name="spectral",
    summary="moments of projected nodes",
    fit=fit_spectral,
    needs_projections=True,
    uses_chance=False,
    gives_probabilities=False,
)
