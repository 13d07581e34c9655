"""Attachment scores by relation, by length of sentence and by length of arc."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from lpcfg_cli.dependency.trees.scores import AttachmentCounts, WordPairs, count_rows
from lpcfg_cli.evaluation.counts import percent

ARC_LENGTHS = (("root", 0, 0), ("1", 1, 1), ("2", 2, 2), ("3-6", 3, 6), ("7-10", 7, 10), ("11-", 11, None))
"""Name, shortest and longest number of words from head to word, both included; 0 for arcs from the root."""


@dataclass(frozen=True)
class ArcScore:
    """Scores of the arcs of one kind.

    Attributes
    ----------
    name : str
        A relation, or lengths.
    gold, test : int
        Number of such arcs in gold and in test.
    matched : int
        Number of these that are in both.
    """

    name: str
    gold: int
    test: int
    matched: int

    @property
    def recall(self) -> float:
        """Share of the gold arcs that are matched, in percent."""
        return percent(self.matched, self.gold)

    @property
    def precision(self) -> float:
        """Share of the test arcs that are matched, in percent."""
        return percent(self.matched, self.test)

    @property
    def f1(self) -> float:
        """Harmonic mean of recall and precision, in percent."""
        return percent(2 * self.matched, self.gold + self.test)

    def as_dict(self) -> dict[str, Any]:
        """Counts and figures, for JSON."""
        return {**asdict(self), "recall": self.recall, "precision": self.precision, "f1": self.f1}


@dataclass(frozen=True)
class LengthScore:
    """Scores of the sentences of some lengths.

    Attributes
    ----------
    shortest, longest : int
        Lengths in words, both included.
    counts : AttachmentCounts
    """

    shortest: int
    longest: int
    counts: AttachmentCounts

    def as_dict(self) -> dict[str, Any]:
        """Lengths, counts and figures, for JSON."""
        return {"shortest": self.shortest, "longest": self.longest, **self.counts.as_dict()}


def by_relation(pairs: WordPairs, counts: np.ndarray) -> list[ArcScore]:
    """Scores of each relation, the most frequent in gold first; an arc matches if head and relation are right.

    Parameters
    ----------
    pairs : WordPairs
    counts : (N,) bool array
        Which words count.
    """
    names = sorted({*pairs.gold_relation, *pairs.test_relation})
    number = {name: k for k, name in enumerate(names)}
    gold, test = (
        np.fromiter((number[name] for name in relations), np.int64, len(relations))
        for relations in (pairs.gold_relation, pairs.test_relation)
    )
    matched = pairs.has_head & (gold == test)
    columns = [np.bincount(one, minlength=len(names)) for one in (gold[counts], test[counts], gold[counts & matched])]
    rows = [ArcScore(*row) for row in zip(names, *(column.tolist() for column in columns), strict=True)]
    return sorted((row for row in rows if row.gold or row.test), key=lambda row: (-row.gold, -row.test, row.name))


def by_arc_length(pairs: WordPairs, counts: np.ndarray) -> list[ArcScore]:
    """Scores of arcs of some lengths; an arc matches if its head is right.  Parameters as for `by_relation`."""
    word = np.arange(len(pairs.gold)) - np.repeat(pairs.start[:-1], np.diff(pairs.start)) + 1
    gold, test = (np.where(head > 0, np.abs(head - word), np.minimum(head, 0)) for head in (pairs.gold, pairs.test))
    right = pairs.has_head
    rows = []
    for name, shortest, longest in ARC_LENGTHS:
        in_gold, in_test = (
            counts & (length >= shortest) & (length <= (len(word) if longest is None else longest))
            for length in (gold, test)
        )
        rows.append(ArcScore(name, *(int(np.count_nonzero(one)) for one in (in_gold, in_test, in_gold & right))))
    return [row for row in rows if row.gold or row.test]


def by_sentence_length(rows: np.ndarray, lengths: np.ndarray, width: int = 10) -> list[LengthScore]:
    """Scores by length of the sentence, in words with punctuation; ranges without sentences are omitted.

    Parameters
    ----------
    rows : ndarray of int64, shape (S, 4)
        From `WordPairs.rows`.
    lengths : ndarray of int, shape (S,)
    width : int
        Number of lengths in a range.
    """
    group = np.maximum(lengths - 1, 0) // width
    return [LengthScore(int(k) * width + 1, int(k + 1) * width, count_rows(rows[group == k])) for k in np.unique(group)]
