"""Counting of n-grams: blocks of text in, sparse counts out; workers count blocks, whose counts are then added up.

A text is read once, so that it may be standard input.  Blocks have their own numbering of words; only after the last
block is it known which words are rare.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

from lpcfg_cli.arrays.grouping import number_rows, numbering
from lpcfg_cli.errors import InputError
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.text.counts import NgramCounts
from lpcfg_cli.text.events import ngram_columns, tokens_of, without_empty_sentences
from lpcfg_cli.text.vocabulary import END, MARKS, UNKNOWN, frequent_words
from lpcfg_cli.treebank.lines import LineBlock

PENDING = 1 << 22
"""Least number of rows of blocks that are added up at a time."""

_MARKS = [mark.encode() for mark in MARKS]


@dataclass(frozen=True)
class BlockCounts:
    """The counts of a block of text.

    Attributes
    ----------
    words : list of bytes
        The block's own numbering; the first are `MARKS`.
    word_count : ndarray of int64, shape (n_words,)
    rows : ndarray of int32, shape (n, order)
        The different n-grams.
    count : ndarray of int64, shape (n,)
    """

    words: list[bytes]
    word_count: np.ndarray
    rows: np.ndarray
    count: np.ndarray


def count_block(order: int, block: LineBlock) -> BlockCounts:
    """Count the n-grams of a block of lines."""
    number = numbering(_MARKS)
    tokens = tokens_of(block)
    numbers = without_empty_sentences(np.fromiter(map(number.__getitem__, tokens), np.int32, len(tokens)))
    rows, count = added_up(ngram_columns(numbers, order), np.ones(len(numbers), np.int64))
    return BlockCounts(list(number), np.bincount(numbers, minlength=len(number)), rows, count)


def added_up(columns: list[np.ndarray], count: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different rows of some columns, (n, k), and the sums of their counts, int64, (n,)."""
    number, first = number_rows(columns)
    total = np.bincount(number, weights=count, minlength=len(first)).astype(np.int64)
    return np.stack([column[first] for column in columns], 1), total


class _Sum:
    """Counts of blocks, added up in one numbering of words."""

    def __init__(self, order: int) -> None:
        self.number: dict[bytes, int] = numbering()
        self.word_count = np.zeros(1, np.int64)
        self.rows, self.count = np.zeros((0, order), np.int32), np.zeros(0, np.int64)
        self.pending: list[tuple[np.ndarray, np.ndarray]] = []
        self.n_pending = 0

    def add(self, block: BlockCounts) -> None:
        """Add the counts of a block; all rows are added up whenever their number has doubled."""
        own = np.fromiter(map(self.number.__getitem__, block.words), np.int32, len(block.words))
        if len(self.number) > len(self.word_count):
            self.word_count = np.append(self.word_count, np.zeros(2 * len(self.number), np.int64))
        self.word_count[own] += block.word_count
        self.pending.append((own[block.rows], block.count))
        self.n_pending += len(block.rows)
        if self.n_pending >= max(PENDING, len(self.rows)):
            self.settle()

    def settle(self) -> None:
        """Add up what is pending."""
        rows = np.concatenate([self.rows, *(rows for rows, _ in self.pending)])
        count = np.concatenate([self.count, *(count for _, count in self.pending)])
        self.pending, self.n_pending = [], 0
        self.rows, self.count = added_up(list(rows.T), count)


def count_ngrams(
    blocks: Iterable[LineBlock], order: int, rare_below: int, mapper: Mapper = map, progress: Progress = no_progress
) -> NgramCounts:
    """Count all n-grams of a text, in which rare words are replaced.

    O(words) time; the memory is that of the different n-grams.

    Parameters
    ----------
    blocks : iterable of LineBlock
    order : int
        Length of the n-grams, at least 2.
    rare_below : int
        Words that occur less often are replaced by ``<unk>``.
    mapper : callable like map
        Spreads the blocks over workers; the counts do not depend on it.
    progress : Progress
        Reports progress over the blocks.

    Raises
    ------
    InputError
        The text cannot be read, or has no words.
    """
    total = _Sum(order)
    for mark in _MARKS:
        total.number[mark]
    for counted in progress(mapper(partial(count_block, order), blocks), "count", None, "block"):
        total.add(counted)
    total.settle()
    if not len(total.rows):
        raise InputError("the text has no words: nothing can be learnt from it. Give text with one sentence a line.")
    return _numbered(total, rare_below)


def _numbered(total: _Sum, rare_below: int) -> NgramCounts:
    """The counts with rare words replaced, in the numbering of the vocabulary."""
    word_count = total.word_count[: len(total.number)]
    vocabulary = frequent_words(dict(zip(total.number, word_count.tolist(), strict=True)), rare_below)
    final = vocabulary.number
    numbers = np.array([final.get(word, UNKNOWN) for word in total.number], np.int32)
    numbers[: len(MARKS)] = np.arange(len(MARKS))
    rows, count = added_up(list(numbers[total.rows].T), total.count)
    order = np.lexsort(rows.T[::-1])
    n_rare = int(np.count_nonzero(numbers == UNKNOWN)) - 1
    return NgramCounts(vocabulary, rows[order], count[order], int(word_count[END]), n_rare)
