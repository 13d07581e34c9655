"""Backoff models: tables of n-grams with probabilities, and weights of shorter contexts, as in ARPA files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.lm.model import LanguageModel

ABSENT = -1


@dataclass(frozen=True)
class Level:
    """The n-grams of one length, in lexicographic order.

    Attributes
    ----------
    key : ndarray of int64, shape (n,)
        Position of the n-gram without its last word in the level below, times the number of words, plus the last word.
        Level 1 has all words: its keys are 0, 1, …
    probability : ndarray of float64, shape (n,)
        p(last word | words before).
    backoff : ndarray of float64, shape (n,)
        Weight of the shorter context, where this n-gram is the context; 1 if no word follows it.
    """

    key: np.ndarray
    probability: np.ndarray
    backoff: np.ndarray

    def __len__(self) -> int:
        return len(self.key)

    def find(self, before: np.ndarray, word: np.ndarray, n_words: int) -> np.ndarray:
        """Positions of n-grams, `ABSENT` if they are not there; int64, shape (n,).

        Parameters
        ----------
        before : ndarray of int64, shape (n,)
            Positions of all but the last word in the level below, or `ABSENT`.
        word : ndarray of int, shape (n,)
        n_words : int
        """
        key = before * n_words + word
        at = np.minimum(np.searchsorted(self.key, key), len(self.key) - 1)
        is_there = (before != ABSENT) & (self.key[at] == key) if len(self.key) else np.zeros(len(key), bool)
        return np.where(is_there, at, ABSENT)


@dataclass(frozen=True)
class BackoffModel(LanguageModel):
    """An n-gram model: the probability of the longest n-gram that is there, times the backoffs of longer contexts.

    Attributes
    ----------
    levels : tuple of Level
        From single words on.
    """

    levels: tuple[Level, ...]

    @property
    def order(self) -> int:
        """Length of the longest n-grams."""
        return len(self.levels)

    def probabilities(self, rows: np.ndarray) -> np.ndarray:
        """As in `LanguageModel`; O(n order² log(n-grams)); raises `ValueError` if the rows are too short."""
        rows = np.asarray(rows, np.int64)
        if rows.shape[1] < self.order:
            raise ValueError(f"rows of {rows.shape[1]} words; the model needs {self.order}.")
        weight, result = np.ones(len(rows)), np.full(len(rows), np.nan)
        for length in range(self.order, 0, -1):
            context = self.find(rows[:, -length:-1]) if length > 1 else None
            level = self.levels[length - 1]
            at = rows[:, -1] if context is None else level.find(context, rows[:, -1], len(self.vocabulary))
            is_found = np.isnan(result) & (at != ABSENT)
            result[is_found] = weight[is_found] * level.probability[at[is_found]]
            if context is not None:
                weight *= np.where(context == ABSENT, 1.0, self.levels[length - 2].backoff[context])
        return result

    def find(self, rows: np.ndarray) -> np.ndarray:
        """Positions of n-grams, (n, k), in level k; `ABSENT` if they are not there; int64, shape (n,)."""
        at = np.asarray(rows[:, 0], np.int64)
        for level, word in zip(self.levels[1:], rows.T[1:], strict=False):
            at = level.find(at, word, len(self.vocabulary))
        return at

    def distribution(self, context: Sequence[int]) -> np.ndarray:
        """As in `LanguageModel`."""
        n_words, result = len(self.vocabulary), self.levels[0].probability.copy()
        for length in range(2, self.order + 1):
            at = int(self.find(np.array([context[len(context) - length + 1 :]]))[0])
            if at == ABSENT:
                continue  # nor is any longer one, but its backoff would be 1
            level = self.levels[length - 1]
            first, last = np.searchsorted(level.key, [at * n_words, (at + 1) * n_words])
            result *= self.levels[length - 2].backoff[at]
            result[level.key[first:last] - at * n_words] = level.probability[first:last]
        return result
