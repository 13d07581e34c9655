"""Recovery from text that is not a tree: remarks between trees are ignored, wrong trees can be skipped."""

from __future__ import annotations

import re

import numpy as np

from lpcfg_cli.treebank import bracket_kernels as kernels
from lpcfg_cli.treebank.bracket_tokens import PROBLEMS, excerpt, line_and_column, line_starts, token_starts
from lpcfg_cli.treebank.tree_format import Note, Piece, Skipped

REMARK = re.compile(
    r"^[ \t]*(?:(?:[#;%]|</?[A-Za-z!?][^\n]*>[ \t\r]*$|\*x\*)[^\n]*|/(~?)\*(?s:.*?)\*\1/[ \t\r]*$)", re.MULTILINE
)
"""What cannot be the first line of a tree: a comment, mark-up, the heading of a Penn Treebank file, or a comment of
several lines as CorpusSearch writes it, ``/* */`` or ``/~* *~/``."""

ODD_INDENTATION = re.compile(
    r"^[ \t\u00a0\u2000-\u200b\u202f\u3000]*[\u00a0\u2000-\u200b\u202f\u3000](?=[ \t]*\()", re.M
)
"""Non-ASCII blanks between the start of a line and an opening bracket."""

FIRST_WINDOW = 1 << 8
"""Number of tokens that are read together after a skipped tree; it is doubled until the next problem."""


Place = tuple[int, int, int]
"""1-based line and column, and position in the text."""


def without_remarks(text: str, path: str) -> tuple[str, list[Note]]:
    """The text with everything that certainly belongs to no tree replaced by blanks, so that places do not change.

    Replaced are lines that match `REMARK` outside trees, whether or not their own brackets match, and
    `ODD_INDENTATION`.
    """
    notes = []
    pieces, lines, last, depth = [], 0, 0, 0
    for match in REMARK.finditer(text):
        depth += depth_change(text, last, match.start())
        pieces.append(text[last : match.start()])
        if depth == 0:
            if lines == 0:
                notes.append((match.start(), "remarks between trees"))
            lines += match[0].count("\n") + 1
            pieces.append(re.sub(r"[^\n]", " ", match[0]))
        else:
            depth += depth_change(text, match.start(), match.end())
            pieces.append(match[0])
        last = match.end()
    tidy = "".join([*pieces, text[last:]])
    tidy, indented = ODD_INDENTATION.subn(lambda match: " " * len(match[0]), tidy)
    found = [Note(path, line_and_column(text, place)[0], lines, what) for place, what in notes]
    if indented:
        first = ODD_INDENTATION.search(text)
        line = line_and_column(text, first.start())[0] if first else 1
        found.append(Note(path, line, indented, "indentation by non-ASCII blanks"))
    return tidy, found


def depth_change(text: str, start: int, stop: int) -> int:
    """How many more brackets a part of a text opens than it closes."""
    opened = text.count("(", start, stop) - text.count("\\(", start, stop)
    return opened - (text.count(")", start, stop) - text.count("\\)", start, stop))


def read_whole_trees(text: str, numbers: np.ndarray, path: str) -> tuple[list[Piece], list[Skipped]]:
    """The trees of a text that also has other content.

    After a tree with an error inside but with matching brackets, reading continues behind it; otherwise at the next
    line that starts as the trees of this text do.  A surplus closing bracket makes the tree before it doubtful, so that
    it is skipped too.

    Parameters
    ----------
    text : str
    numbers : ndarray of int32, shape (n_tokens,)
        The tokens of the text, in the form of the kernel.
    path : str
        Name of the text in messages.
    """
    starts = token_starts(text)
    lines = _TreeLines(text, numbers, starts)
    pieces: list[Piece] = []
    skipped: list[Skipped] = []
    token, window = 0, FIRST_WINDOW
    while token < len(numbers):
        part = numbers[token : token + window]
        *arrays, problem, where, began = kernels.read_trees(part)
        is_cut = problem == kernels.UNCLOSED and token + window < len(numbers)
        n_trees = len(arrays[4]) - (problem == kernels.EXTRA_CLOSE and len(arrays[4]) > 0)
        first_bad = int(arrays[4][n_trees]) if n_trees < len(arrays[4]) else began
        pieces.append(_whole(arrays, n_trees, token))
        lines.learn(pieces[-1])
        if problem == kernels.OK:
            token, window = token + window, 2 * window
            continue
        if is_cut:
            token, window = token + began, 2 * window
            continue
        where, first_bad = token + where, token + first_bad
        skipped.append(_skip(text, path, problem, lines.place(where), lines.place(first_bad)))
        token, window = lines.next_tree(problem, where, first_bad), FIRST_WINDOW
    return pieces, skipped


