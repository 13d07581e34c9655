"""Evaluation of dependency files: all scores of a test file, and the comparison of two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from lpcfg_cli.dependency.trees.aligned_scores import AlignedScore, aligned_scores
from lpcfg_cli.dependency.trees.breakdowns import ArcScore, LengthScore, by_arc_length, by_relation, by_sentence_length
from lpcfg_cli.dependency.trees.scores import (
    BOTH,
    HEADS,
    AttachmentCounts,
    count_rows,
    pair_words,
    paired_counts,
)
from lpcfg_cli.dependency.trees.sentence import DependencySentence
from lpcfg_cli.errors import InputError
from lpcfg_cli.evaluation.significance import Significance, SignificanceSettings, compare_counts


@dataclass(frozen=True)
class AttachmentReport:
    """The scores of test sentences with the words of gold.

    Attributes
    ----------
    all, counted : AttachmentCounts
        Over all words, and over those that are no punctuation.
    rows : ndarray of int64, shape (S, 4)
        Counts of each sentence, without punctuation; see `WordPairs.rows`.
    relations, arcs : list of ArcScore
        By relation and by length of arc, without punctuation.
    lengths : list of LengthScore
        By length of sentence, without punctuation.
    """

    all: AttachmentCounts
    counted: AttachmentCounts
    rows: np.ndarray
    relations: list[ArcScore]
    arcs: list[ArcScore]
    lengths: list[LengthScore]

    def as_dict(self) -> dict[str, Any]:
        """All counts and figures, for JSON."""
        return {
            "all": self.all.as_dict(),
            "without_punctuation": self.counted.as_dict(),
            "relations": [row.as_dict() for row in self.relations],
            "arc_lengths": [row.as_dict() for row in self.arcs],
            "sentence_lengths": [row.as_dict() for row in self.lengths],
        }


@dataclass(frozen=True)
class DependencyReport:
    """The scores of a test file.

    Attributes
    ----------
    attachment : AttachmentReport or None
        None if the words differ from those of gold.
    aligned : dict of str to AlignedScore, or None
        From `aligned_scores`, if it was asked for.
    difference : str
        Where the words differ; empty if they do not.
    """

    attachment: AttachmentReport | None
    aligned: dict[str, AlignedScore] | None = None
    difference: str = ""

    def as_dict(self) -> dict[str, Any]:
        """All counts and figures, for JSON."""
        return {
            **(self.attachment.as_dict() if self.attachment else {}),
            "aligned": {name: score.as_dict() for name, score in self.aligned.items()} if self.aligned else None,
        }


@dataclass(frozen=True)
class DependencyComparison:
    """Tests of the difference between two parses of the same gold sentences, without punctuation.

    Attributes
    ----------
    uas, las : Significance
    """

    uas: Significance
    las: Significance

    def as_dict(self) -> dict[str, Any]:
        """The figures of the tests, for JSON."""
        both = (("uas", self.uas), ("las", self.las))
        return {name: {"difference": found.difference, **asdict(found)} for name, found in both}


def evaluate_dependencies(
    gold: Sequence[DependencySentence],
    test: Sequence[DependencySentence],
    punctuation: str = "unicode",
    align: bool = False,
) -> DependencyReport:
    """All scores of test sentences.

    Parameters
    ----------
    gold, test : sequence of DependencySentence
    punctuation : str
        A name of `PUNCTUATION`.
    align : bool
        Whether the scores over aligned words are computed too; the words may then differ.

    Raises
    ------
    InputError
        The sentences or words differ, and are not to be aligned or are of different texts.
    """
    aligned = aligned_scores(gold, test) if align else None
    try:
        pairs = pair_words(gold, test, punctuation)
    except InputError as error:
        if aligned is None:
            raise
        return DependencyReport(None, aligned, str(error))
    counts = ~pairs.is_punctuation
    rows = pairs.rows(counts)
    attachment = AttachmentReport(
        all=count_rows(pairs.rows(np.ones_like(counts))),
        counted=count_rows(rows),
        rows=rows,
        relations=by_relation(pairs, counts),
        arcs=by_arc_length(pairs, counts),
        lengths=by_sentence_length(rows, np.diff(pairs.start)),
    )
    return DependencyReport(attachment, aligned)


def compare_attachment(
    a: AttachmentReport, b: AttachmentReport, settings: SignificanceSettings | None = None
) -> DependencyComparison:
    """Paired tests of the difference in UAS and in LAS, with sentences as units; see `compare_counts`."""
    uas, las = (compare_counts(paired_counts(a.rows, b.rows, column), settings) for column in (HEADS, BOTH))
    return DependencyComparison(uas, las)
