"""The layouts of tree files: one tree on each line, trees over several lines, or lists of the n best trees."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from itertools import chain, islice

import numpy as np

from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.evaluation import layout_kernels as kernels
from lpcfg_cli.evaluation.sentence_blocks import (
    SentenceBlock,
    SentenceText,
    block_of_lines,
    block_of_stretches,
    block_of_texts,
)
from lpcfg_cli.treebank.ranked_lists import HEAD, LIST_HEAD, SCORE, SCORED_TREE, are_ranked_lists
from lpcfg_cli.treebank.token_table import SURROGATES

AUTO, LINES, TREES, NBEST = "auto", "lines", "trees", "nbest"

LAYOUTS = (AUTO, LINES, TREES)
"""The layouts that can be named; lists of the n best trees are recognized only."""

UNBALANCED_SHARE = 0.25
"""Share of lines with unbalanced brackets from which on trees may span lines."""

LISTS = 1000
"""Number of lists of trees in a block."""


def layout_of(texts: Iterable[bytes]) -> str:
    """`NBEST`, `LINES` or `TREES`: which of them a text seems to have, which is given in parts of whole lines."""
    rest, read = iter(texts), list[bytes]()
    head: list[str] = []
    for text in rest:
        read.append(text)
        head += islice((line for line in lines_of([text]) if line and not line.isspace()), HEAD - len(head))
        if len(head) == HEAD:
            break
    if are_ranked_lists(head):
        return NBEST
    return LINES if is_by_line(chain(read, rest)) else TREES


def lines_of(texts: Iterable[bytes]) -> Iterator[str]:
    """Yield the lines of a text, which is given in parts of whole lines, without their newlines."""
    for text in texts:
        for line in io.BytesIO(text):
            yield line.rstrip(b"\n").decode("utf-8", SURROGATES)


def is_by_line(texts: Iterable[bytes]) -> bool:
    """Whether a text has one tree on each line, possibly with some malformed lines.

    Trees are assumed to span lines if at least two of these hold: many lines are unbalanced (`UNBALANCED_SHARE`), lines
    inside a tree are indented, and the text as a whole is balanced.
    """
    counts = np.zeros(5, np.int64)
    for text in texts:
        kernels.count_balance(np.frombuffer(text, np.uint8), counts)
    depth, n_lines, n_unbalanced, n_indented, n_not_nested = counts.tolist()
    if n_unbalanced == 0:
        return True
    is_balanced = n_not_nested == 0 and depth == 0
    return (n_unbalanced >= UNBALANCED_SHARE * n_lines) + (n_indented > 0) + is_balanced < 2


def split_lines(texts: Iterable[bytes], path: str) -> Iterator[SentenceBlock]:
    """Yield the lines of a text, which is given in parts of whole lines, as sentences."""
    first = 1
    for text in texts:
        block = block_of_lines(text, path, first)
        yield block
        first += len(block)


def split_lists(texts: Iterable[bytes], path: str) -> Iterator[SentenceBlock]:
    """Yield the best tree of every list of trees; lists end with an empty line."""
    found = _lists(lines_of(texts), path)
    while some := list(islice(found, LISTS)):
        yield block_of_texts(some)


def _lists(lines: Iterable[str], path: str) -> Iterator[SentenceText]:
    trees: list[str] = []
    first = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            if first:
                yield _best(path, first, trees)
            trees, first = [], 0
            continue
        first = first or number
        if SCORE.fullmatch(line) or (not trees and LIST_HEAD.fullmatch(line)):
            continue
        first = first if trees else number
        trees.append(SCORED_TREE.sub("", line, count=1))
    if first:
        yield _best(path, first, trees)


def _best(path: str, line: int, trees: list[str]) -> SentenceText:
    return SentenceText(path, line, trees[0] if trees else "", tuple(trees[1:]))


def split_trees(texts: Iterable[bytes], path: str) -> Iterator[SentenceBlock]:
    """Yield the trees of a text with any layout, which is given in parts of whole lines.

    Raises
    ------
    SyntaxProblem
        The text has text or a closing bracket outside a tree, or a tree that is not closed.
    """
    held: list[bytes] = []  # what there is of a tree that is not closed yet, and its first line
    held_line, depth, line = 0, 0, 1
    for text in texts:
        letters = np.frombuffer(text, np.uint8)
        begin, line_of_tree, end, depth, stray = kernels.find_trees(letters, depth, line)
        n_held = sum(map(len, held)) if len(end) else 0
        if held and len(end):
            begin, line_of_tree = np.append(-n_held, begin), np.append(held_line, line_of_tree)
        if len(end):
            n = len(end)
            yield block_of_stretches(b"".join([*held, text]), begin[:n] + n_held, end + n_held, line_of_tree[:n], path)
            held = []
        if stray != kernels.NONE:
            raise _outside(path, text, stray, line)
        if depth > 0:
            is_new = len(begin) > len(end)
            held_line = int(line_of_tree[-1]) if is_new else held_line
            held.append(text[begin[-1] :] if is_new else text)
        line += text.count(b"\n")
    if depth > 0:
        raise SyntaxProblem(
            path, held_line, 1, "a tree that is not closed", "as many closing as opening brackets",
            "Add the missing bracket, or use --layout lines to score the file line by line.",
        )  # fmt: skip


def _outside(path: str, text: bytes, place: int, first: int) -> SyntaxProblem:
    """The error for what is at a place of a text whose first line has this number."""
    line_start, line_end = text.rfind(b"\n", 0, place) + 1, text.find(b"\n", place)
    column = len(text[line_start:place].decode("utf-8", SURROGATES)) + 1
    rest = text[place:line_end].decode("utf-8", SURROGATES)
    return SyntaxProblem(
        path, first + text.count(b"\n", 0, place), column, f"text outside a tree: {rest[:40].rstrip()!r}",
        "an opening bracket", "Remove it, or use --layout lines to score the file line by line.",
    )  # fmt: skip
