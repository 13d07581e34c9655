"""Dependency trees as text: a word a line, with an arm from the line of its head.

Words below a head hang from one vertical line.  The lines of two heads that have lines of text in common stand in
different columns, so that crossing arcs can be told apart: where an arm meets the line of another head, that line is
drawn through.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

import numpy as np

from lpcfg_cli.dependency.trees.sentence import EMPTY, DependencySentence

WIDTH = 80
COLUMN = 2
"""Characters from one vertical line to the next."""

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
JOINTS = {
    0: " ",
    LEFT: "─",
    RIGHT: "─",
    LEFT | RIGHT: "─",
    UP | DOWN: "│",
    UP | RIGHT: "└",
    DOWN | RIGHT: "┌",
    UP | DOWN | RIGHT: "├",
    UP | LEFT: "┘",
    DOWN | LEFT: "┐",
    UP | DOWN | LEFT: "┤",
    UP | LEFT | RIGHT: "┴",
    DOWN | LEFT | RIGHT: "┬",
    UP | DOWN | LEFT | RIGHT: "┼",
    UP: "╵",
    DOWN: "╷",
}
"""The sides to which a character has lines → the character."""


def text_drawing(sentence: DependencySentence, width: int = WIDTH) -> Iterator[str]:
    """The lines of a drawing: arms and form of each word, its relation and tag.

    Parameters
    ----------
    sentence : DependencySentence
        Words without heads are drawn as roots without an arm.
    width : int
        In characters.  Relations and tags stand in columns where this width suffices; longer lines are not cut.
    """
    arms = _arms(sentence.heads)
    left = [f"{arm} {form}" for arm, form in zip(arms, sentence.forms, strict=True)]
    right = _columns(sentence.relations, sentence.tags)
    room = width - 2 - max(map(display_width, right), default=0)
    edge = max((size for size in map(display_width, left) if size <= room), default=0)
    for one, other in zip(left, right, strict=True):
        yield f"{one}{' ' * max(edge - display_width(one), 0)}  {other}".rstrip()


def display_width(text: str) -> int:
    """Number of columns of a terminal that a text takes."""
    return sum(_character_width(character) for character in text)


def _character_width(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _columns(relations: Sequence[str], tags: Sequence[str]) -> list[str]:
    size = max(map(display_width, relations), default=0)
    shown = ["" if relation == EMPTY else relation for relation in relations]
    return [f"{one}{' ' * (size - display_width(one))}  {tag}" for one, tag in zip(shown, tags, strict=True)]


def _arms(heads: np.ndarray) -> list[str]:
    """What is drawn before each word."""
    n = len(heads)
    column = vertical_lines(heads)
    spans = _spans(heads)
    cells = [[0] * (COLUMN * (max(column, default=0) + 2)) for _ in range(n)]
    for head, (top, bottom) in enumerate(spans):
        for row in range(top, bottom + 1):
            cells[row][COLUMN * column[head]] |= (UP if row > top else 0) | (DOWN if row < bottom else 0)
    arms = []
    for row, above in enumerate(heads.tolist()):
        begin = COLUMN * column[above - 1] if above > 0 else 0
        is_head = spans[row][0] < spans[row][1]
        end = COLUMN * column[row] if is_head else begin + COLUMN - 1
        line = cells[row]
        passing = max((place for place in range(end + 1, len(line)) if line[place]), default=0)
        if above >= 0:
            line[begin] |= RIGHT
            line[end] |= LEFT
        if passing:  # the line of another head is right of the word's own
            line[end] |= RIGHT if is_head else 0
        arms.append("".join(_drawn(line, begin if above >= 0 else end, max(end, passing + 1 if passing else 0))))
    return arms


def _drawn(line: list[int], begin: int, end: int) -> Iterator[str]:
    """The characters of one line up to its word, with the arm that is drawn from `begin` to `end`."""
    for place, sides in enumerate(line[: end + 1]):
        yield JOINTS[sides or (LEFT | RIGHT if begin < place else 0)]


def vertical_lines(heads: np.ndarray) -> list[int]:
    """The column of the vertical line of each word, for words that are heads.

    It is right of the column of the word's own head, and no two lines in it have lines of text in common.
    """
    spans = _spans(heads)
    column = [0] * len(heads)
    taken: list[list[tuple[int, int]]] = []
    for word in _from_the_root(heads):
        above = int(heads[word])
        place = column[above - 1] + 1 if above > 0 else 1
        top, bottom = spans[word]
        while place < len(taken) and any(a <= bottom and top <= b for a, b in taken[place]):
            place += 1
        column[word] = place
        if top < bottom:
            taken += [[] for _ in range(place + 1 - len(taken))]
            taken[place].append((top, bottom))
    return column


def _from_the_root(heads: np.ndarray) -> list[int]:
    """All words from 0, each after its head."""
    below: dict[int, list[int]] = {}
    for word, head in enumerate(heads.tolist()):
        below.setdefault(max(head, 0), []).append(word)
    order = list(below.get(0, []))
    for word in order:
        order += below.get(word + 1, [])
    return order


def _spans(heads: np.ndarray) -> list[tuple[int, int]]:
    """The first and the last line of text of each word and the words that hang from it."""
    spans = [(row, row) for row in range(len(heads))]
    for row, head in enumerate(heads.tolist()):
        if head > 0:
            top, bottom = spans[head - 1]
            spans[head - 1] = min(top, row), max(bottom, row)
    return spans
