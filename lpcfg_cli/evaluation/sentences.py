"""The sentences of a tree file as pieces of text: one for each line, as in EVALB, or one for each tree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from lpcfg_cli.errors import ConfigError, SyntaxProblem
from lpcfg_cli.treebank.brackets import BRACKETS, TOKEN
from lpcfg_cli.treebank.finding import find_tree_files
from lpcfg_cli.treebank.lines import read_lines
from lpcfg_cli.treebank.sources import STDIN

LAYOUTS = ("auto", "lines", "trees")

UNBALANCED_SHARE = 0.25
"""Share of lines with unbalanced brackets from which on trees may span lines."""

BRACKET = re.compile(r"\\[()]|[()]")


class SentenceText(NamedTuple):
    """The text of one sentence's tree, its file, and the 1-based line of its first bracket."""

    path: str
    line: int
    text: str


@dataclass(frozen=True)
class TreeSource:
    """The files of one side of a comparison.

    Attributes
    ----------
    name : str
        The file or directory, as named by the user.
    files : list of (str, bool)
        Each file, and whether it has one tree on each line.
    encoding : str
        Encoding of the files.
    stored : list of str, optional
        The lines of standard input, which cannot be read twice, or of a given text.
    """

    name: str
    files: list[tuple[str, bool]]
    encoding: str = "utf-8-sig"
    stored: list[str] | None = None

    @property
    def is_by_line(self) -> bool:
        """Whether every file has one tree on each line."""
        return all(by_line for _, by_line in self.files)

    def sentences(self) -> Iterator[SentenceText]:
        """Yield the sentences in order.

        In files with one tree on each line, blank lines are sentences (failed parses), except at the end of one of
        several files.

        Raises
        ------
        InputError, SyntaxProblem
            A file cannot be read, or a file whose trees span lines has something else than trees.
        """
        for path, by_line in self.files:
            lines = self._lines(path)
            if by_line:
                texts = (SentenceText(path, number, line) for number, line in enumerate(lines, 1))
                yield from texts if len(self.files) == 1 else _without_blank_end(texts)
            else:
                yield from split_trees(lines, path)

    def _lines(self, path: str) -> Iterable[str]:
        return read_lines(path, self.encoding) if self.stored is None else self.stored


def open_source(root: str | Path, layout: str = "auto", encoding: str = "utf-8-sig") -> TreeSource:
    """Find the files below a path, and the layout of their trees.

    Parameters
    ----------
    root : path
        A file, a directory of tree files, or ``-`` for standard input.
    layout : {"auto", "lines", "trees"}
        ``lines``: one tree on each line; ``trees``: trees may span lines; ``auto``: decided for each file by
        `is_by_line`.
    encoding : str
        Encoding of the files.

    Raises
    ------
    InputError
        There are no tree files, or one cannot be read.
    ConfigError
        The layout is not one of the three.
    """
    if layout not in LAYOUTS:
        raise ConfigError(f"layout is {layout!r}; expected one of {', '.join(LAYOUTS)}.")
    if str(root) == STDIN:
        stored = list(read_lines(STDIN, encoding))
        return TreeSource("<stdin>", [("<stdin>", _decide(stored, layout))], encoding, stored)
    files = [str(path) for path in find_tree_files([root], form=BRACKETS.name)]
    decided = [(path, _decide(read_lines(path, encoding), layout)) for path in files]
    return TreeSource(str(root), decided, encoding)


def source_of_text(text: str, name: str = "<text>", layout: str = "auto") -> TreeSource:
    """A source with the given text, for instance of trees that were just parsed."""
    lines = text.split("\n")
    stored = lines[:-1] if lines[-1] == "" else lines
    return TreeSource(name, [(name, _decide(stored, layout))], stored=stored)


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


def has_tree(sentence: SentenceText) -> bool:
    """Whether the text has anything but blanks."""
    return bool(sentence.text.strip())


def _decide(lines: Iterable[str], layout: str) -> bool:
    return is_by_line(lines) if layout == "auto" else layout == "lines"


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


def _without_blank_end(sentences: Iterable[SentenceText]) -> Iterator[SentenceText]:
    blank: list[SentenceText] = []
    for sentence in sentences:
        if has_tree(sentence):
            yield from blank
            blank = []
            yield sentence
        else:
            blank.append(sentence)


def _outside(path: str, line: int, column: int, text: str) -> SyntaxProblem:
    return SyntaxProblem(
        path, line, column, f"text outside a tree: {text[:40].rstrip()!r}", "an opening bracket",
        "Remove it, or use --layout lines to score the file line by line.",
    )  # fmt: skip
