"""Scores by label and by sentence length, and confusions of labels."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from lpcfg_cli.evaluation.bracket_sets import BracketSets, LabelRules
from lpcfg_cli.evaluation.counts import Counts, count_rows, percent
from lpcfg_cli.evaluation.score import ChunkScore, Observer, Scores
from lpcfg_cli.evaluation.score_kernels import NONE, pair_confused


@dataclass(frozen=True)
class LabelScore:
    """The scores of the brackets with one label.

    Attributes
    ----------
    label : str
        Cut at ``-`` and ``=``.
    gold, test : int
        Number of gold and of test brackets with this label.
    matched : int
        Number of these gold brackets that are matched, possibly by a bracket with an equal label.
    matched_test : int
        Number of these test brackets that are matched.
    """

    label: str
    gold: int
    test: int
    matched: int
    matched_test: int

    @property
    def recall(self) -> float:
        """Share of the gold brackets that are matched, in percent."""
        return percent(self.matched, self.gold)

    @property
    def precision(self) -> float:
        """Share of the test brackets that are matched, in percent."""
        return percent(self.matched_test, self.test)

    @property
    def f1(self) -> float:
        """Harmonic mean of recall and precision, in percent; 0 if nothing matches."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Counts and figures, for JSON."""
        return {**asdict(self), "recall": self.recall, "precision": self.precision, "f1": self.f1}


class LabelTable(Observer):
    """Counts brackets by label over the valid sentences."""

    def __init__(self) -> None:
        self._counts = {name: np.zeros(0, np.int64) for name in ("gold", "test", "matched", "matched_test")}
        self._rules: LabelRules | None = None

    def add(self, chunk: ChunkScore) -> None:
        """Count the brackets of a chunk."""
        self._rules = chunk.rules
        for side, sets, mate in (
            ("gold", chunk.gold, chunk.gold_mate),
            ("test", chunk.test, chunk.test_mate),
        ):
            valid = of_valid_sentences(chunk, sets)
            self._count(side, sets.label[valid])
            self._count("matched" if side == "gold" else "matched_test", sets.label[valid & (mate != NONE)])

    def scores(self) -> list[LabelScore]:
        """The scores of all labels, the most frequent in gold, then in test, first."""
        if self._rules is None:
            return []
        n = max(len(counts) for counts in self._counts.values())
        columns = [_lengthened(counts, n).tolist() for counts in self._counts.values()]
        rows = [
            LabelScore(self._rules.name(k), *counts)
            for k, counts in enumerate(zip(*columns, strict=True))
            if any(counts)
        ]
        return sorted(rows, key=lambda row: (-row.gold, -row.test, row.label))

    def _count(self, name: str, labels: np.ndarray) -> None:
        new = np.bincount(labels, minlength=len(self._counts[name]))
        self._counts[name] = new + _lengthened(self._counts[name], len(new))


@dataclass(frozen=True)
class Confusion:
    """The labels of a missed gold bracket and a wrong test bracket.

    Attributes
    ----------
    gold, test : str
        The labels.
    count : int
        Number of such pairs.
    """

    gold: str
    test: str
    count: int


class ConfusionTable(Observer):
    """Counts confusions of labels, and labels of crossing brackets, over the valid sentences."""

    def __init__(self) -> None:
        self._labels: Counter[tuple[str, str]] = Counter()
        self._crossing: Counter[tuple[str, str]] = Counter()

    def add(self, chunk: ChunkScore) -> None:
        """Count the errors of a chunk."""
        confused = pair_confused(chunk.gold, chunk.test, chunk.gold_mate, chunk.test_mate)
        confused[~of_valid_sentences(chunk, chunk.gold)] = NONE
        gold = np.flatnonzero(confused != NONE)
        self._count(self._labels, chunk, gold, confused[gold])
        crossing = np.flatnonzero((chunk.crossed != NONE) & of_valid_sentences(chunk, chunk.test))
        self._count(self._crossing, chunk, chunk.crossed[crossing], crossing)

    def labels(self) -> list[Confusion]:
        """Labels of unmatched gold and test brackets over the same span, the most frequent pair first."""
        return _sorted(self._labels)

    def crossings(self) -> list[Confusion]:
        """Labels of test brackets and of the first gold bracket that they cross, the most frequent pair first."""
        return _sorted(self._crossing)

    @staticmethod
    def _count(counter: Counter[tuple[str, str]], chunk: ChunkScore, gold: np.ndarray, test: np.ndarray) -> None:
        names = chunk.rules.name
        pairs = zip(chunk.gold.label[gold].tolist(), chunk.test.label[test].tolist(), strict=True)
        counter.update((names(one), names(other)) for one, other in pairs)


def of_valid_sentences(chunk: ChunkScore, sets: BracketSets) -> np.ndarray:
    """Whether each bracket of one side belongs to a valid sentence, bool, shape (n_brackets,)."""
    return np.repeat(chunk.is_valid, np.diff(sets.first_bracket))


def _lengthened(counts: np.ndarray, n: int) -> np.ndarray:
    return np.concatenate([counts, np.zeros(n - len(counts), np.int64)])


def _sorted(counter: Counter[tuple[str, str]]) -> list[Confusion]:
    found = [Confusion(gold, test, n) for (gold, test), n in counter.items()]
    return sorted(found, key=lambda c: (-c.count, c.gold, c.test))


@dataclass(frozen=True)
class LengthScore:
    """Scores of the sentences of some lengths.

    Attributes
    ----------
    shortest, longest : int
        Lengths in words, both included.
    counts : Counts
        Counts over these sentences.
    """

    shortest: int
    longest: int
    counts: Counts

    def as_dict(self) -> dict[str, Any]:
        """Lengths, counts and figures, for JSON."""
        return {"shortest": self.shortest, "longest": self.longest, **self.counts.as_dict()}


def length_table(scores: Scores, width: int = 10) -> list[LengthScore]:
    """Scores by length; ranges of lengths without any sentence are omitted.

    Parameters
    ----------
    scores : Scores
    width : int
        Number of lengths in a range; the first range is 1 to `width`, and includes empty sentences.
    """
    group = np.maximum(scores.length - 1, 0) // width
    return [
        LengthScore(int(k) * width + 1, int(k + 1) * width, count_rows(scores.rows[group == k]))
        for k in np.unique(group)
    ]
