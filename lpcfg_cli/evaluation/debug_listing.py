"""EVALB's listing of words and brackets, sentence by sentence, for DEBUG 1 and above."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

import numpy as np

from lpcfg_cli.evaluation import score_kernels as columns
from lpcfg_cli.evaluation.bracket_sets import BracketSets, cut_label
from lpcfg_cli.evaluation.scan import ScannedSentence, scan_sentence
from lpcfg_cli.evaluation.score import ChunkScore, Observer

NOT_MATCHED, MATCHED, DELETED, NOT_COMPARED = 0, 1, 5, 9
"""EVALB's marks of words and brackets."""

WORD_WIDTH, BRACKET_WIDTH = 40, 32
"""Widths of the left half of the listing, in characters."""


class DebugListing(Observer):
    """Collects the listings of all sentences, if DEBUG is at least 1.

    Attributes
    ----------
    listings : dict of int to str
        The listing of each sentence, by its 1-based number.
    """

    def __init__(self) -> None:
        self.listings: dict[int, str] = {}

    def add(self, chunk: ChunkScore) -> None:
        """List the sentences of a chunk."""
        if chunk.rules.parameters.debug >= 1:
            for s in range(len(chunk.rows)):
                self.listings[chunk.first + s] = "\n".join(_listing(chunk, s))


def _listing(chunk: ChunkScore, s: int) -> Iterator[str]:
    gold = chunk.scanned_gold.get(s) or _scan(chunk, chunk.gold_texts[s].text)
    test = chunk.scanned_test.get(s) or _scan(chunk, chunk.test_texts[s].text)
    heads = [
        f"-<{k}>---(wn{k}={len(side.words):3d}, bn{k}={len(side.brackets):3d})-"
        for k, side in enumerate((gold, test), 1)
    ]
    yield (" " * 11).join(heads)
    marks = _word_marks(chunk, s)
    yield from _halves(_word_cells(gold, marks), _word_cells(test, marks), WORD_WIDTH)
    yield ""
    is_compared = _is_compared(chunk, s)
    gold_mate, test_mate = _here(chunk.gold, s, chunk.gold_mate), _here(chunk.test, s, chunk.test_mate)
    gold_cells = _bracket_cells(chunk, gold, gold_mate if is_compared else None)
    test_cells = _bracket_cells(chunk, test, test_mate if is_compared else None)
    yield from _halves(gold_cells, test_cells, BRACKET_WIDTH)
    yield ""
    yield "========"


def _halves(left: list[str], right: list[str], width: int) -> Iterator[str]:
    for one, other in zip_longest(left, right, fillvalue=""):
        yield f"{one:<{width}}{other}"


def _scan(chunk: ChunkScore, text: str) -> ScannedSentence:
    return scan_sentence(text, chunk.rules.parameters)


def _is_compared(chunk: ChunkScore, s: int) -> bool:
    is_same = chunk.difference[s] == columns.NONE
    return bool(is_same and chunk.rows[s, columns.STATUS] != columns.SKIPPED and chunk.rows[s, columns.WORDS])


def _word_marks(chunk: ChunkScore, s: int) -> list[int] | None:
    if not _is_compared(chunk, s):
        return None
    pairs = chunk.rules.pairs(chunk.rules.parameters.equal_labels)
    gold = chunk.gold.tag[chunk.gold.first_word[s] : chunk.gold.first_word[s + 1]]
    test = chunk.test.tag[chunk.test.first_word[s] : chunk.test.first_word[s + 1]]
    return [int(columns.are_equal(one, other, pairs)) for one, other in zip(gold, test, strict=True)]


def _word_cells(sentence: ScannedSentence, marks: list[int] | None) -> list[str]:
    known = marks or [NOT_COMPARED] * len(sentence.words)
    return [
        f"{number:3d} : {mark} : {tag:<6}  {word:<16}"
        for number, ((tag, word), mark) in enumerate(zip(sentence.words, known, strict=True))
    ]


def _here(sets: BracketSets, s: int, mate: np.ndarray) -> list[int]:
    mates: list[int] = mate[sets.first_bracket[s] : sets.first_bracket[s + 1]].tolist()
    return mates


def _bracket_cells(chunk: ChunkScore, sentence: ScannedSentence, mates: list[int] | None) -> list[str]:
    cells = []
    left_over = iter(mates or [])
    for number, (label, start, end) in enumerate(sentence.brackets):
        mark, shown = NOT_COMPARED, label
        if mates is not None:
            shown = label if start == end else cut_label(label)
            if start == end or chunk.rules.deletes_bracket(shown):
                mark = DELETED
            else:
                mark = NOT_MATCHED if next(left_over) == columns.NONE else MATCHED
        cells.append(f"{number:3d} : {mark} : {start:3d}  {end:3d}  {shown:<6}")
    return cells
