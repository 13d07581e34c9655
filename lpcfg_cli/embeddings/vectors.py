"""Vectors of words, their neighbours, and analogies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np


@dataclass(frozen=True)
class Embeddings:
    """Vectors of words.

    Attributes
    ----------
    words : tuple of str
        The most frequent first.
    vectors : ndarray of float32, shape (n_words, k)
    correlations : ndarray of float64, shape (k,)
        Canonical correlation of each dimension, not increasing; empty if they are not known.
    count : ndarray of int64, shape (n_words,)
        How often each word occurs in the text; empty if that is not known.
    lowercase : bool
        Whether words are looked up in lower case if they are not found as they are.
    """

    words: tuple[str, ...]
    vectors: np.ndarray
    correlations: np.ndarray = field(default_factory=lambda: np.zeros(0))
    count: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    lowercase: bool = True

    def __len__(self) -> int:
        return len(self.words)

    @property
    def dimensions(self) -> int:
        """k."""
        return self.vectors.shape[1]

    @cached_property
    def number(self) -> dict[str, int]:
        """The row of each word."""
        return {word: k for k, word in reversed(list(enumerate(self.words)))}

    def number_of(self, word: str) -> int | None:
        """The row of a word, as written or in lower case; None if it has no vector."""
        found = self.number.get(word)
        return self.number.get(word.lower()) if found is None and self.lowercase else found

    def rows_of(self, words: Sequence[str]) -> np.ndarray:
        """The vector of each word, float32, shape (n, k); zeros for words without one."""
        result = np.zeros((len(words), self.dimensions), self.vectors.dtype)
        for place, word in enumerate(words):
            number = self.number_of(word)
            if number is not None:
                result[place] = self.vectors[number]
        return result

    @cached_property
    def directions(self) -> np.ndarray:
        """The vectors scaled to length 1, float32, shape (n_words, k); zeros stay zero."""
        return unit_rows(self.vectors)

    def similarities(self, direction: np.ndarray) -> np.ndarray:
        """Cosine of every word with a direction of length 1, shape (k,); float32, shape (n_words,)."""
        return self.directions @ direction

    def nearest(self, word: str, most: int) -> list[tuple[str, float]]:
        """The words of largest cosine with a word that has a vector, without the word itself."""
        own = self.number[word] if word in self.number else self.number[word.lower()]
        return self._largest(self.directions[own], {own}, most)

    def analogy(self, a: str, b: str, c: str, most: int) -> list[tuple[str, float]]:
        """The words nearest to b − a + c, that stand to c as b to a, without these; all have vectors."""
        rows = [row for row in map(self.number_of, (a, b, c)) if row is not None]
        x, y, z = self.directions[rows]
        return self._largest(unit_rows((y - x + z)[None])[0], set(rows), most)

    def _largest(self, direction: np.ndarray, without: set[int], most: int) -> list[tuple[str, float]]:
        cosine = self.similarities(direction)
        order = np.argsort(-cosine, kind="stable")[: most + len(without)]
        return [(self.words[k], float(cosine[k])) for k in order if k not in without][:most]


def unit_rows(rows: np.ndarray) -> np.ndarray:
    """Rows scaled to length 1; zeros stay zero."""
    largest = np.abs(rows).max(1, initial=0, keepdims=True)
    scaled = rows / np.where(largest > 0, largest, 1)
    length = np.linalg.norm(scaled, axis=1, keepdims=True)
    return scaled / np.where(length > 0, length, 1)
