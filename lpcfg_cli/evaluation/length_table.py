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
        Over these sentences.
    """

    shortest: int
    longest: int
    counts: Counts

    def as_dict(self) -> dict[str, Any]:
        """Lengths, counts and figures, for JSON."""
        return {"shortest": self.shortest, "longest": self.longest, **self.counts.as_dict()}


def length_table(scores: Scores, width: int = 10) -> list[LengthScore]:
    """Scores by length; ranges without any sentence are left out.

    Parameters
    ----------
    scores : Scores
        Of all sentences.
    width : int
        Lengths that share a row; the first range is 1 to `width`, empty sentences included.
    """
    group = np.maximum(scores.length - 1, 0) // width
    return [
        LengthScore(int(k) * width + 1, int(k + 1) * width, count_rows(scores.rows[group == k]))
        for k in np.unique(group)
    ]
