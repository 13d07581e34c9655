"""Sentences of a tree file as stretches of its bytes, many at a time, so that none is an object before it is needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, overload

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.evaluation.layout_kernels import are_blank
from lpcfg_cli.treebank.token_table import SURROGATES

NEWLINE = 10


class SentenceText(NamedTuple):
    """The text of one sentence's tree, and its place.

    Attributes
    ----------
    path : str
    line : int
        1-based line of the first bracket.
    text : str
        The tree; the best one of a list.
    others : tuple of str
        The further trees of a list, from the second best on.
    """

    path: str
    line: int
    text: str
    others: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class SentenceBlock(Sequence[SentenceText]):
    """The texts of n sentences.

    Attributes
    ----------
    text : bytes
        UTF-8; sentence s is ``text[start[s]:stop[s]]``.
    start, stop : ndarray of int64, shape (n,)
    line : ndarray of int64, shape (n,)
        1-based line of each sentence in its file.
    file : ndarray of int64, shape (n,)
        The position of each sentence's file in `paths`.
    paths : tuple of str
    others : ndarray of object, shape (n,), or None
        The further trees of each list, as in `SentenceText`; None if no file has lists.
    """

    text: bytes
    start: np.ndarray
    stop: np.ndarray
    line: np.ndarray
    file: np.ndarray
    paths: tuple[str, ...]
    others: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.start)

    @overload
    def __getitem__(self, place: int) -> SentenceText: ...
    @overload
    def __getitem__(self, place: slice) -> SentenceBlock: ...
    def __getitem__(self, place: int | slice) -> SentenceText | SentenceBlock:
        if isinstance(place, slice):
            return self.select(place)
        text = self.text[self.start[place] : self.stop[place]].decode("utf-8", SURROGATES)
        others = () if self.others is None else self.others[place]
        return SentenceText(self.paths[self.file[place]], int(self.line[place]), text, others)

    def select(self, places: slice | np.ndarray) -> SentenceBlock:
        """Some of the sentences, by their positions or whether each is wanted."""
        return replace(
            self,
            **{name: getattr(self, name)[places] for name in ("start", "stop", "line", "file")},
            others=None if self.others is None else self.others[places],
        )

    def is_blank(self) -> np.ndarray:
        """Whether each sentence has nothing but blanks, bool, shape (n,)."""
        return are_blank(np.frombuffer(self.text, np.uint8), self.start, self.stop)


def block_of_lines(text: bytes, path: str, first: int = 1) -> SentenceBlock:
    """A sentence for each line of a text, each of which ends with a newline; `first` is the number of the first."""
    stop = np.flatnonzero(np.frombuffer(text, np.uint8) == NEWLINE)
    start = np.concatenate([np.zeros(min(1, len(stop)), np.int64), stop[:-1] + 1])
    return block_of_stretches(text, start, stop, first + np.arange(len(stop)), path)


def block_of_stretches(text: bytes, start: np.ndarray, stop: np.ndarray, line: np.ndarray, path: str) -> SentenceBlock:
    """A sentence for each stretch ``text[start[s]:stop[s]]`` of one file."""
    return SentenceBlock(text, start, stop, line, np.zeros(len(start), np.int64), (path,))


def block_of_texts(texts: Sequence[SentenceText]) -> SentenceBlock:
    """The block of sentences that are given one by one."""
    spelled = [sentence.text.encode("utf-8", SURROGATES) for sentence in texts]
    bounds = starts([len(one) for one in spelled])
    paths = list(dict.fromkeys(sentence.path for sentence in texts))
    number = {path: place for place, path in enumerate(paths)}
    others = np.empty(len(texts), object)
    others[:] = [sentence.others for sentence in texts]
    return SentenceBlock(
        b"".join(spelled),
        bounds[:-1],
        bounds[1:],
        np.array([sentence.line for sentence in texts], np.int64),
        np.array([number[sentence.path] for sentence in texts], np.int64),
        tuple(paths),
        others,
    )


def join_blocks(blocks: Sequence[SentenceBlock]) -> SentenceBlock:
    """All sentences of one or more blocks, in order."""
    if len(blocks) == 1:
        return blocks[0]
    begin = [int(block.start[0]) for block in blocks]
    parts = [memoryview(block.text)[at : block.stop[-1]] for block, at in zip(blocks, begin, strict=True)]
    shift = starts([len(part) for part in parts])[:-1] - begin
    first_path = starts([len(block.paths) for block in blocks])
    return SentenceBlock(
        b"".join(parts),
        _joined(block.start + by for block, by in zip(blocks, shift, strict=True)),
        _joined(block.stop + by for block, by in zip(blocks, shift, strict=True)),
        _joined(block.line for block in blocks),
        _joined(block.file + by for block, by in zip(blocks, first_path[:-1], strict=True)),
        tuple(path for block in blocks for path in block.paths),
        _joined(map(_others, blocks)) if any(block.others is not None for block in blocks) else None,
    )


def _joined(parts: Iterable[np.ndarray]) -> np.ndarray:
    return np.concatenate(list(parts))


def _others(block: SentenceBlock) -> np.ndarray:
    if block.others is not None:
        return block.others
    others = np.empty(len(block), object)
    others[:] = [()] * len(block)
    return others
