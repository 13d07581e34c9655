"""What a tree format is, and what its reader makes of a text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from lpcfg_cli.treebank.trees import StringTable, Treebank


@dataclass(frozen=True)
class Note:
    """What the reader passed over without harm.

    Attributes
    ----------
    path : str
    line : int
        The first such line.
    count : int
        How many lines there are.
    what : str
    """

    path: str
    line: int
    count: int
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.count} {'line' if self.count == 1 else 'lines'} of {self.what}"


@dataclass(frozen=True)
class Skipped:
    """A part of a text that was left out because it is not a tree.

    Attributes
    ----------
    path : str
    line, column : int
        Where it begins.
    problem : str
        What is wrong, with its own place.
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
        Where each tree begins: a number that the format's `TreeFormat.lines` makes a line of.
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
        Lines that were passed over.
    skipped : tuple of Skipped
        Trees and other text left out.
    """

    notes: tuple[Note, ...] = field(default=(), kw_only=True)
    skipped: tuple[Skipped, ...] = field(default=(), kw_only=True)


def places_are_lines(text: str, trees: TextTrees, places: Sequence[int]) -> list[int]:
    """`TreeFormat.lines` of a format whose reader gives 1-based lines as places."""
    return list(places)


@dataclass(frozen=True)
class TreeFormat:
    """A form in which trees are written in files.

    Attributes
    ----------
    name : str
        As ``read.format``.
    summary : str
        One line for help pages.
    suffixes : tuple of str
        Endings, perhaps before ``.gz``, that tell a file of this format; one named outright may end anyhow.
    read : function of (text, StringTable, path, on_error) to TextTrees
        The trees of a text, in order.  Labels and words get their numbers from the table, and preorder is that of
        `Treebank`.  Words are spelt as in brackets: a bracket in a word stands after a backslash.  With
        ``on_error = "stop"`` it raises `SyntaxProblem` at what is not a tree, with ``"skip"`` it leaves that out and
        lists it.
    write : function of Treebank to iterator of str
        The text of each tree, without the newline behind it; what `read` makes of all of them is the treebank again.
    lines : function of (text, TextTrees, places) to list of int
        The 1-based lines of some of the places that `read` gave; wanted for few of them.
    """

    name: str
    summary: str
    suffixes: tuple[str, ...]
    read: Callable[[str, StringTable, str, str], TextTrees]
    write: Callable[[Treebank], Iterator[str]]
    lines: Callable[[str, TextTrees, Sequence[int]], list[int]] = places_are_lines
