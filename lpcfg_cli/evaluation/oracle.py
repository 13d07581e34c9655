"""Scores of the best tree among the first N of each list: what a perfect choice among them would reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from lpcfg_cli.evaluation import score_kernels as columns
from lpcfg_cli.evaluation.counts import Counts, count_rows
from lpcfg_cli.evaluation.parameters import EvalbParameters
from lpcfg_cli.evaluation.score import ChunkScore, ChunkScorer, Observer
from lpcfg_cli.evaluation.sentence_blocks import SentenceText, block_of_texts


@dataclass(frozen=True)
class OracleScore:
    """Scores of the best tree of each list.

    Attributes
    ----------
    n : int
        How many trees of each list are looked at.
    counts : Counts
        EVALB's figures if of these trees the one with the highest F1 is taken; of the first among equals.
    """

    n: int
    counts: Counts

    def as_dict(self) -> dict[str, Any]:
        """Counts and figures, for JSON."""
        return {"n": self.n, **self.counts.as_dict()}


class OracleScores(Observer):
    """Scores every tree of the lists of a test file.

    Parameters
    ----------
    parameters : EvalbParameters
        The rules.
    """

    def __init__(self, parameters: EvalbParameters):
        self._scorer = ChunkScorer(parameters)
        self._chunks: list[list[Counts]] = []

    def add(self, chunk: ChunkScore) -> None:
        """Score the further trees of a chunk."""
        best = chunk.rows.copy()
        by_n = [count_rows(best)]
        depth = max((len(text.others) for text in chunk.test_texts), default=0)
        for k in range(depth):
            here = [place for place, text in enumerate(chunk.test_texts) if k < len(text.others)]
            rows = self._score(chunk, here, k)
            better = _f1(rows) > _f1(best[here])
            best[np.array(here)[better]] = rows[better]
            by_n.append(count_rows(best))
        self._chunks.append(by_n)

    def result(self) -> list[OracleScore]:
        """The scores for each N from 1 to the length of the longest list."""
        longest = max(map(len, self._chunks), default=0)
        return [
            OracleScore(n, _total([by_n[min(n, len(by_n)) - 1] for by_n in self._chunks]))
            for n in range(1, longest + 1)
        ]

    def _score(self, chunk: ChunkScore, here: list[int], k: int) -> np.ndarray:
        tests = [SentenceText(text.path, text.line, text.others[k]) for text in map(chunk.test_texts.__getitem__, here)]
        return self._scorer.score(chunk.gold_texts.select(np.array(here)), block_of_texts(tests)).rows


def _f1(rows: np.ndarray) -> np.ndarray:
    """F1 of each sentence from 0 to 1; 1 without brackets, below 0 if it is not valid."""
    both = rows[:, columns.GOLD] + rows[:, columns.TEST]
    f1 = np.where(both > 0, 2 * rows[:, columns.MATCHED] / np.maximum(both, 1), 1.0)
    return np.where(rows[:, columns.STATUS] == columns.VALID, f1, -1.0)


def _total(parts: Sequence[Counts]) -> Counts:
    return Counts(**{entry.name: sum(getattr(part, entry.name) for part in parts) for entry in fields(Counts)})
