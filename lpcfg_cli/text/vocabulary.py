"""The vocabulary of a language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

UNKNOWN, START, END = 0, 1, 2
"""Numbers of the words that stand for unknown words, for what precedes a sentence, and for its end."""

MARKS = ("<unk>", "<s>", "</s>")
"""How these are written."""


@dataclass(frozen=True)
class Vocabulary:
    """The words that a model knows.

    Attributes
    ----------
    words : tuple of str
        By number; the first are `MARKS`.
    """

    words: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def number(self) -> dict[bytes, int]:
        """The number of each word in UTF-8, except of the marks for start and end."""
        return {word.encode(): k for k, word in enumerate(self.words) if k not in (START, END)}

    def number_of(self, word: str) -> int:
        """The number of a word; `UNKNOWN` if the model does not know it."""
        return self.number.get(word.encode(), UNKNOWN)

    def spelled(self, numbers: Sequence[int] | np.ndarray) -> list[str]:
        """The words with these numbers."""
        return [self.words[k] for k in numbers]


def frequent_words(counts: dict[bytes, int], rare_below: int) -> Vocabulary:
    """The words that occur at least `rare_below` times, the most frequent first, words of equal counts in order."""
    marks = {mark.encode() for mark in MARKS}
    kept = [(-count, word) for word, count in counts.items() if count >= rare_below and word not in marks]
    return Vocabulary((*MARKS, *(word.decode() for _, word in sorted(kept))))
