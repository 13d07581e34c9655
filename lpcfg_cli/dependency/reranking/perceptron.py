"""The averaged perceptron that chooses among candidates (Collins 2002, D12 §4.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lpcfg_cli.arrays.streams import Purpose, stream
from lpcfg_cli.dependency.reranking.features import Features, FeatureSpace, learn_space
from lpcfg_cli.dependency.reranking.linear import LinearReranker, RerankLearner, RerankTask
from lpcfg_cli.dependency.reranking.lists import CandidateLists, best_candidates, joined
from lpcfg_cli.dependency.reranking.perceptron_kernels import learn as run_perceptron
from lpcfg_cli.reranking.lists import largest, spread

BASE_WEIGHTS = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)
"""Weights of the parser's score, in units of its spread, among which cross-validation chooses; those of features change
in steps of one."""

LOG_WEIGHTS = (0.0, 0.03, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 5.0, 10.0)
"""Weights of ln p in units of its spread, where the parser's score has the weight 1."""


def learn_perceptron(task: RerankTask) -> LinearReranker:
    """Choose the weights of ln p and of the parser's score by cross-validation over the parts, then learn from all.

    The weight of ln p is the one with the fewest errors beside the parser's score alone.  With bins, ln p is in the
    features instead.
    """
    parts, settings = list(task.parts), task.settings
    log_weight = _log_weight(parts) if task.uses_model and not settings.bins else 0.0
    n_bins = settings.bins if task.uses_model else 0
    wrong = dict.fromkeys(BASE_WEIGHTS, 0)
    for number, held_out in enumerate(parts):
        own = _Training.of(joined([part for other, part in enumerate(parts) if other != number]), task.n_tags, n_bins)
        features = own.space.features(held_out)
        for weight in BASE_WEIGHTS:
            reranker = own.learn(weight, log_weight, settings.epochs, task.seed)
            chosen = largest(held_out.first, reranker.scores_with(held_out, features))
            wrong[weight] += int(held_out.errors[chosen].sum())
    best = min(reversed(BASE_WEIGHTS), key=wrong.__getitem__)
    whole = _Training.of(joined(parts), task.n_tags, n_bins)
    return whole.learn(best, log_weight, settings.epochs, task.seed)


def _log_weight(parts: list[CandidateLists]) -> float:
    """The weight of ln p with the fewest errors over all parts, which needs no learning."""
    lists = joined(parts)
    unit = spread(lists.first, lists.log_probabilities)
    base, logs = lists.scores / spread(lists.first, lists.scores), lists.log_probabilities / unit

    def errors(weight: float) -> int:
        return int(lists.errors[largest(lists.first, base + weight * logs)].sum())

    return min(LOG_WEIGHTS, key=errors) / unit


@dataclass(frozen=True)
class _Training:
    """Training lists with their features; rerankers with several weights of the parser's score are learnt from them."""

    lists: CandidateLists
    space: FeatureSpace
    features: Features

    @classmethod
    def of(cls, lists: CandidateLists, n_tags: int, n_bins: int) -> _Training:
        space = learn_space(lists, n_tags, n_bins)
        return cls(lists, space, space.features(lists))

    def learn(self, base_weight: float, log_weight: float, epochs: int, seed: int) -> LinearReranker:
        """Learn the weights of the features."""
        lists, score_weight = self.lists, base_weight / spread(self.lists.first, self.lists.scores)
        log_weight *= base_weight
        rng = stream(seed, Purpose.RERANKER)
        order = np.concatenate([rng.permutation(len(lists)) for _ in range(epochs)]).astype(np.int64)
        weights, base = np.zeros(len(self.space)), score_weight * lists.scores + log_weight * lists.log_probabilities
        run_perceptron(order, lists.first, base, *self.features, best_candidates(lists), lists.errors, weights)
        return LinearReranker(self.space, weights, score_weight, log_weight)


PERCEPTRON = RerankLearner("perceptron", "averaged perceptron, as in the paper", learn_perceptron)
