"""The words of a sentence as metrics see them, and how frequent words are in the training sentences."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*")
"""A number, or letters with apostrophes between them; everything else separates words."""


@dataclass(frozen=True)
class SentenceWords:
    """A sentence cut into words.

    Attributes
    ----------
    written : tuple of str
        The words as written, in order.
    """

    written: tuple[str, ...]

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words in lower case, in order."""
        return tuple(word.lower() for word in self.written)

    @cached_property
    def distinct(self) -> tuple[str, ...]:
        """The different words in lower case, sorted."""
        return tuple(sorted(set(self.words)))

    @cached_property
    def numerals(self) -> frozenset[str]:
        """The different numbers."""
        return frozenset(word for word in self.words if word[0].isdigit())

    @cached_property
    def names(self) -> frozenset[str]:
        """The different words with a capital, except at the beginning of the sentence."""
        return frozenset(word for word in self.written[1:] if word[0].isupper())

    @cached_property
    def text(self) -> str:
        """The words in lower case, with one blank before and after each."""
        return f" {' '.join(self.words)} "


def words_of(sentence: str) -> SentenceWords:
    """Cut a sentence into words."""
    return SentenceWords(tuple(WORD.findall(sentence)))


@dataclass(frozen=True)
class WordFrequencies:
    """In how many training sentences each word occurs.

    Attributes
    ----------
    count : mapping of str to int
        Number of sentences with a word in lower case.
    sentences : int
        Number of sentences.
    frequent_share : float
        The most frequent words, which make up this share of all counts, are no content words.
    """

    count: Mapping[str, int]
    sentences: int
    frequent_share: float

    def weight(self, word: str) -> float:
        """Inverse document frequency log((n + 1) / (n_word + 1)), at least 0; unseen words have the largest."""
        return math.log((self.sentences + 1) / (self.count.get(word, 0) + 1))

    def weight_of(self, words: Iterable[str]) -> float:
        """The sum of the weights of some words; the same to the last bit in any order, as sets have none."""
        return math.fsum(map(self.weight, words))

    def content(self, words: Iterable[str]) -> list[str]:
        """The words that are not among the most frequent."""
        return [word for word in words if word not in self.frequent]

    @cached_property
    def frequent(self) -> frozenset[str]:
        """The most frequent words, until they make up the share; words of equal counts in alphabetical order."""
        left = self.frequent_share * sum(self.count.values())
        found = set()
        for word, count in sorted(self.count.items(), key=lambda entry: (-entry[1], entry[0])):
            if left <= 0:
                break
            found.add(word)
            left -= count
        return frozenset(found)


def count_words(sentences: Sequence[SentenceWords], frequent_share: float) -> WordFrequencies:
    """Count in how many sentences each word occurs."""
    count = Counter(word for sentence in sentences for word in sentence.distinct)
    return WordFrequencies(dict(sorted(count.items())), len(sentences), frequent_share)
