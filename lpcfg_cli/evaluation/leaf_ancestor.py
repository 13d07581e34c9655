"""The leaf-ancestor score, and scores of unlabelled brackets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lpcfg_cli.evaluation import score_kernels as kernels
from lpcfg_cli.evaluation.counts import Counts, count_rows
from lpcfg_cli.evaluation.leaf_ancestor_kernels import leaf_ancestor_scores
from lpcfg_cli.evaluation.parameters import EvalbParameters
from lpcfg_cli.evaluation.score import ChunkScore, Observer


@dataclass(frozen=True)
class LeafAncestor:
    """Leaf-ancestor scores, in percent.

    Attributes
    ----------
    by_word, by_sentence : float
        Mean over all words, and mean over all sentences of the mean over the sentence's words.
    """

    by_word: float
    by_sentence: float


class LeafAncestorScores(Observer):
    """Leaf-ancestor score over the valid sentences (Sampson and Babarczy 2003).

    The lineage of a word is the list of the labels of the brackets above it, from the root down, with a mark before the
    highest bracket that starts with the word and a mark after the highest bracket that ends with it.  The score of a
    word is 1 − d / (m + n), where m and n are the lengths of its two lineages and d is their edit distance; replacing a
    label costs as much as deleting one and inserting another.  Labels and words that the parameters delete are left
    out, and EQ_LABEL applies.

    Parameters
    ----------
    parameters : EvalbParameters
        The rules; LABELED is ignored.
    """

    def __init__(self, parameters: EvalbParameters):
        self.parameters = parameters
        self._of_words, self._of_sentences = 0.0, 0.0
        self._n_words = self._n_sentences = 0

    def add(self, chunk: ChunkScore) -> None:
        """Score the words of a chunk."""
        pairs = chunk.rules.pairs(self.parameters.equal_labels)
        totals = leaf_ancestor_scores(chunk.gold, chunk.test, chunk.is_valid, pairs)[chunk.is_valid]
        n_words = np.diff(chunk.gold.first_word)[chunk.is_valid]
        self._of_words += float(totals.sum())
        self._of_sentences += float((totals / n_words).sum())
        self._n_words += int(n_words.sum())
        self._n_sentences += len(n_words)

    def result(self) -> LeafAncestor:
        """The means; 0 if no sentence is valid."""
        if self._n_words == 0:
            return LeafAncestor(0.0, 0.0)
        return LeafAncestor(100 * self._of_words / self._n_words, 100 * self._of_sentences / self._n_sentences)


class UnlabelledScores(Observer):
    """Bracket scores with LABELED 0.

    Parameters
    ----------
    parameters : EvalbParameters
        The rules; LABELED is ignored.
    """

    def __init__(self, parameters: EvalbParameters):
        self.parameters = parameters
        self._rows = [np.zeros((0, 7), np.int64)]

    def add(self, chunk: ChunkScore) -> None:
        """Score a chunk without labels."""
        labels = chunk.rules.pairs(self.parameters.equal_labels)
        words = chunk.rules.pairs(self.parameters.equal_words)
        self._rows.append(kernels.score_sentences(chunk.gold, chunk.test, False, labels, words)[0])

    def result(self) -> Counts:
        """Counts over all sentences."""
        return count_rows(np.concatenate(self._rows))
