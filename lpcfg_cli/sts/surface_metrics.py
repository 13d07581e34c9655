"""Metrics of what two sentences look like: lengths, common words, n-grams, numerals, names (J12 §2.4)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from collections.abc import Set as AbstractSet
from functools import partial

import numpy as np

from lpcfg_cli.sts.comparison import Comparison
from lpcfg_cli.sts.matrix_similarity import unweighted_similarity
from lpcfg_cli.sts.metric import Metric

Measure = Callable[[Comparison], float]


def lengths(pair: Comparison) -> tuple[int, int]:
    """Numbers of words."""
    return len(pair.first.words), len(pair.second.words)


def length_difference(pair: Comparison) -> float:
    """Difference of the numbers of words."""
    first, second = lengths(pair)
    return float(abs(first - second))


def length_ratio(pair: Comparison) -> float:
    """The smaller number of words by the larger; 1 if there are none."""
    least, most = sorted(lengths(pair))
    return least / most if most else 1.0


def n_common(first: AbstractSet[str], second: AbstractSet[str]) -> float:
    """Number of common items."""
    return float(len(first & second))


def dice(first: AbstractSet[Hashable], second: AbstractSet[Hashable]) -> float:
    """Twice the number of common items by that of all; 1 if there are none."""
    total = len(first) + len(second)
    return 2 * len(first & second) / total if total else 1.0


def ngrams(items: Sequence[Hashable], n: int) -> set[Hashable]:
    """The different n-grams of a sequence."""
    return {tuple(items[k : k + n]) for k in range(len(items) - n + 1)}


def word_ngrams(n: int, pair: Comparison) -> float:
    """Dice coefficient of the n-grams of words."""
    return dice(ngrams(pair.first.words, n), ngrams(pair.second.words, n))


def content_ngrams(n: int, pair: Comparison) -> float:
    """Dice coefficient of the n-grams of content words, other words left out."""
    return dice(ngrams(pair.content[0], n), ngrams(pair.content[1], n))


def character_ngrams(n: int, pair: Comparison) -> float:
    """Dice coefficient of the n-grams of characters, blanks between words included."""
    return dice(ngrams(pair.first.text, n), ngrams(pair.second.text, n))


def coverages(pair: Comparison) -> tuple[float, float]:
    """Share of each sentence's weight of words that is in common, the smaller first; 0 for a sentence without."""
    weight_of = pair.resources.frequencies.weight_of
    first, second = (set(side.distinct) for side in pair.sides)
    common = weight_of(first & second)
    least, most = sorted(common / total if (total := weight_of(side)) > 0 else 0.0 for side in (first, second))
    return least, most


def longest_subsequence(pair: Comparison) -> float:
    """Twice the length of the longest common subsequence of words by the number of words; 1 if there are none."""
    total = sum(lengths(pair))
    return 2 * _common_subsequence(pair.first.words, pair.second.words) / total if total else 1.0


def _common_subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of the longest common subsequence; O(n_first n_second)."""
    row = [0] * (len(second) + 1)
    for word in first:
        above = row
        row = [0]
        for k, other in enumerate(second):
            row.append(above[k] + 1 if word == other else max(above[k + 1], row[k]))
    return row[-1]


def _surface(name: str, summary: str, measure: Measure) -> Metric:
    return Metric(name, summary, "surface", measure)


SURFACE_METRICS = (
    _surface("length-difference", "difference of the lengths in words", length_difference),
    _surface("length-average", "average length in words", lambda pair: float(np.mean(lengths(pair)))),
    _surface("length-ratio", "smaller length by larger", length_ratio),
    _surface("words", "number of common words", lambda p: n_common(set(p.first.words), set(p.second.words))),
    _surface("content-words", "number of common content words", lambda p: n_common(*map(set, p.content))),
    _surface("base-forms", "number of common base forms", lambda p: n_common(*p.bases)),
    _surface("numerals", "number of common numerals", lambda p: n_common(p.first.numerals, p.second.numerals)),
    _surface("numerals-dice", "share of common numerals", lambda p: dice(p.first.numerals, p.second.numerals)),
    _surface("names-dice", "share of common words with capitals", lambda p: dice(p.first.names, p.second.names)),
    _surface("words-cosine", "eq. 1 with W = I", lambda p: unweighted_similarity(p.is_equal.astype(float))),
    _surface("content-dice", "share of common content words", lambda p: dice(*map(set, p.content))),
    _surface("base-dice", "share of common base forms", lambda p: dice(*p.bases)),
    _surface("coverage-least", "common weight of words by the larger weight", lambda p: coverages(p)[0]),
    _surface("coverage-most", "common weight of words by the smaller weight", lambda p: coverages(p)[1]),
    _surface("bigrams", "share of common bigrams of words", partial(word_ngrams, 2)),
    _surface("trigrams", "share of common trigrams of words", partial(word_ngrams, 3)),
    _surface("content-bigrams", "share of common bigrams of content words", partial(content_ngrams, 2)),
    _surface("characters-2", "share of common bigrams of characters", partial(character_ngrams, 2)),
    _surface("characters-3", "share of common trigrams of characters", partial(character_ngrams, 3)),
    _surface("characters-4", "share of common 4-grams of characters", partial(character_ngrams, 4)),
    _surface("subsequence", "longest common subsequence by length", longest_subsequence),
)
"""The metrics; those of J12 are the first seven without `length-ratio`."""
