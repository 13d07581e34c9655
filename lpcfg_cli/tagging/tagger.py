"""A log-linear tagger: the probability of each tag of a word, given the word and its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from lpcfg_cli.tagging.templates import word_features

OPEN_TAG = ""
"""Stands for the unknown tag of a word: the tagger proposes tags, and the parser chooses."""

OpenTags = list[tuple[str, float]]
"""Candidate tags of a word, each with p(tag | words) / p(tag), the most probable first."""


@dataclass(frozen=True)
class Tagger:
    """A log-linear model: p(t | word i of the sentence) ∝ exp Σ_f w_{f,t}, summed over the features f of the word.

    Attributes
    ----------
    tags : tuple of str
    prior : ndarray of float64, shape (n_tags,)
        p(t): share of each tag among the training words.
    features : tuple of str
    start : ndarray of int64, shape (n_features + 1,)
        Feature f has the weights ``weight[start[f]:start[f + 1]]``; weights that are not stored are zero.
    tag : ndarray of int32, shape (n_weights,)
        Position in `tags` of each weight's tag.
    weight : ndarray of float32, shape (n_weights,)
    """

    tags: tuple[str, ...]
    prior: np.ndarray
    features: tuple[str, ...]
    start: np.ndarray
    tag: np.ndarray
    weight: np.ndarray
    _number: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_number", {feature: k for k, feature in enumerate(self.features)})

    def log_posteriors(self, words: Sequence[str]) -> np.ndarray:
        """log p(t | word i), float64, shape (n_words, n_tags)."""
        n_tags = len(self.tags)
        known = [[self._number[f] for f in features if f in self._number] for features in word_features(words)]
        word = np.repeat(np.arange(len(words)), [len(numbers) for numbers in known])
        number = np.array([k for numbers in known for k in numbers], np.int64)
        size = self.start[number + 1] - self.start[number]
        # the weights of all features, one after the other
        first = np.cumsum(size) - size
        weight = np.arange(size.sum()) + np.repeat(self.start[number] - first, size)
        cell = np.repeat(word * n_tags, size) + self.tag[weight]
        score = np.bincount(cell, self.weight[weight].astype(float), len(words) * n_tags).reshape(-1, n_tags)
        score -= score.max(1, keepdims=True)
        return score - np.log(np.exp(score).sum(1, keepdims=True))

    def open_tags(self, words: Sequence[str], threshold: float) -> list[OpenTags]:
        """The candidate tags of each word.

        Parameters
        ----------
        words : sequence of str
        threshold : float
            Smallest probability of a candidate, as a share of that of the best tag; 1 leaves only the best.
        """
        posterior = np.exp(self.log_posteriors(words))
        ratio = posterior / self.prior
        kept = posterior >= threshold * posterior.max(1, keepdims=True)
        order = np.argsort(-posterior, axis=1, kind="stable")
        return [[(self.tags[t], float(ratio[i, t])) for t in order[i] if kept[i, t]] for i in range(len(words))]

    def best_tags(self, words: Sequence[str]) -> list[str]:
        """The most probable tag of each word."""
        return [self.tags[t] for t in self.log_posteriors(words).argmax(1)]


def check_tagger(tagger: Tagger) -> None:
    """Raise a `ValueError` that names the first array that does not fit the others."""
    n_tags, n_features, n_weights = len(tagger.tags), len(tagger.features), len(tagger.weight)
    start = tagger.start
    rises = len(start) == n_features + 1 and start[0] == 0 and start[-1] == n_weights and np.all(np.diff(start) >= 0)
    in_range = len(tagger.tag) == n_weights and np.all((tagger.tag >= 0) & (tagger.tag < n_tags))
    is_prior = len(tagger.prior) == n_tags > 0 and np.all((tagger.prior > 0) & (tagger.prior <= 1 + 1e-9))
    parts = {"start": rises, "tag": in_range, "prior": is_prior, "weight": np.isfinite(tagger.weight).all()}
    types = {"start": np.int64, "tag": np.int32, "prior": np.float64, "weight": np.float32}
    for name, fits in parts.items():
        if not fits or getattr(tagger, name).dtype != types[name]:
            raise ValueError(f"tagger {name} does not fit the rest")
