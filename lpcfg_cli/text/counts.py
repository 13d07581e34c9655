"""Sparse counts of n-grams."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from lpcfg_cli.arrays.grouping import number_rows
from lpcfg_cli.text.vocabulary import START, UNKNOWN, Vocabulary

if TYPE_CHECKING:
    from scipy import sparse


@dataclass(frozen=True)
class NgramCounts:
    """The different n-grams of a text and how often each occurs.

    Attributes
    ----------
    vocabulary : Vocabulary
    rows : ndarray of int32, shape (n, order)
        In lexicographic order; an n-gram at the begin of a sentence has ``<s>`` in all places before it.
    count : ndarray of int64, shape (n,)
    sentences : int
    n_rare : int
        Number of different words that were replaced by ``<unk>``.
    """

    vocabulary: Vocabulary
    rows: np.ndarray
    count: np.ndarray
    sentences: int
    n_rare: int

    @property
    def order(self) -> int:
        """Length of the n-grams."""
        return self.rows.shape[1]

    @property
    def words(self) -> int:
        """Number of words of the text, without ends of sentences."""
        return int(self.count.sum()) - self.sentences

    @cached_property
    def word_count(self) -> np.ndarray:
        """How often each word follows, int64, shape (n_words,); never for ``<s>``."""
        return np.bincount(self.rows[:, -1], self.count, len(self.vocabulary)).astype(np.int64)

    @property
    def unknown(self) -> int:
        """Number of words of the text that were replaced."""
        return int(self.word_count[UNKNOWN])

    def shortened(self, order: int) -> NgramCounts:
        """The counts of shorter n-grams."""
        if order == self.order:
            return self
        columns = list(self.rows[:, self.order - order :].T)
        number, first = number_rows(columns)
        count = np.bincount(number, self.count, len(first)).astype(np.int64)
        rows = np.stack([column[first] for column in columns], 1)
        sorting = np.lexsort(rows.T[::-1])
        return NgramCounts(self.vocabulary, rows[sorting], count[sorting], self.sentences, self.n_rare)

    def bigrams(self, lag: int = 1) -> sparse.csr_array:
        """The matrix Q of CC14 §8 as counts, float64, shape (n_words, n_words): a row for each word `lag` before."""
        from scipy import sparse  # imported here because scipy is slow to import

        counts = self.shortened(lag + 1)
        n = len(self.vocabulary)
        where = (counts.rows[:, 0], counts.rows[:, -1])
        return sparse.coo_array((counts.count.astype(float), where), shape=(n, n)).tocsr()


def is_event(n_words: int) -> np.ndarray:
    """Whether each word can follow another, which ``<s>`` cannot; bool, shape (n_words,)."""
    return np.arange(n_words) != START
