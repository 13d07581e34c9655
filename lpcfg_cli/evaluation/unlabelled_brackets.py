"""The figures that there would be without brackets that have no label, as around whole trees."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.evaluation import score_kernels as kernels
from lpcfg_cli.evaluation.bracket_sets import BracketSets
from lpcfg_cli.evaluation.counts import Counts, count_rows
from lpcfg_cli.evaluation.parameters import EvalbParameters
from lpcfg_cli.evaluation.score import ChunkScore, ChunkScorer, Observer, without_unlabelled
from lpcfg_cli.treebank.bracket_kernels import EMPTY


class WithoutUnlabelled(Observer):
    """Scores every sentence without its brackets that have no label.

    Parameters
    ----------
    parameters : EvalbParameters
        The rules, to which this one is added.
    """

    def __init__(self, parameters: EvalbParameters):
        self._scorer = ChunkScorer(without_unlabelled(parameters))
        self._rows = [np.zeros((0, 7), np.int64)]

    def add(self, chunk: ChunkScore) -> None:
        """Score a chunk; it is read again only if words have no tag, which are then left out too."""
        if (chunk.gold.tag == EMPTY).any() or (chunk.test.tag == EMPTY).any():
            rows = self._scorer.score(chunk.gold_texts, chunk.test_texts).rows
        elif (chunk.gold.label == EMPTY).any() or (chunk.test.label == EMPTY).any():
            used = chunk.rules.parameters
            pairs = chunk.rules.pairs(used.equal_labels), chunk.rules.pairs(used.equal_words)
            rows = kernels.score_sentences(_labelled(chunk.gold), _labelled(chunk.test), used.labeled, *pairs)[0]
        else:
            rows = chunk.rows
        self._rows.append(rows)

    def result(self) -> Counts:
        """Counts over all sentences."""
        return count_rows(np.concatenate(self._rows))


def _labelled(sets: BracketSets) -> BracketSets:
    has_label = sets.label != EMPTY
    return sets._replace(
        label=sets.label[has_label],
        start=sets.start[has_label],
        end=sets.end[has_label],
        first_bracket=starts(has_label)[sets.first_bracket],
    )
