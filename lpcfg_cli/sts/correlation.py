"""Pearson's correlation over sets of pairs, as SemEval-2012 task 6 reports it, and tests of differences."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

LEAST_PAIRS = 3
"""Fewer pairs have no correlation worth the name."""

BLOCK_CELLS = 4_000_000
"""Number of bootstrap draws at a time: bounds the memory at about 100 MB."""

Scores = Sequence[np.ndarray]
"""The scores of each set, float64, shape (n_set,)."""


def pearson(x: np.ndarray, y: np.ndarray) -> float:
    """Pearson's r of two arrays, shape (n,); NaN for fewer than `LEAST_PAIRS` values, or if one is constant."""
    return float(_pearson_rows(x[None], y[None])[0]) if len(x) >= LEAST_PAIRS else math.nan


def _pearson_rows(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Pearson's r of each row of two arrays, shapes (samples, n); NaN where one is constant."""
    a, b = (values - values.mean(1, keepdims=True) for values in (x, y))
    length = np.sqrt((a * a).sum(1) * (b * b).sum(1))
    scale = np.maximum(np.abs(x).max(1, initial=0) * np.abs(y).max(1, initial=0), 1e-300) * x.shape[1]
    is_defined = length > 1e-12 * scale
    return np.where(is_defined, (a * b).sum(1) / np.where(is_defined, length, 1.0), np.nan)


@dataclass(frozen=True)
class Correlations:
    """Pearson's r of the similarities of a system.

    Attributes
    ----------
    by_set : list of float
    mean : float
        Mean over the sets, weighted by their numbers of pairs.
    all_pairs : float
        Of all pairs together (ALL).
    all_fitted : float
        Of all pairs together, after a least-squares line maps each set's similarities to its judgements (ALLnrm).
    """

    by_set: list[float]
    mean: float
    all_pairs: float
    all_fitted: float


def correlate(found: Scores, gold: Scores) -> Correlations:
    """The correlations of similarities and judgements of some sets."""
    by_set = [pearson(x, y) for x, y in zip(found, gold, strict=True)]
    joined = np.concatenate(gold)
    fitted = [fitted_line(x, y) for x, y in zip(found, gold, strict=True)]
    return Correlations(
        by_set,
        float(np.average(by_set, weights=[len(y) for y in gold])),
        pearson(np.concatenate(found), joined),
        pearson(np.concatenate(fitted), joined),
    )


def fitted_line(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Values on the least-squares line from x to y, both of shape (n,); the mean of y if x is constant."""
    r = pearson(x, y)
    slope = r * y.std() / x.std() if math.isfinite(r) else 0.0
    return y.mean() + slope * (x - x.mean())


def williams_p(r_first: float, r_second: float, r_between: float, n: int) -> float:
    """Two-sided p of Williams's test that two systems' correlations with the same judgements are equal.

    Parameters
    ----------
    r_first, r_second : float
        Correlation of each system with the judgements.
    r_between : float
        Correlation of the systems with each other.
    n : int
        Number of pairs, at least 4.

    Returns
    -------
    float
        1 if the systems are the same up to a linear map, or a correlation is not defined (Steiger 1980, eq. 7).
    """
    from scipy.stats import t  # here, since scipy is slow to import

    if n < 4 or not all(map(math.isfinite, (r_first, r_second, r_between))) or 1 - abs(r_between) < 1e-12:
        return 1.0
    determinant = 1 - r_first**2 - r_second**2 - r_between**2 + 2 * r_first * r_second * r_between
    mean = (r_first + r_second) / 2
    below = 2 * (n - 1) / (n - 3) * max(determinant, 0) + mean**2 * (1 - r_between) ** 3
    statistic = (r_first - r_second) * math.sqrt((n - 1) * (1 + r_between) / below)
    return float(2 * t.sf(abs(statistic), n - 3))


@dataclass(frozen=True)
class Difference:
    """A difference of two systems in one figure.

    Attributes
    ----------
    value : float
        Second system minus first.
    low, high : float
        Bounds of the bootstrap's 95 % interval.
    p_value : float
        Two-sided: twice the share of samples on the other side of zero, with the observed one counted in.
    """

    value: float
    low: float
    high: float
    p_value: float


def bootstrap_difference(
    first: Scores,
    second: Scores,
    gold: Scores,
    samples: int,
    stream: np.random.Generator,
    figure: Callable[[Scores, Scores], np.ndarray],
) -> Difference:
    """Paired bootstrap of the difference of two systems, pairs drawn within each set.

    Parameters
    ----------
    first, second, gold : sequence of ndarray
    samples : int
    stream : Generator
    figure : function of (found, gold) to ndarray of float64, shape (samples,)
        Of arrays of shape (samples, n_set): `mean_rows` or `all_rows`.
    """
    observed = [float(figure([x[None] for x in one], [y[None] for y in gold])[0]) for one in (first, second)]
    differences = []
    step = max(1, BLOCK_CELLS // max(1, sum(map(len, gold))))
    for begin in range(0, samples, step):
        size = min(step, samples - begin)
        drawn = [stream.integers(len(y), size=(size, len(y))) for y in gold]
        judged = [y[rows] for y, rows in zip(gold, drawn, strict=True)]
        values = [figure([x[rows] for x, rows in zip(one, drawn, strict=True)], judged) for one in (first, second)]
        differences.append(values[1] - values[0])
    found = np.concatenate(differences)
    low, high = np.nanpercentile(found, [2.5, 97.5])
    tail = min(int((found <= 0).sum()), int((found >= 0).sum()))
    p_value = min(1.0, 2 * (tail + 1) / (samples + 1))
    return Difference(observed[1] - observed[0], float(low), float(high), p_value)


def mean_rows(found: Scores, gold: Scores) -> np.ndarray:
    """The weighted mean of Pearson's r for each sample; arrays of shape (samples, n_set) in, (samples,) out."""
    by_set = [_pearson_rows(x, y) for x, y in zip(found, gold, strict=True)]
    return np.average(by_set, axis=0, weights=[y.shape[1] for y in gold])


def all_rows(found: Scores, gold: Scores) -> np.ndarray:
    """Pearson's r of all pairs together for each sample; arrays of shape (samples, n_set) in, (samples,) out."""
    return _pearson_rows(np.concatenate(found, 1), np.concatenate(gold, 1))
