"""The sentences of tree files as pieces of text: one for each line, as in EVALB, or one for each tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lpcfg_cli.errors import ConfigError
from lpcfg_cli.evaluation.layouts import (
    AUTO,
    LAYOUTS,
    NBEST,
    TREES,
    SentenceText,
    layout_of,
    split_lists,
    split_trees,
)
from lpcfg_cli.treebank.brackets import BRACKETS
from lpcfg_cli.treebank.finding import search_tree_files
from lpcfg_cli.treebank.lines import read_lines
from lpcfg_cli.treebank.sources import is_stream, source_name


@dataclass(frozen=True)
class SourceFile:
    """One file of a side of a comparison.

    Attributes
    ----------
    path : str
    layout : str
        `LINES`, `TREES` or `NBEST`.
    encoding : str
    name : str
        Its path below the folder that the user named; empty if the user named the file.
    stored : list of str, optional
        The lines of a stream, which cannot be read twice, or of a given text.
    """

    path: str
    layout: str
    encoding: str = "utf-8"
    name: str = ""
    stored: list[str] | None = None

    def sentences(self, keeps_blank_end: bool) -> Iterator[SentenceText]:
        """Yield the sentences in order; errors are those of `TreeSource.sentences`."""
        lines: Iterable[str] = read_lines(self.path, self.encoding) if self.stored is None else self.stored
        if self.layout == NBEST:
            yield from split_lists(lines, self.path)
        elif self.layout == TREES:
            yield from split_trees(lines, self.path)
        else:
            texts = (SentenceText(self.path, number, line) for number, line in enumerate(lines, 1))
            yield from texts if keeps_blank_end else _without_blank_end(texts)


@dataclass(frozen=True)
class TreeSource:
    """The files of one side of a comparison.

    Attributes
    ----------
    name : str
        The file or directory, as named by the user.
    files : list of SourceFile
    left_out : str
        What is found in the directory and left out, in one line; empty if nothing is.
    """

    name: str
    files: list[SourceFile]
    left_out: str = field(default="", kw_only=True)

    @property
    def is_by_line(self) -> bool:
        """Whether no file has trees over several lines."""
        return all(file.layout != TREES for file in self.files)

    @property
    def is_ranked(self) -> bool:
        """Whether some file has lists of the n best trees."""
        return any(file.layout == NBEST for file in self.files)

    def sentences(self, files: Sequence[SourceFile] | None = None) -> Iterator[SentenceText]:
        """Yield the sentences of all files, or of some of them, in order.

        In files with one tree on each line, blank lines are sentences (failed parses), except at the end of one of
        several files.

        Raises
        ------
        InputError, SyntaxProblem
            A file cannot be read, or a file whose trees span lines has something else than trees.
        """
        for file in self.files if files is None else files:
            yield from file.sentences(keeps_blank_end=len(self.files) == 1)


def open_source(root: str | Path, layout: str = AUTO, encoding: str = "utf-8") -> TreeSource:
    """Find the files below a path, and the layout of their trees.

    Parameters
    ----------
    root : path
        A file, a pipe, a directory of tree files, or ``-`` for standard input.
    layout : {"auto", "lines", "trees"}
        ``lines``: one tree on each line; ``trees``: trees may span lines; ``auto``: decided for each file by
        `layout_of`.
    encoding : str
        Encoding of the files; a byte order mark overrides it.

    Raises
    ------
    InputError
        There are no tree files, or one cannot be read.
    ConfigError
        The layout is not one of the three.
    """
    if layout not in LAYOUTS:
        raise ConfigError(f"layout is {layout!r}; expected one of {', '.join(LAYOUTS)}.")
    found = search_tree_files([root], form=BRACKETS.name)
    files = [_open_file(path, Path(root), layout, encoding) for path in found.paths]
    return TreeSource(source_name(root), files, left_out=found.line() if found.left_out else "")


def _open_file(path: Path, root: Path, layout: str, encoding: str) -> SourceFile:
    stored = list(read_lines(path, encoding)) if is_stream(path) else None
    decided = layout_of(stored if stored is not None else read_lines(path, encoding)) if layout == AUTO else layout
    name = "" if path == root else path.relative_to(root).as_posix()
    return SourceFile(source_name(path), decided, encoding, name, stored)


def source_of_text(text: str, name: str = "<text>", layout: str = AUTO) -> TreeSource:
    """A source with the given text, for instance of trees that were just parsed."""
    lines = text.split("\n")
    stored = lines[:-1] if lines[-1] == "" else lines
    return TreeSource(name, [SourceFile(name, layout_of(stored) if layout == AUTO else layout, stored=stored)])


def has_tree(sentence: SentenceText) -> bool:
    """Whether the text has anything but blanks."""
    return bool(sentence.text.strip())


def _without_blank_end(sentences: Iterable[SentenceText]) -> Iterator[SentenceText]:
    blank: list[SentenceText] = []
    for sentence in sentences:
        if has_tree(sentence):
            yield from blank
            blank = []
            yield sentence
        else:
            blank.append(sentence)
