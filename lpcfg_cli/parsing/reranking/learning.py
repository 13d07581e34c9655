"""Learning of a reranker from the lists of the parts of a treebank, each by a parser of the other parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.config import RerankSettings
from lpcfg_cli.parsing.reranking.candidate_view import CandidateView
from lpcfg_cli.parsing.reranking.features import ListFeatures, list_features, names_of
from lpcfg_cli.parsing.reranking.lists import TreeLists
from lpcfg_cli.parsing.reranking.reranker import TreeReranker, by_weight, matrix_of, view_of
from lpcfg_cli.reranking.lists import largest, spread
from lpcfg_cli.reranking.log_linear import HeldOut, LogLinearObjective, best_strength, shares_by
from lpcfg_cli.treebank.heads import HeadRules

STRENGTHS = (15.0, 30.0, 60.0, 120.0, 240.0)
"""Strengths of the penalty on the squares of the features' weights, among which cross-validation chooses."""

WRITTEN_COST = 0.445
"""Of a bracket, where a right one is worth 1: half of F1 = 0.89, which makes sums rise with the F1 of all sentences."""

CORRECT_BONUS = 2.0
"""Worth of a tree that is all correct, in right brackets, besides its brackets."""

NAMED = 1000
"""Number of the heaviest features whose meaning is kept."""


@dataclass(frozen=True)
class RerankedLists:
    """How well lists are reranked by what is learnt from other lists.

    Attributes
    ----------
    before, after, best : float
        F1 in percent of the parser's trees, of the reranker's, and of the best of each list.
    correct_before, correct_after, correct_best : float
        Share of these trees that are all correct, in percent.
    """

    before: float
    after: float
    best: float
    correct_before: float
    correct_after: float
    correct_best: float


@dataclass(frozen=True)
class Part:
    """The lists of one part of the treebank, with their features."""

    lists: TreeLists
    features: list[ListFeatures]

    @property
    def worth(self) -> np.ndarray:
        """How good each tree is, in right brackets; float64, shape (C,)."""
        found = self.lists
        return found.matched - WRITTEN_COST * found.written + CORRECT_BONUS * found.is_correct


@dataclass(frozen=True)
class Training:
    """The objective of some lists, and what its columns are.

    Attributes
    ----------
    objective : LogLinearObjective
        The shares that trees are to have are ∝ exp(worth).
    known : ndarray of uint64, shape (n_features,)
        Features in which the trees of enough lists differ, rising.
    units : ndarray of float64, shape (n_numbers,)
        Spread of each number.
    """

    objective: LogLinearObjective
    known: np.ndarray
    units: np.ndarray

    @classmethod
    def of(cls, parts: Sequence[Part], least: int) -> Training:
        """The objective of the lists of some parts; features are known in which those of at least `least` differ."""
        known = common_features((one.feature for part in parts for one in part.features), least)
        numbers = np.concatenate([part.lists.numbers for part in parts])
        first = starts(np.concatenate([np.diff(part.lists.first) for part in parts]))
        units = np.array([spread(first, column) for column in numbers.T])
        lists = (one for part in parts for one in part.features)
        matrix = matrix_of(numbers / units, first, lists, known)
        wanted = shares_by(first, np.concatenate([part.worth for part in parts]))
        return cls(LogLinearObjective(first, wanted, matrix, len(units)), known, units)

    def held_out(self, part: Part) -> HeldOut:
        """The lists of another part, by the same columns."""
        first = part.lists.first
        matrix = matrix_of(part.lists.numbers / self.units, first, iter(part.features), self.known)
        return HeldOut(self.objective, first, matrix, -part.worth)


def learn_reranker(
    parts: Sequence[TreeLists], settings: RerankSettings, rules: HeadRules
) -> tuple[TreeReranker, RerankedLists]:
    """Choose the strength of the penalty by cross-validation over the parts, then learn from all.

    Parameters
    ----------
    parts : sequence of TreeLists
        At least two, each with lists, by parsers of the other parts.
    settings : RerankSettings
    rules : HeadRules
        By which heads are found for features.
    """
    featured = [Part(lists, [list_features(view) for view in _views(lists, rules)]) for lists in parts]
    start = np.eye(1, parts[0].numbers.shape[1])[0]  # the order of the parser
    held_out = [
        Training.of(featured[:k] + featured[k + 1 :], settings.least).held_out(part) for k, part in enumerate(featured)
    ]
    strength = best_strength(held_out, STRENGTHS, start)
    training = Training.of(featured, settings.least)
    weights = training.objective.minimum(strength, start)
    numbers, weights = np.split(weights, [len(start)])
    views = (view for lists in parts for view in _views(lists, rules))
    names = names_of(views, training.known[by_weight(weights)[:NAMED]])
    report = _report(featured, held_out, strength, start)
    own = (numbers / training.units, training.known, weights, names, asdict(report))
    return TreeReranker(rules, settings.trees, *own), report


def _views(lists: TreeLists, rules: HeadRules) -> Iterator[CandidateView]:
    for begin, end in zip(lists.first[:-1], lists.first[1:], strict=True):
        yield view_of(lists.trees[begin:end], rules)


def common_features(lists: Iterable[np.ndarray], least: int) -> np.ndarray:
    """The features that are in at least so many lists, given those of each, with repeats; uint64, rising."""
    found = [np.zeros(0, np.uint64), *(np.unique(features) for features in lists)]
    features, counts = np.unique(np.concatenate(found), return_counts=True)
    return features[counts >= least]


def _report(parts: Sequence[Part], held_out: Sequence[HeldOut], strength: float, start: np.ndarray) -> RerankedLists:
    """What is gained on held-out lists, and what could be."""
    first = [part.lists.first[:-1] for part in parts]
    learnt = [largest(own.first, own.matrix @ own.objective.minimum(strength, start)) for own in held_out]
    best = [largest(part.lists.first, part.worth) for part in parts]
    scores = [_scores(parts, chosen) for chosen in (first, learnt, best)]
    return RerankedLists(*(f1 for f1, _ in scores), *(correct for _, correct in scores))


def _scores(parts: Sequence[Part], chosen: Sequence[np.ndarray]) -> tuple[float, float]:
    """F1 of the chosen trees of all parts together, and the share of trees that are all correct, in percent."""
    counts = sum(part.lists.counts(own) for part, own in zip(parts, chosen, strict=True))
    matched, gold, written, correct, n = np.asarray(counts).tolist()
    return 200.0 * matched / max(1, gold + written), 100.0 * correct / max(1, n)
