"""A log-linear reranker: the trees with the fewest errors of each list are to be likely (Charniak and Johnson 2005)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpcfg_cli.dependency.reranking.features import Features, FeatureSpace, learn_space
from lpcfg_cli.dependency.reranking.linear import LinearReranker, RerankLearner, RerankTask
from lpcfg_cli.dependency.reranking.lists import CandidateLists, joined, largest, relative, spread

if TYPE_CHECKING:
    from scipy import sparse

STRENGTHS = (10.0, 30.0, 100.0, 300.0, 1000.0)
"""Strengths of the penalty on the squares of the features' weights, among which cross-validation chooses."""

STEPS = 60
"""Largest number of steps of L-BFGS."""

SMALL = 1e-300


def learn_log_linear(task: RerankTask) -> LinearReranker:
    """Choose the strength of the penalty by cross-validation over the parts, then learn from all."""
    parts, n_bins = list(task.parts), task.settings.bins if task.uses_model else 0
    wrong = dict.fromkeys(STRENGTHS, 0)
    for number, held_out in enumerate(parts):
        others = joined([part for other, part in enumerate(parts) if other != number])
        objective = Objective.of(others, learn_space(others, task.n_tags, n_bins), task.uses_model)
        features = objective.space.features(held_out)
        for strength in STRENGTHS:
            chosen = largest(held_out, objective.minimum(strength).scores_with(held_out, features))
            wrong[strength] += int(held_out.errors[chosen].sum())
    whole = joined(parts)
    objective = Objective.of(whole, learn_space(whole, task.n_tags, n_bins), task.uses_model)
    return objective.minimum(min(STRENGTHS, key=wrong.__getitem__))


@dataclass(frozen=True)
class Objective:
    """−Σ_s ln p(one of the trees of s with the fewest errors) + λ/2 · Σ w², p ∝ exp(score) over the list of s.

    The weights of the parser's score and of ln p come first, and are not penalised.

    Attributes
    ----------
    lists : CandidateLists
    space : FeatureSpace
    units : (d,) float64 array
        Spread of the parser's scores, and of ln p if it counts: d is 1 or 2.
    matrix : (C, d + n_features) csr matrix of float64
    """

    lists: CandidateLists
    space: FeatureSpace
    units: np.ndarray
    matrix: sparse.csr_matrix

    @classmethod
    def of(cls, lists: CandidateLists, space: FeatureSpace, uses_model: bool) -> Objective:
        """The objective of some lists."""
        from scipy import sparse  # imported here because it is slow to import, and reranking itself does without

        columns = [lists.scores, lists.log_probabilities][: 1 + uses_model]
        units = np.array([spread(lists, column) for column in columns])
        dense = np.stack([relative(lists, column) for column in columns], axis=1) / units
        features = _matrix(space.features(lists), len(space))
        return cls(lists, space, units, sparse.hstack([sparse.csr_matrix(dense), features]).tocsr())

    def value(self, weights: np.ndarray, strength: float) -> tuple[float, np.ndarray]:
        """The objective and its gradient; O(features of all candidates).

        Parameters
        ----------
        weights : (d + n_features,) float64 array
        strength : float
            λ.
        """
        begin, owner = self.lists.first[:-1], np.repeat(np.arange(len(self.lists)), np.diff(self.lists.first))
        is_best = self.lists.errors == np.minimum.reduceat(self.lists.errors, begin)[owner]
        scores = self.matrix @ weights
        shares = np.exp(scores - np.maximum.reduceat(scores, begin)[owner])
        total = np.add.reduceat(shares, begin)
        best = np.maximum(np.add.reduceat(shares * is_best, begin), SMALL)
        penalised = np.where(np.arange(len(weights)) < len(self.units), 0.0, strength * weights)
        value = float(np.log(total / best).sum() + 0.5 * penalised @ weights)
        change = shares / total[owner] - shares * is_best / best[owner]
        return value, self.matrix.T @ change + penalised

    def minimum(self, strength: float) -> LinearReranker:
        """The reranker with the smallest objective."""
        from scipy.optimize import minimize  # imported here because it is slow to import

        start = np.zeros(self.matrix.shape[1])
        found = minimize(self.value, start, (strength,), "L-BFGS-B", jac=True, options={"maxiter": STEPS}).x
        d = len(self.units)
        dense = np.append(found[:d] / self.units, 0.0)
        return LinearReranker(self.space, found[d:], float(dense[0]), float(dense[1]))


def _matrix(features: Features, n_features: int) -> sparse.csr_matrix:
    from scipy import sparse

    first, numbers = features
    return sparse.csr_matrix((np.ones(len(numbers)), numbers, first), shape=(len(first) - 1, n_features))


LOG_LINEAR = RerankLearner("log-linear", "log-linear model with a penalty on weights", learn_log_linear)
