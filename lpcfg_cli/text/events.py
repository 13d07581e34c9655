"""Text as numbers: sentences of a block of lines, and their n-grams.

A sentence is a line, its words are separated by ASCII blanks.  Lines without words are no sentences.  A line may begin
with ``<s>`` and end with ``</s>``, which say what is known anyway.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.text.vocabulary import END, MARKS, START, UNKNOWN, Vocabulary
from lpcfg_cli.treebank.lines import LineBlock

_START, _END = (MARKS[k].encode() for k in (START, END))


def tokens_of(block: LineBlock) -> list[bytes]:
    """The words of a block, with the mark of an end after each line.

    Raises
    ------
    SyntaxProblem
        A mark for start or end stands amid a line.
    """
    text = block.text
    if _START in text or _END in text:
        text = b"".join(_unmarked(block))
    return text.replace(b"\n", b" %b " % _END).split()


def _unmarked(block: LineBlock) -> Iterator[bytes]:
    """The lines without marks for start and end."""
    for number, line in enumerate(block.text.split(b"\n")[:-1], block.first):
        words = line.split()
        inner = words[words[:1] == [_START] : len(words) - (words[-1:] == [_END])]
        for mark in (_START, _END):
            if mark in inner:
                found = f"the word {mark.decode()!r}"
                hint = "It marks where a sentence begins or ends: write it in another way, or leave it out."
                raise SyntaxProblem(block.name, number, line.index(mark) + 1, found, "no such word amid a line", hint)
        yield b" ".join(inner) + b"\n"


def without_empty_sentences(numbers: np.ndarray) -> np.ndarray:
    """The numbers of a text without the ends that follow an end, or that stand first."""
    is_end = numbers == END
    return numbers[~(is_end & np.append(True, is_end[:-1]))]


def ngram_columns(numbers: np.ndarray, order: int) -> list[np.ndarray]:
    """For each word and end of a text the last `order` words up to it, as columns; `START` before a sentence.

    Parameters
    ----------
    numbers : ndarray of int32, shape (n,)
        Sentences, each with its `END`.
    order : int

    Returns
    -------
    list of ndarray of int32, shape (n,) each
    """
    position = np.arange(len(numbers))
    follows_end = np.append(True, numbers[:-1] == END) if len(numbers) else np.zeros(0, bool)
    begin = np.maximum.accumulate(np.where(follows_end, position, 0))
    columns = [numbers]
    for back in range(1, order):
        at = position - back
        columns.insert(0, np.where(at >= begin, numbers[np.maximum(at, 0)], np.int32(START)))
    return columns


@dataclass(frozen=True)
class Events:
    """The words and ends of a text, each with the words before it: what a model predicts.

    Attributes
    ----------
    rows : ndarray of int32, shape (n_events, order)
        The last column is the event, those before it are its context.
    spelling : list of bytes
        The words and ends as the text has them.
    empty_lines : int
        Number of lines without words, which are left out.
    """

    rows: np.ndarray
    spelling: list[bytes]
    empty_lines: int = 0

    def __len__(self) -> int:
        return len(self.rows)

    def first_half(self) -> Events:
        """The first half of the events."""
        half = len(self) // 2
        return Events(self.rows[:half], self.spelling[:half])

    def second_half(self) -> Events:
        """The events that `first_half` leaves."""
        half = len(self) // 2
        return Events(self.rows[half:], self.spelling[half:])

    @property
    def is_known(self) -> np.ndarray:
        """Whether the event is a known word or an end, bool, shape (n_events,)."""
        return self.rows[:, -1] != UNKNOWN

    @property
    def is_end(self) -> np.ndarray:
        """Whether the event is the end of a sentence, bool, shape (n_events,)."""
        return self.rows[:, -1] == END


def events_of(block: LineBlock, vocabulary: Vocabulary, order: int) -> Events:
    """The events of a block of lines; raises as `tokens_of` does."""
    tokens = tokens_of(block)
    number = {**vocabulary.number, _END: END}
    numbers = np.fromiter((number.get(token, UNKNOWN) for token in tokens), np.int32, len(tokens))
    kept = without_empty_sentences(numbers)
    spelled = tokens if len(kept) == len(tokens) else _without_empty(tokens)
    return Events(np.stack(ngram_columns(kept, order), 1), spelled, len(tokens) - len(kept))


def _without_empty(tokens: list[bytes]) -> list[bytes]:
    return [
        token for token, before in zip(tokens, [_END, *tokens[:-1]], strict=True) if (token, before) != (_END, _END)
    ]


def joined(parts: Iterable[Events], order: int) -> Events:
    """The events of several blocks as one."""
    found = list(parts)
    rows = np.concatenate([np.zeros((0, order), np.int32), *(part.rows for part in found)])
    spelling = [token for part in found for token in part.spelling]
    return Events(rows, spelling, sum(part.empty_lines for part in found))
