"""Interpolated Kneser-Ney models with modified discounts (Chen and Goodman 1998), of any order.

N-grams shorter than the longest count the different words before them, except at the begin of a sentence, where nothing
precedes them.  Single words are interpolated with the uniform distribution over all words and the end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lpcfg_cli.arrays.grouping import number_rows
from lpcfg_cli.config import LmSettings
from lpcfg_cli.em.monitor import OnStep
from lpcfg_cli.lm.backoff import BackoffModel, Level
from lpcfg_cli.lm.learner import LmData, LmLearner, LmLearnt
from lpcfg_cli.text.counts import NgramCounts, is_event
from lpcfg_cli.text.vocabulary import START

FALLBACK = (0.5, 1.0, 1.5)
"""Discounts of n-grams that occur once, twice, and more often, for texts so small that they cannot be estimated."""

FEW = 3
"""Counts from this one on have the same discount."""


@dataclass(frozen=True)
class Adjusted:
    """The n-grams of one length with Kneser-Ney's counts.

    Attributes
    ----------
    rows : ndarray of int32, shape (n, k)
        In lexicographic order.
    count : ndarray of int64, shape (n,)
    """

    rows: np.ndarray
    count: np.ndarray


def fit_kneser_ney(counts: NgramCounts) -> BackoffModel:
    """The model of a text's n-grams; its order is theirs.

    Parameters
    ----------
    counts : NgramCounts
    """
    adjusted = [adjusted_counts(counts, length) for length in range(1, counts.order + 1)]
    n_words = len(counts.vocabulary)
    model = BackoffModel(counts.vocabulary, (_single_words(adjusted[0], n_words),))
    for level in adjusted[1:]:
        model = _extended(model, level)
    return model


def adjusted_counts(counts: NgramCounts, length: int) -> Adjusted:
    """Kneser-Ney's counts of the n-grams of one length: true counts of the longest, else of different words before."""
    shorter = counts.shortened(length)
    rows, count = shorter.rows, shorter.count
    if length < counts.order:
        longer = counts.shortened(length + 1)
        number, first = number_rows(list(longer.rows[:, 1:].T))
        sorting = np.lexsort(longer.rows[first, 1:].T[::-1])  # the order of `rows`
        variety = np.bincount(number, minlength=len(first))[sorting]
        count = np.where(rows[:, 0] == START, count, variety)
    is_whole = rows[:, 1] != START if length > 1 else np.ones(len(rows), bool)
    return Adjusted(rows[is_whole], count[is_whole])


def discounts(count: np.ndarray) -> tuple[float, ...]:
    """D₁, D₂ and D₃₊, estimated from how many n-grams have the counts 1 to 4.

    `FALLBACK` if any of these numbers is zero, or an estimate is not between 0 and its count.
    """
    n1, n2, n3, n4 = (int(np.count_nonzero(count == k)) for k in range(1, 5))
    if not (n1 and n2 and n3 and n4):
        return FALLBACK
    y = n1 / (n1 + 2 * n2)
    found = (1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3)
    return found if all(0 <= d <= k for k, d in enumerate(found, 1)) else FALLBACK


def _discount_of(count: np.ndarray) -> np.ndarray:
    return np.array([0.0, *discounts(count)])[np.minimum(count, FEW)]


def _single_words(level: Adjusted, n_words: int) -> Level:
    discount = _discount_of(level.count)
    total = level.count.sum()
    probability = np.where(is_event(n_words), discount.sum() / total / (n_words - 1), 0.0)
    probability[level.rows[:, 0]] += (level.count - discount) / total
    return Level(np.arange(n_words), probability, np.ones(n_words))


def _extended(model: BackoffModel, level: Adjusted) -> BackoffModel:
    """The model with a further level, and with the weights of the contexts of that level."""
    last, n_words = model.levels[-1], len(model.vocabulary)
    before, word = model.find(level.rows[:, :-1]), level.rows[:, -1].astype(np.int64)
    discount = _discount_of(level.count)
    total = np.bincount(before, level.count, len(last))
    taken = np.bincount(before, discount, len(last))
    weight = np.divide(taken, total, out=np.ones(len(last)), where=total > 0)
    shorter = last.probability[model.find(level.rows[:, 1:])]
    probability = (level.count - discount) / total[before] + weight[before] * shorter
    changed = Level(last.key, last.probability, weight)
    added = Level(before * n_words + word, probability, np.ones(len(word)))
    return BackoffModel(model.vocabulary, (*model.levels[:-1], changed, added))


def _fit(data: LmData, settings: LmSettings, seed: int, on_step: OnStep) -> LmLearnt:
    return LmLearnt(fit_kneser_ney(data.counts.shortened(settings.order)))


KNESER_NEY = LmLearner("kneser-ney", "interpolated n-grams with modified Kneser-Ney discounts", _fit, has_states=False)
