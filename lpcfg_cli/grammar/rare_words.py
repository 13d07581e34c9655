"""Counts of the rare words of a treebank, which have no lexical entries, only those of their classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class RareWords:
    """How often each rare word occurs with each tag, sorted by word and tag.

    Attributes
    ----------
    words, tags : tuple of str
        As written in the treebank.
    counts : tuple of int
        Number of tokens of each word with its tag.
    """

    words: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.words)


NO_RARE_WORDS = RareWords()


def count_rare_words(rare: Iterable[tuple[str, str, int]]) -> RareWords:
    """The table of (word, tag, count); the counts of equal pairs are added up."""
    total: Counter[tuple[str, str]] = Counter()
    for word, tag, count in rare:
        total[word, tag] += count
    pairs = sorted(total)
    return RareWords(
        tuple(word for word, _ in pairs), tuple(tag for _, tag in pairs), tuple(total[pair] for pair in pairs)
    )
