"""A text as numbers in blocks, for models that go through it several times, or that count more than n-grams."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

from lpcfg_cli.arrays.grouping import numbering
from lpcfg_cli.errors import InputError
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.text.events import tokens_of, without_empty_sentences
from lpcfg_cli.text.vocabulary import END, MARKS, START, UNKNOWN, Vocabulary, frequent_words
from lpcfg_cli.treebank.lines import LineBlock

_MARKS = [mark.encode() for mark in MARKS]


@dataclass(frozen=True)
class NumberedText:
    """A text as numbers of words; 4 bytes a word.

    Attributes
    ----------
    vocabulary : Vocabulary
    parts : list of ndarray of int32
        One for each block: its words, with `UNKNOWN` for those not in the vocabulary, and `END` after each sentence.
    word_count : ndarray of int64, shape (n_words,)
        How often each word of the vocabulary occurs, and each mark.
    n_rare : int
        Number of different words that are not in the vocabulary.
    """

    vocabulary: Vocabulary
    parts: list[np.ndarray]
    word_count: np.ndarray
    n_rare: int

    @property
    def words(self) -> int:
        """Number of words of the text."""
        return int(self.word_count.sum() - self.word_count[END])


@dataclass(frozen=True)
class NumberedBlock:
    """A block of a text: its own numbering of words, the first of which are `MARKS`, and the numbers, int32, (n,)."""

    words: list[bytes]
    numbers: np.ndarray


def number_block(lowercase: bool, block: LineBlock) -> NumberedBlock:
    """Number the words of a block of lines; raises as `tokens_of` does."""
    tokens = tokens_of(block)
    if lowercase:
        tokens = b" ".join(tokens).decode().lower().encode().split()
    number = numbering(_MARKS)
    numbers = np.fromiter(map(number.__getitem__, tokens), np.int32, len(tokens))
    return NumberedBlock(list(number), without_empty_sentences(numbers))


def number_text(
    blocks: Iterable[LineBlock],
    rare_below: int,
    most_words: int = 0,
    lowercase: bool = False,
    mapper: Mapper = map,
    progress: Progress = no_progress,
) -> NumberedText:
    """Read a text once, and number its words, the most frequent first.

    Parameters
    ----------
    blocks : iterable of LineBlock
    rare_below : int
        Words that occur less often are not in the vocabulary.
    most_words : int
        Largest number of words in it besides the marks; 0 for no limit.
    lowercase : bool
        Whether words are taken in lower case.
    mapper : callable like map
        Spreads the blocks over workers; the numbers do not depend on it.
    progress : Progress

    Raises
    ------
    InputError
        The text cannot be read, or has no words.
    """
    number = numbering(_MARKS)
    parts = []
    for block in progress(mapper(partial(number_block, lowercase), blocks), "read", None, "block"):
        own = np.fromiter(map(number.__getitem__, block.words), np.int32, len(block.words))
        parts.append(own[block.numbers])
    count = sum((np.bincount(part, minlength=len(number)) for part in parts), np.zeros(len(number), np.int64))
    if count.sum() == count[END]:
        raise InputError("the text has no words: nothing can be learnt from it. Give text with one sentence a line.")
    vocabulary = frequent_words(dict(zip(number, count.tolist(), strict=True)), rare_below)
    if most_words:
        vocabulary = Vocabulary(vocabulary.words[: len(MARKS) + most_words])
    return _renumbered(vocabulary, list(number), parts, count)


def _renumbered(vocabulary: Vocabulary, words: list[bytes], parts: list[np.ndarray], count: np.ndarray) -> NumberedText:
    """The text in the numbering of the vocabulary; a mark of a start that remains is an unknown word."""
    known = vocabulary.number
    final = np.array([known.get(word, UNKNOWN) for word in words], np.int32)
    final[START], final[END] = UNKNOWN, END
    word_count = np.bincount(final, count, len(vocabulary)).astype(np.int64)
    n_rare = int(np.count_nonzero((final == UNKNOWN) & (count > 0)))
    return NumberedText(vocabulary, [final[part] for part in parts], word_count, n_rare)
