"""The averaged perceptron that chooses among candidates (Collins 2002)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lpcfg_cli.arrays.streams import Purpose, stream
from lpcfg_cli.dependency.reranking.features import Features, FeatureSpace, learn_space
from lpcfg_cli.dependency.reranking.lists import CandidateLists, joined
from lpcfg_cli.dependency.reranking.perceptron_kernels import choose, learn

BASE_WEIGHTS = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)
"""Weights of the parser's score among which cross-validation chooses; those of features change in steps of one."""


@dataclass(frozen=True)
class LinearReranker:
    """Weights of features, and of the parser's score.

    Attributes
    ----------
    space : FeatureSpace
    weights : (n_features,) float64 array
    base_weight : float
        Weight of the parser's score in units of ``unit``.
    unit : float
        Standard deviation of the parser's scores of the training lists, relative to the best of each list.
    """

    space: FeatureSpace
    weights: np.ndarray
    base_weight: float
    unit: float

    def scores(self, lists: CandidateLists) -> np.ndarray:
        """The score of each candidate, float64, shape (C,)."""
        first, features = self.space.features(lists)
        owner = np.repeat(np.arange(len(first) - 1), np.diff(first))
        learnt = np.bincount(owner, self.weights[features], minlength=len(first) - 1)
        return self.base_weight / self.unit * lists.scores + learnt

    def choose(self, lists: CandidateLists) -> np.ndarray:
        """The chosen candidate of each sentence, int64, shape (S,): its position among all candidates."""
        return self._choose(lists, self.space.features(lists))

    def _choose(self, lists: CandidateLists, features: Features) -> np.ndarray:
        base = self.base_weight / self.unit * lists.scores
        return choose(lists.first, base, *features, self.weights)


def train_reranker(parts: list[CandidateLists], n_tags: int, n_bins: int, epochs: int, seed: int) -> LinearReranker:
    """Choose the weight of the parser's score by cross-validation over the parts, then learn from all parts.

    Parameters
    ----------
    parts : list of CandidateLists
        Lists of parts of the treebank, each by models that were trained on the other parts.
    n_tags : int
        T, with the tag of unknown tags and that of the root.
    n_bins : int
        Number of bins of the log-probability; 0 to leave it out.
    epochs : int
        Passes over the sentences.
    seed : int
    """
    wrong = dict.fromkeys(BASE_WEIGHTS, 0)
    for number, held_out in enumerate(parts):
        task = _Task.of(joined([part for other, part in enumerate(parts) if other != number]), n_tags, n_bins)
        features = task.space.features(held_out)
        for weight in BASE_WEIGHTS:
            chosen = task.learn(weight, epochs, seed)._choose(held_out, features)
            wrong[weight] += int(held_out.errors[chosen].sum())
    best = min(reversed(BASE_WEIGHTS), key=wrong.__getitem__)
    return _Task.of(joined(parts), n_tags, n_bins).learn(best, epochs, seed)


@dataclass(frozen=True)
class _Task:
    """Training lists with their features; rerankers with several weights of the parser's score are learnt from them."""

    lists: CandidateLists
    space: FeatureSpace
    features: Features

    @classmethod
    def of(cls, lists: CandidateLists, n_tags: int, n_bins: int) -> _Task:
        space = learn_space(lists, n_tags, n_bins)
        return cls(lists, space, space.features(lists))

    def learn(self, base_weight: float, epochs: int, seed: int) -> LinearReranker:
        """Learn the weights of the features."""
        lists, unit = self.lists, spread_of_scores(self.lists)
        rng = stream(seed, Purpose.RERANKER)
        order = np.concatenate([rng.permutation(len(lists)) for _ in range(epochs)]).astype(np.int64)
        weights, base = np.zeros(len(self.space)), base_weight / unit * lists.scores
        learn(order, lists.first, base, *self.features, best_candidates(lists), lists.errors, weights)
        return LinearReranker(self.space, weights, base_weight, unit)


def best_candidates(lists: CandidateLists) -> np.ndarray:
    """The candidate of each sentence with the fewest errors, the first of equal ones; int64, shape (S,)."""
    owner = np.repeat(np.arange(len(lists)), np.diff(lists.first))
    order = np.lexsort([lists.errors, owner])
    return order[lists.first[:-1]]


def spread_of_scores(lists: CandidateLists) -> float:
    """Standard deviation of the parser's scores beyond those of the best trees; 1 if all are equal."""
    relative = lists.scores - np.repeat(lists.scores[lists.first[:-1]], np.diff(lists.first))
    return float(relative.std()) or 1.0
