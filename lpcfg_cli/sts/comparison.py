"""One pair of sentences as metrics see it: words, weights, and the matrices of similarities of their words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lpcfg_cli.embeddings.vectors import Embeddings
from lpcfg_cli.sts.wordnet import WordNet
from lpcfg_cli.sts.words import SentenceWords, WordFrequencies


@dataclass(frozen=True)
class Resources:
    """What metrics know besides the sentences.

    Attributes
    ----------
    frequencies : WordFrequencies
    base_letters : int
        Words are cut to so many letters for a base form.
    embeddings : Embeddings or None
    wordnet : WordNet or None
    cut : bool
        Whether negative cosines count as 0.
    """

    frequencies: WordFrequencies
    base_letters: int
    embeddings: Embeddings | None = None
    wordnet: WordNet | None = None
    cut: bool = True


@dataclass(frozen=True)
class Comparison:
    """Two sentences.

    Attributes
    ----------
    first, second : SentenceWords
    resources : Resources
    """

    first: SentenceWords
    second: SentenceWords
    resources: Resources

    @property
    def sides(self) -> tuple[SentenceWords, SentenceWords]:
        """Both sentences."""
        return self.first, self.second

    @cached_property
    def content(self) -> tuple[list[str], list[str]]:
        """The words of each sentence that are not among the most frequent, in order."""
        first, second = (self.resources.frequencies.content(side.words) for side in self.sides)
        return first, second

    @cached_property
    def bases(self) -> tuple[frozenset[str], frozenset[str]]:
        """The different base forms of each sentence."""
        first, second = (frozenset(word[: self.resources.base_letters] for word in side.words) for side in self.sides)
        return first, second

    @cached_property
    def weights(self) -> tuple[np.ndarray, np.ndarray]:
        """Weights of the different words of each sentence, float64, shapes (n_first,) and (n_second,)."""
        weight = self.resources.frequencies.weight
        first, second = (np.array([weight(word) for word in side.distinct]) for side in self.sides)
        return first, second

    @cached_property
    def is_equal(self) -> np.ndarray:
        """Which different words are the same, bool, shape (n_first, n_second)."""
        first, second = (np.array(side.distinct, object) for side in self.sides)
        return (first[:, None] == second[None, :]).astype(bool)

    @cached_property
    def vectors(self) -> tuple[np.ndarray, np.ndarray]:
        """Vectors of length 1 of the different words, float64, (n_first, k) and (n_second, k); 0 for those without."""
        assert self.resources.embeddings is not None
        first, second = (vectors_of(self.resources.embeddings, side.distinct) for side in self.sides)
        return first, second

    @cached_property
    def cosines(self) -> np.ndarray:
        """W of J12 eq. 1 from embeddings: 1 for equal words, cosines otherwise; float64, shape (n_first, n_second)."""
        first, second = self.vectors
        found = first @ second.T
        return np.where(self.is_equal, 1.0, np.maximum(found, 0) if self.resources.cut else found)


def vectors_of(embeddings: Embeddings, words: tuple[str, ...]) -> np.ndarray:
    """Vectors of length 1 of some words, float64, shape (n, k); zeros for words without a vector."""
    rows = [embeddings.number_of(word) for word in words]
    found = np.zeros((len(words), embeddings.dimensions))
    known = [k for k, row in enumerate(rows) if row is not None]
    found[known] = embeddings.directions[[row for row in rows if row is not None]]
    return found
