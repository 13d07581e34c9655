"""The interface of a tree format, and what its reader returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from lpcfg_cli.treebank.trees import StringTable, Treebank
from lpcfg_cli.wording import counted


@dataclass(frozen=True)
class Note:
    """Lines with something that the reader ignored without loss, such as comments.

    Attributes
    ----------
    path : str
    line : int
        The first such line.
    count : int
        How many lines there are.
    what : str
        What was ignored.
    """

    path: str
    line: int
    count: int
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {counted(self.count, 'line')} of {self.what}"


@dataclass(frozen=True)
class Skipped:
    """A part of a text that was skipped because it is not a valid tree.

    Attributes
    ----------
    path : str
    line, column : int
        Where it begins.
    problem : str
        What is wrong, and at which line and column.
    text : str
        How it begins.
    """

    path: str
    line: int
    column: int
    problem: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: skipped {self.text!r}: {self.problem}"


@dataclass(frozen=True)
class Piece:
    """Consecutive whole trees of a text.

    Attributes
    ----------
    label, word, parent : ndarray of int32, shape (n_nodes,)
        As in `Treebank`.
    tree_start : ndarray of int64, shape (n_trees + 1,)
        As in `Treebank`.
    tree_place : ndarray of int64, shape (n_trees,)
        Where each tree begins; `TreeFormat.lines` turns these numbers into lines.
    node_place : ndarray of int64, shape (n_nodes,)
        The same for each node.
    """

    label: np.ndarray
    word: np.ndarray
    parent: np.ndarray
    tree_start: np.ndarray
    tree_place: np.ndarray
    node_place: np.ndarray


@dataclass(frozen=True)
class TextTrees(Piece):
    """The trees of one text, before they are joined with those of other texts.

    Attributes
    ----------
    notes : tuple of Note
        Lines with something that was ignored.
    skipped : tuple of Skipped
        Trees and other text that were skipped.
    """

    notes: tuple[Note, ...] = field(default=(), kw_only=True)
    skipped: tuple[Skipped, ...] = field(default=(), kw_only=True)


def places_are_lines(text: str, trees: TextTrees, places: Sequence[int]) -> list[int]:
    """`TreeFormat.lines` of a format whose reader gives 1-based lines as places."""
    return list(places)


@dataclass(frozen=True)
class TreeFormat:
    """A file format of trees.

    Attributes
    ----------
    name : str
        As ``read.format``.
    summary : str
        One line for help pages.
    suffixes : tuple of str
        File endings in small letters, before that of a compressed file if any, by which the format is recognized, also
        in capitals; not needed if ``read.format`` names it.
    read : function of (text, StringTable, path, on_error) to TextTrees
        The trees of a text, in order, their nodes in preorder as in `Treebank`.  Labels and words get their numbers
        from the table.  A bracket in a word is escaped with a backslash, as in the bracket format.  At text that is
        not a tree it raises `SyntaxProblem` with ``on_error = "stop"``, and skips and lists the text with ``"skip"``.
    write : function of Treebank to iterator of str
        The text of each tree, without a final newline; `read` of all of them gives the same treebank.
    lines : function of (text, TextTrees, places) to list of int
        The 1-based lines of some of the places that `read` gave.  It is called for few places, so it may be slow.
    is_bracketed : bool
        Whether a tree is over where its brackets are closed, so that trees that arrive over time are read one by one.
    """

    name: str
    summary: str
    suffixes: tuple[str, ...]
    read: Callable[[str, StringTable, str, str], TextTrees]
    write: Callable[[Treebank], Iterator[str]]
    lines: Callable[[str, TextTrees, Sequence[int]], list[int]] = places_are_lines
    is_bracketed: bool = False
