"""Significance tests of the difference between the F1 of two parsers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lpcfg_cli.errors import ConfigError
from lpcfg_cli.evaluation import score_kernels as columns
from lpcfg_cli.evaluation.score import Scores

BLOCK_CELLS = 4_000_000
"""Number of random numbers drawn at a time: bounds the memory at about 64 MB."""


@dataclass(frozen=True)
class SignificanceSettings:
    """Settings of the paired tests.

    Attributes
    ----------
    samples : int
        Number of bootstrap samples, and of random exchanges.
    confidence : float
        Share of the bootstrap samples inside the interval.
    seed : int
        Seed of the random streams.
    """

    samples: int = 10_000
    confidence: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        if self.samples < 1:
            raise ConfigError(f"samples is {self.samples}; expected at least 1.")
        if not 0 < self.confidence < 1:
            raise ConfigError(f"confidence is {self.confidence}; expected a share between 0 and 1.")


@dataclass(frozen=True)
class Significance:
    """F1 of two parses of the same gold sentences.

    Attributes
    ----------
    sentences : int
        Number of sentences that are valid in both parses; all figures are over these.
    f1_a, f1_b : float
        F1 in percent.
    low, high : float
        Bounds of the bootstrap interval of ``f1_b - f1_a``.
    p_value : float
        Two-sided, by approximate randomization.
    settings : SignificanceSettings
        The settings of the tests.
    """

    sentences: int
    f1_a: float
    f1_b: float
    low: float
    high: float
    p_value: float
    settings: SignificanceSettings

    @property
    def difference(self) -> float:
        """``f1_b - f1_a``."""
        return self.f1_b - self.f1_a


def compare_parses(a: Scores, b: Scores, settings: SignificanceSettings | None = None) -> Significance:
    """Paired tests of the difference in F1 of two parses of one gold file; see `compare_counts`."""
    return compare_counts(paired_counts(a, b), settings)


def compare_counts(table: np.ndarray, settings: SignificanceSettings | None = None) -> Significance:
    """Paired tests of the difference in F1, with sentences as units.

    The interval is that of the percentile bootstrap (Efron and Tibshirani 1993, §13.3).  The p-value is that of
    approximate randomization (Noreen 1989): the two parses of each sentence are exchanged at random, and the observed
    arrangement counts as one of the samples.

    Parameters
    ----------
    table : ndarray of int64, shape (n, 6)
        Of each sentence: what is matched, in gold and in test, of `a`, then of `b`.  Where gold and test have the same
        number of words, F1 is the share of words that are matched.
    settings : SignificanceSettings, optional
        Sample sizes and seed.
    """
    settings = settings or SignificanceSettings()
    f1_a, f1_b = _f1(table.sum(axis=0))
    bootstrap_stream, exchange_stream = np.random.default_rng(settings.seed).spawn(2)
    tail = 100 * (1 - settings.confidence) / 2
    low = high = 0.0
    if len(table):
        differences = bootstrap_differences(table, settings.samples, bootstrap_stream)
        low, high = (float(bound) for bound in np.percentile(differences, [tail, 100 - tail]))
    p_value = randomization_p(table, settings.samples, exchange_stream)
    return Significance(len(table), float(f1_a), float(f1_b), low, high, p_value, settings)


def paired_counts(a: Scores, b: Scores) -> np.ndarray:
    """Counts of brackets of the sentences that are valid in both parses; int64, shape (n, 6).

    The columns are matched, gold and test brackets of `a`, then of `b`.  Sentences that only one parse has are left
    out.
    """
    _, in_a, in_b = np.intersect1d(a.numbers, b.numbers, assume_unique=True, return_indices=True)
    rows_a, rows_b = a.rows[in_a], b.rows[in_b]
    wanted = [columns.MATCHED, columns.GOLD, columns.TEST]
    is_valid = (rows_a[:, columns.STATUS] == columns.VALID) & (rows_b[:, columns.STATUS] == columns.VALID)
    return np.hstack([rows_a[is_valid][:, wanted], rows_b[is_valid][:, wanted]])


def bootstrap_differences(table: np.ndarray, samples: int, stream: np.random.Generator) -> np.ndarray:
    """F1 of b minus F1 of a in bootstrap samples of the sentences; O(samples · n).

    Parameters
    ----------
    table : ndarray of int64, shape (n, 6)
        As for `compare_counts`, n > 0.
    samples : int
        Number of samples.
    stream : Generator
        Draws the samples.

    Returns
    -------
    ndarray of float64, shape (samples,)
        In percent.
    """
    f1_a, f1_b = _f1(bootstrap_totals(table, samples, stream))
    return f1_b - f1_a


def bootstrap_totals(table: np.ndarray, samples: int, stream: np.random.Generator) -> np.ndarray:
    """Sums of the rows of bootstrap samples of a table; O(samples · n · columns).

    Parameters
    ----------
    table : ndarray of int64, shape (n, columns)
        n > 0.
    samples : int
    stream : Generator

    Returns
    -------
    ndarray of int64, shape (samples, columns)
    """
    found = []
    for size in _blocks(samples, len(table)):
        drawn = stream.integers(len(table), size=(size, len(table)))
        found.append(np.stack([column[drawn].sum(axis=1) for column in table.T], axis=1))
    return np.concatenate(found)


def randomization_p(table: np.ndarray, samples: int, stream: np.random.Generator) -> float:
    """Share of random exchanges of a and b whose F1 differ at least as much as observed; O(samples · n).

    Parameters
    ----------
    table : ndarray of int64, shape (n, 6)
        As for `compare_counts`.
    samples : int
        Number of exchanges; the observed arrangement is counted in addition.
    stream : Generator
        Draws the exchanges.
    """
    total = table.sum(axis=0)
    f1_a, f1_b = _f1(total)
    change = table[:, 3:] - table[:, :3]
    change = change[change.any(axis=1)].astype(np.float64)
    at_least = 1
    for size in _blocks(samples, len(change)):
        moved = stream.integers(2, size=(size, len(change)), dtype=np.int8) @ change
        exchanged = np.hstack([total[:3] + moved, total[3:] - moved])
        new_a, new_b = _f1(exchanged)
        # the sums are integers, so only the division has rounding errors
        at_least += int(np.count_nonzero(np.abs(new_b - new_a) >= abs(f1_b - f1_a) - 1e-9))
    return at_least / (samples + 1)


def _f1(totals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    matched, gold, test = totals[..., [0, 3]], totals[..., [1, 4]], totals[..., [2, 5]]
    f1 = 200.0 * matched / np.maximum(gold + test, 1)
    return f1[..., 0], f1[..., 1]


def _blocks(samples: int, width: int) -> list[int]:
    size = max(1, min(samples, BLOCK_CELLS // max(width, 1)))
    return [size] * (samples // size) + ([samples % size] if samples % size else [])
