"""Scores by sentence length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lpcfg_cli.evaluation.counts import Counts, count_rows
from lpcfg_cli.evaluation.score import Scores


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
