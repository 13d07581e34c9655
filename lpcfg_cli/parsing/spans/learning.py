"""Learning of a span model from sentences with the constituents that other grammars find in them, and their trees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.config import SpanSettings
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.parsing.spans.constituents import Constituents
from lpcfg_cli.parsing.spans.span_kernels import learn_from
from lpcfg_cli.parsing.spans.span_model import SpanModel, chain_hashes, features_of, log_odds
from lpcfg_cli.parsing.spans.templates import SpanFeatures, hash_of
from lpcfg_cli.treebank.chains import Chain

BITS = 20
"""Binary logarithm of the number of weights.  With 22 bits accuracy is the same (scripts/accuracy.md)."""

KNOWN_FROM = 2
"""Words that are at least so frequent are features by themselves."""

MOST_UNITS = 127
"""Weights are rounded to whole units, at most so many: a file then needs a byte for each."""


@dataclass(frozen=True)
class SpanExample:
    """A sentence of the treebank.

    Attributes
    ----------
    words, tags : sequence of str
    found : Constituents
        With their posteriors under grammars that have not seen the tree.
    chains : sequence of Chain
        The table of their chains.
    is_gold : ndarray of bool, shape (n,)
        Whether each is in the tree.
    """

    words: Sequence[str]
    tags: Sequence[str]
    found: Constituents
    chains: Sequence[Chain]
    is_gold: np.ndarray


@dataclass(frozen=True)
class LearntSpans:
    """A span model, and how well it fits.

    Attributes
    ----------
    model : SpanModel
    likelihood : list of float
        Mean log-likelihood of a tree in each pass, before the step of its sentence.
    """

    model: SpanModel
    likelihood: list[float]


def learn_span_model(
    examples: Sequence[SpanExample],
    settings: SpanSettings,
    rng: np.random.Generator,
    progress: Progress = no_progress,
) -> LearntSpans:
    """Maximise the likelihood of the trees, as far as their constituents are found at all.

    Parameters
    ----------
    examples : sequence of SpanExample
    settings : SpanSettings
    rng : Generator
        Draws the order of the sentences.
    progress : Progress
    """
    known = known_words([example.words for example in examples])
    data = _joined(examples, known)
    weight, squares = np.zeros(1 << BITS, np.float32), np.ones(1 << BITS, np.float32)
    trust = np.array([1.0, 1000.0])  # as if much had been learnt of it: its first steps are short
    likelihood = []
    for _ in progress(range(settings.passes), "spans", settings.passes, "pass"):
        order = rng.permutation(len(examples))
        total = learn_from(order, *data, settings.rate, trust, weight, squares)
        likelihood.append(total / len(examples))
    unit = max(float(np.abs(weight).max()), 1e-30) / MOST_UNITS
    units = np.round(weight / unit).astype(np.int8)
    return LearntSpans(SpanModel(units, unit, float(trust[0]), known, settings.member), likelihood)


class _Joined(NamedTuple):
    """The arrays of all examples, as `learn_from` takes them."""

    n_words: np.ndarray
    sentence: np.ndarray
    start: np.ndarray
    stop: np.ndarray
    chain: np.ndarray
    odds: np.ndarray
    is_gold: np.ndarray
    span: np.ndarray
    first: np.ndarray
    key: np.ndarray


def known_words(sentences: Sequence[Sequence[str]]) -> np.ndarray:
    """Hashes of the words that occur at least `KNOWN_FROM` times, ascending; uint64."""
    counts = Counter(word for words in sentences for word in words)
    return np.unique(np.array([hash_of("word", word) for word, n in counts.items() if n >= KNOWN_FROM], np.uint64))


def _joined(examples: Sequence[SpanExample], known: np.ndarray) -> _Joined:
    found = [example.found for example in examples]
    spans = [features_of(example.found, example.words, example.tags, known) for example in examples]
    n_spans = starts([len(features.start) - 1 for _, features in spans])
    features = _joined_features([features for _, features in spans])
    return _Joined(
        np.array([len(example.words) for example in examples], np.int64),
        starts([len(one.start) for one in found]),
        np.concatenate([one.start for one in found]),
        np.concatenate([one.stop for one in found]),
        np.concatenate([chain_hashes(example.chains)[example.found.chain] for example in examples]),
        np.concatenate([log_odds(one) for one in found]),
        np.concatenate([example.is_gold for example in examples]),
        np.concatenate([span + first for (span, _), first in zip(spans, n_spans[:-1], strict=True)]),
        *features,
    )


def _joined_features(parts: Sequence[SpanFeatures]) -> SpanFeatures:
    sizes = np.concatenate([np.diff(part.start) for part in parts])
    return SpanFeatures(starts(sizes), np.concatenate([part.key for part in parts]))
