"""A log-linear tagger: the probability of each tag of a word, given all words of its sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from lpcfg_cli.arrays.recent import Recent
from lpcfg_cli.tagging import tagger_kernels
from lpcfg_cli.tagging.templates import word_features

OPEN_TAG = ""
"""Stands for the unknown tag of a word: the tagger proposes tags, and the parser chooses."""

OpenTags = list[tuple[str, float]]
"""Candidate tags of a word, the most probable first, each with q(tag) / p(tag) of `Tagger.open_tags`."""

TagProbabilities = list[tuple[str, float]]
"""Tags of a word, each with its probability given all words of the sentence."""

REMEMBERED = 64
"""Number of sentences whose tags are cached: the span model asks for those of a batch, and then the parser does."""


@dataclass(frozen=True)
class Tagger:
    """A linear chain: p(t₁ … t_n | words) ∝ ∏_i lift[t_{i−1}, t_i] exp s_i(t_i), with s_i(t) = Σ_f w_{f,t}.

    The sum is over the features f of word i.  It is a conditional random field (Lafferty, McCallum and Pereira 2001)
    whose transitions are counted, not learnt.

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
    lift : ndarray of float64, shape (n_tags + 1, n_tags)
        How much more probable each tag is after another one than anywhere, (p(t | u) / p(t))^c; the last row is for the
        first word.  All are 1 in a tagger that does not look at tags.
    """

    tags: tuple[str, ...]
    prior: np.ndarray
    features: tuple[str, ...]
    start: np.ndarray
    tag: np.ndarray
    weight: np.ndarray
    lift: np.ndarray
    _read: Recent[tuple[str, ...], tuple[np.ndarray, np.ndarray]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_read", Recent(REMEMBERED))

    @cached_property
    def _number(self) -> dict[str, int]:
        return {feature: k for k, feature in enumerate(self.features)}

    @cached_property
    def _turned(self) -> np.ndarray:
        return turned(self.lift)

    def scores(self, words: Sequence[str]) -> np.ndarray:
        """s_i(t): what the words alone say about the tag of word i, float64, shape (n_words, n_tags)."""
        n_tags = len(self.tags)
        known = [[self._number[f] for f in features if f in self._number] for features in word_features(words)]
        word = np.repeat(np.arange(len(words)), [len(numbers) for numbers in known])
        number = np.array([k for numbers in known for k in numbers], np.int64)
        size = self.start[number + 1] - self.start[number]
        # the weights of all features, one after the other
        first = np.cumsum(size) - size
        weight = np.arange(size.sum()) + np.repeat(self.start[number] - first, size)
        cell = np.repeat(word * n_tags, size) + self.tag[weight]
        score = np.bincount(cell, self.weight[weight].astype(float), len(words) * n_tags)
        return score.astype(float, copy=False).reshape(-1, n_tags)  # counts of nothing are integers

    def posteriors(self, words: Sequence[str]) -> np.ndarray:
        """p(t_i = t | words), float64, shape (n_words, n_tags); not to be changed."""
        return self._scores_and_posteriors(words)[1]

    def _scores_and_posteriors(self, words: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        def read() -> tuple[np.ndarray, np.ndarray]:
            scores = self.scores(words)
            posterior = np.empty_like(scores)
            buffers = chain_buffers(*scores.shape)
            tagger_kernels.chain_posteriors(scores.copy(), self.lift, self._turned, np.inf, 0.0, posterior, *buffers)
            posterior.flags.writeable = False
            return scores, posterior

        return self._read.get(tuple(words), read)

    def open_tags(self, words: Sequence[str], threshold: float) -> list[OpenTags]:
        """The candidate tags of each word.

        Their weights are q(t) / p(t) with q(t) ∝ exp s_i(t), so that the tags of other words count in the choice of the
        candidates only: in the parser the grammar models which tags go together.

        Parameters
        ----------
        words : sequence of str
        threshold : float
            Smallest probability of a candidate, as a share of that of the best tag; 1 leaves only the best.
        """
        scores, posterior = self._scores_and_posteriors(words)
        alone = np.exp(scores - scores.max(1, keepdims=True))
        ratio = alone / alone.sum(1, keepdims=True) / self.prior
        kept = posterior >= threshold * posterior.max(1, keepdims=True)
        order = np.argsort(-posterior, axis=1, kind="stable")
        return [[(self.tags[t], float(ratio[i, t])) for t in order[i] if kept[i, t]] for i in range(len(words))]

    def probable_tags(self, words: Sequence[str], least: float) -> list[TagProbabilities]:
        """The tags of each word with a probability of at least `least`, and the best one; see `TagProbabilities`."""
        posterior = self.posteriors(words)
        kept = (posterior >= least) | (posterior == posterior.max(1, keepdims=True))
        return [
            [(self.tags[t], float(row[t])) for t in np.flatnonzero(of)] for row, of in zip(posterior, kept, strict=True)
        ]

    def best_tags(self, words: Sequence[str]) -> list[str]:
        """The most probable tag of each word."""
        return [self.tags[t] for t in self.posteriors(words).argmax(1)]


def turned(lift: np.ndarray) -> np.ndarray:
    """``turned(lift)[t, u] = lift[u, t]`` without the row for the first word, as `chain_posteriors` needs it."""
    return np.ascontiguousarray(lift[:-1].T)


def chain_buffers(n_words: int, n_tags: int) -> tuple[np.ndarray, ...]:
    """What `tagger_kernels.chain_posteriors` needs for sentences of at most so many words, in its order."""
    return np.empty(n_tags), np.empty((n_words, n_tags), np.int32), np.empty(n_words, np.int32)


def check_tagger(tagger: Tagger) -> None:
    """Raise a `ValueError` that names the first array that does not fit the others."""
    n_tags, n_features, n_weights = len(tagger.tags), len(tagger.features), len(tagger.weight)
    start = tagger.start
    rises = len(start) == n_features + 1 and start[0] == 0 and start[-1] == n_weights and np.all(np.diff(start) >= 0)
    in_range = len(tagger.tag) == n_weights and np.all((tagger.tag >= 0) & (tagger.tag < n_tags))
    is_prior = len(tagger.prior) == n_tags > 0 and np.all((tagger.prior > 0) & (tagger.prior <= 1 + 1e-9))
    parts = {"start": rises, "tag": in_range, "prior": is_prior, "weight": np.isfinite(tagger.weight).all()}
    is_lift = tagger.lift.shape == (n_tags + 1, n_tags) and np.all((tagger.lift > 0) & (tagger.lift < np.inf))
    parts["lift"] = is_lift
    types = {"start": np.int64, "tag": np.int32, "prior": np.float64, "weight": np.float32, "lift": np.float64}
    for name, fits in parts.items():
        if not fits or getattr(tagger, name).dtype != types[name]:
            raise ValueError(f"tagger {name} does not fit the rest")
