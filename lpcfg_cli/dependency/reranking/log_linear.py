"""A log-linear reranker: the trees with the fewest errors of each list are to be likely (Charniak and Johnson 2005)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpcfg_cli.dependency.reranking.features import Features, FeatureSpace, learn_space
from lpcfg_cli.dependency.reranking.linear import LinearReranker, RerankLearner, RerankTask
from lpcfg_cli.dependency.reranking.lists import CandidateLists, joined
from lpcfg_cli.reranking.lists import relative, spread
from lpcfg_cli.reranking.log_linear import HeldOut, LogLinearObjective, best_of_each, best_strength

if TYPE_CHECKING:
    from scipy import sparse

STRENGTHS = (10.0, 30.0, 100.0, 300.0, 1000.0)
"""Strengths of the penalty on the squares of the features' weights, among which cross-validation chooses."""


def learn_log_linear(task: RerankTask) -> LinearReranker:
    """Choose the strength of the penalty by cross-validation over the parts, then learn from all."""
    parts, n_bins = list(task.parts), task.settings.bins if task.uses_model else 0

    def training(lists: CandidateLists) -> Training:
        return Training.of(lists, learn_space(lists, task.n_tags, n_bins), task.uses_model)

    def held_out() -> Iterator[HeldOut]:
        for number, part in enumerate(parts):
            own = training(joined([other for k, other in enumerate(parts) if k != number]))
            yield HeldOut(own.objective, part.first, own.matrix_of(part), part.errors)

    strength = best_strength(held_out(), STRENGTHS)
    return training(joined(parts)).reranker(strength)


@dataclass(frozen=True)
class Training:
    """The objective of some lists, and what its columns are.

    The weights of the parser's score and of ln p come first, and are not penalised.

    Attributes
    ----------
    objective : LogLinearObjective
    space : FeatureSpace
    units : (d,) float64 array
        Spread of the parser's scores, and of ln p if it counts: d is 1 or 2.
    """

    objective: LogLinearObjective
    space: FeatureSpace
    units: np.ndarray

    @classmethod
    def of(cls, lists: CandidateLists, space: FeatureSpace, uses_model: bool) -> Training:
        """The trees with the fewest errors are wanted."""
        columns = [lists.scores, lists.log_probabilities][: 1 + uses_model]
        units = np.array([spread(lists.first, column) for column in columns])
        matrix = _joint_matrix(lists, space, units)
        wanted = best_of_each(lists.first, -lists.errors)
        return cls(LogLinearObjective(lists.first, wanted, matrix, len(units)), space, units)

    def matrix_of(self, lists: CandidateLists) -> sparse.csr_matrix:
        """The columns of other lists; csr, (C, d + n_features)."""
        return _joint_matrix(lists, self.space, self.units)

    def reranker(self, strength: float) -> LinearReranker:
        """The reranker with the smallest objective."""
        found = self.objective.minimum(strength)
        d = len(self.units)
        dense = np.append(found[:d] / self.units, 0.0)
        return LinearReranker(self.space, found[d:], float(dense[0]), float(dense[1]))


def _joint_matrix(lists: CandidateLists, space: FeatureSpace, units: np.ndarray) -> sparse.csr_matrix:
    from scipy import sparse  # imported here because it is slow to import, and reranking itself does without

    columns = [lists.scores, lists.log_probabilities][: len(units)]
    dense = np.stack([relative(lists.first, column) for column in columns], axis=1) / units
    return sparse.hstack([sparse.csr_matrix(dense), _matrix(space.features(lists), len(space))]).tocsr()


def _matrix(features: Features, n_features: int) -> sparse.csr_matrix:
    from scipy import sparse

    first, numbers = features
    return sparse.csr_matrix((np.ones(len(numbers)), numbers, first), shape=(len(first) - 1, n_features))


LOG_LINEAR = RerankLearner("log-linear", "log-linear model with a penalty on weights", learn_log_linear)
