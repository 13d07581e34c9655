"""The layouts of tree files: one tree on each line, trees over several lines, or lists of the n best trees."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.treebank.brackets import TOKEN
from lpcfg_cli.treebank.ranked_lists import HEAD, LIST_HEAD, SCORE, SCORED_TREE, are_ranked_lists

AUTO, LINES, TREES, NBEST = "auto", "lines", "trees", "nbest"

LAYOUTS = (AUTO, LINES, TREES)
"""The layouts that can be named; lists of the n best trees are recognized only."""

UNBALANCED_SHARE = 0.25
"""Share of lines with unbalanced brackets from which on trees may span lines."""

BRACKET = re.compile(r"\\[()]|[()]")


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


def layout_of(lines: Iterable[str]) -> str:
    """`NBEST`, `LINES` or `TREES`: which of them the lines of a text seem to have."""
    text = iter(lines)
    head = list(islice((line for line in text if line and not line.isspace()), HEAD))
    if are_ranked_lists(head):
        return NBEST
    return LINES if is_by_line(_chained(head, text)) else TREES


def _chained(head: list[str], rest: Iterator[str]) -> Iterator[str]:
    yield from head
    yield from rest


def is_by_line(lines: Iterable[str]) -> bool:
    """Whether a text has one tree on each line, possibly with some malformed lines.

    Trees are assumed to span lines if at least two of these hold: many lines are unbalanced (`UNBALANCED_SHARE`), lines
    inside a tree are indented, and the text as a whole is balanced.
    """
    n_lines = n_unbalanced = depth = 0
    is_nested, has_indent = True, False
    for line in lines:
        if not line or line.isspace():
            continue
        n_lines += 1
        has_indent |= depth > 0 and line[0] in " \t"
        change, lowest = _bracket_balance(line)
        n_unbalanced += change != 0 or lowest < 0
        is_nested &= depth + lowest >= 0
        depth += change
    if n_unbalanced == 0:
        return True
    is_balanced = is_nested and depth == 0
    return (n_unbalanced >= UNBALANCED_SHARE * n_lines) + has_indent + is_balanced < 2


def _bracket_balance(line: str) -> tuple[int, int]:
    change = line.count("(") - line.count(")")
    if change == 0 and "\\" not in line and line.lstrip()[0] == "(":
        # all but malformed lines return here; a ")(" inside, as between two trees on one line, is harmless
        return 0, 0
    depth = lowest = 0
    for match in BRACKET.finditer(line):
        if match[0] in "()":
            depth += 1 if match[0] == "(" else -1
            lowest = min(lowest, depth)
    return depth, lowest


def split_lists(lines: Iterable[str], path: str) -> Iterator[SentenceText]:
    """Yield the best tree of every list of trees; lists end with an empty line."""
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


def split_trees(lines: Iterable[str], path: str) -> Iterator[SentenceText]:
    """Yield every tree of a text with any layout.

    Raises
    ------
    SyntaxProblem
        The text has text or a closing bracket outside a tree, or a tree that is not closed.
    """
    pieces: list[str] = []
    depth, first_line = 0, 0
    for number, line in enumerate(lines, 1):
        start = 0
        for match in TOKEN.finditer(line):
            token = match[0]
            if token == "(":
                if depth == 0:
                    first_line, start = number, match.start()
                depth += 1
            elif depth == 0:
                raise _outside(path, number, match.start() + 1, line[match.start() :])
            elif token == ")":
                depth -= 1
                if depth == 0:
                    yield SentenceText(path, first_line, "\n".join([*pieces, line[start : match.end()]]))
                    pieces = []
        if depth > 0:
            pieces.append(line[start:])
    if depth > 0:
        raise SyntaxProblem(
            path, first_line, 1, "a tree that is not closed", "as many closing as opening brackets",
            "Add the missing bracket, or use --layout lines to score the file line by line.",
        )  # fmt: skip


def _outside(path: str, line: int, column: int, text: str) -> SyntaxProblem:
    return SyntaxProblem(
        path, line, column, f"text outside a tree: {text[:40].rstrip()!r}", "an opening bracket",
        "Remove it, or use --layout lines to score the file line by line.",
    )  # fmt: skip
