"""Counts over sentences and the figures of EVALB's summary."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import numpy as np

from lpcfg_cli.evaluation import score_kernels as columns


@dataclass(frozen=True)
class Counts:
    """Sums over sentences; only the first three count sentences that are not valid.

    Attributes
    ----------
    sentences, errors, skipped : int
        Number of all sentences, of those whose words differ or that are unreadable, and of those without words in the
        test file (failed parses).
    matched, gold, test : int
        Number of matched brackets, of gold brackets and of test brackets.
    complete, no_crossing, two_or_less_crossing : int
        Number of sentences with all brackets matched, with no crossing test bracket, and with at most two.
    crossing : int
        Number of test brackets that cross a gold bracket.
    words, correct_tags : int
        Number of words that are not deleted, and of those with the correct tag.
    """

    sentences: int = 0
    errors: int = 0
    skipped: int = 0
    matched: int = 0
    gold: int = 0
    test: int = 0
    complete: int = 0
    no_crossing: int = 0
    two_or_less_crossing: int = 0
    crossing: int = 0
    words: int = 0
    correct_tags: int = 0

    @property
    def valid(self) -> int:
        """Number of sentences that are scored."""
        return self.sentences - self.errors - self.skipped

    @property
    def recall(self) -> float:
        """Share of the gold brackets that are matched, in percent; 0 if there are none."""
        return percent(self.matched, self.gold)

    @property
    def precision(self) -> float:
        """Share of the test brackets that are matched, in percent; 0 if there are none."""
        return percent(self.matched, self.test)

    @property
    def f1(self) -> float:
        """Harmonic mean of recall and precision, in percent; nan if there are no brackets at all."""
        if self.matched == 0:
            return 0.0 if self.gold or self.test else math.nan
        return 2 * self.precision * self.recall / (self.precision + self.recall)

    @property
    def complete_match(self) -> float:
        """Share of the valid sentences with all brackets matched, in percent."""
        return percent(self.complete, self.valid)

    @property
    def average_crossing(self) -> float:
        """Mean number of crossing brackets of a valid sentence."""
        return 1.0 * self.crossing / self.valid if self.valid > 0 else 0.0

    @property
    def tagging_accuracy(self) -> float:
        """Share of the words with the correct tag, in percent."""
        return percent(self.correct_tags, self.words)

    @property
    def share_without_crossing(self) -> float:
        """Share of the valid sentences without crossing brackets, in percent."""
        return percent(self.no_crossing, self.valid)

    @property
    def share_two_or_less_crossing(self) -> float:
        """Share of the valid sentences with at most two crossing brackets, in percent."""
        return percent(self.two_or_less_crossing, self.valid)

    def as_dict(self) -> dict[str, int | float | None]:
        """Counts and figures for JSON; an undefined figure is None."""
        figures = {name: getattr(self, name) for name in FIGURES}
        defined = {name: None if math.isnan(value) else value for name, value in figures.items()}
        return {**asdict(self), "valid": self.valid, **defined}


FIGURES = (
    "recall", "precision", "f1", "complete_match", "average_crossing", "share_without_crossing",
    "share_two_or_less_crossing", "tagging_accuracy",
)  # fmt: skip
"""Names of the figures computed from the counts; all but `average_crossing` are percentages."""


def percent(part: float, whole: float) -> float:
    """`part` of `whole` in percent, 0 if `whole` is 0; the operations have EVALB's order."""
    return 100.0 * part / whole if whole > 0 else 0.0


def count_rows(rows: np.ndarray) -> Counts:
    """Sum the rows of the scorer.

    Parameters
    ----------
    rows : ndarray of int64, shape (n, 7)
        From `score_kernels.score_sentences`.
    """
    status = rows[:, columns.STATUS]
    valid = rows[status == columns.VALID]
    total = valid.sum(axis=0).tolist()
    crossing, matched = valid[:, columns.CROSSING], valid[:, columns.MATCHED]
    is_complete = (valid[:, columns.GOLD] == matched) & (valid[:, columns.TEST] == matched)
    return Counts(
        sentences=len(rows),
        errors=int(np.count_nonzero(status == columns.ERROR)),
        skipped=int(np.count_nonzero(status == columns.SKIPPED)),
        matched=total[columns.MATCHED],
        gold=total[columns.GOLD],
        test=total[columns.TEST],
        complete=int(np.count_nonzero(is_complete)),
        no_crossing=int(np.count_nonzero(crossing == 0)),
        two_or_less_crossing=int(np.count_nonzero(crossing <= 2)),
        crossing=total[columns.CROSSING],
        words=total[columns.WORDS],
        correct_tags=total[columns.TAGS],
    )