def _whole(arrays: list[np.ndarray], n_trees: int, offset: int) -> Piece:
    label, word, parent, tree_start, tree_token, node_token = arrays
    n_nodes = int(tree_start[n_trees])
    return Piece(
        label[:n_nodes],
        word[:n_nodes],
        parent[:n_nodes],
        tree_start[: n_trees + 1],
        tree_token[:n_trees] + offset,
        node_token[:n_nodes] + offset,
    )


def _skip(text: str, path: str, problem: int, where: Place, first: Place) -> Skipped:
    line, column, position = where
    found = f"{line}:{column}: {PROBLEMS[problem][0]}: {excerpt(text, position)!r}"
    return Skipped(path, first[0], first[1], found, excerpt(text, first[2], 60))


class _TreeLines:
    """The lines of a text on which trees may start.

    Attributes
    ----------
    candidates : ndarray of int64, shape (n_lines,)
        Tokens that are opening brackets, first on their line, and at the smallest column of all such brackets.
    """

    def __init__(self, text: str, numbers: np.ndarray, starts: np.ndarray):
        self.numbers, self._starts = numbers, starts
        self._line_start = line_starts(text)
        line = np.searchsorted(self._line_start, starts, "right") - 1
        comes_first = np.concatenate([[True], line[1:] != line[:-1]])[: len(line)]
        opens = np.flatnonzero(comes_first & (numbers == kernels.OPEN))
        column = (starts - self._line_start[line])[opens]
        self.candidates = opens[column == column.min()] if len(opens) else opens
        self._root_labels: set[int] = set()
        self._inner_too = False

    def place(self, token: int) -> Place:
        """The place of a token."""
        start = int(self._starts[token])
        line = int(np.searchsorted(self._line_start, start, "right"))
        return line, start - int(self._line_start[line - 1]) + 1, start

    def learn(self, piece: Piece) -> None:
        """Record the root labels of trees, and whether nodes inside trees are `candidates` as well."""
        roots = piece.tree_start[:-1][np.diff(piece.tree_start) > 0]
        self._root_labels.update(np.unique(piece.label[roots]).tolist())
        inner = np.delete(piece.node_place, roots)
        if len(inner) and len(self.candidates):
            near = np.minimum(np.searchsorted(self.candidates, inner), len(self.candidates) - 1)
            self._inner_too |= bool((self.candidates[near] == inner).any())

    def next_tree(self, problem: int, where: int, began: int) -> int:
        """The token at which reading continues; the number of tokens if there is none."""
        end = len(self.numbers)
        is_outside = problem in (kernels.EXTRA_CLOSE, kernels.STRAY_TEXT)
        if problem in (kernels.TWO_WORDS, kernels.MIXED, kernels.NO_CONTENT):
            end = began + kernels.tree_length(self.numbers[began:])
        elif is_outside and len(self.candidates) < 2:  # all on one line
            end = where + 1 + kernels.tokens_before_open(self.numbers[where + 1 :])
        first = np.searchsorted(self.candidates, where if is_outside else began + 1)
        for k in range(int(first), len(self.candidates)):
            token = int(self.candidates[k])
            if token >= end or self._begins_tree(token):
                return min(token, end)
        return end

    def _begins_tree(self, token: int) -> bool:
        if not self._inner_too:
            return True
        label = self.numbers[token + 1] if token + 1 < len(self.numbers) else kernels.CLOSE
        return (kernels.EMPTY if label in (kernels.OPEN, kernels.CLOSE) else int(label)) in self._root_labels
