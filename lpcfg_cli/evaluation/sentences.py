"""The sentences of tree files as stretches of text: one for each line, as in EVALB, or one for each tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from lpcfg_cli.errors import ConfigError
from lpcfg_cli.evaluation.layouts import (
    AUTO,
    LAYOUTS,
    NBEST,
    TREES,
    layout_of,
    split_lines,
    split_lists,
    split_trees,
)
from lpcfg_cli.evaluation.sentence_blocks import SentenceBlock, SentenceText
from lpcfg_cli.treebank.brackets import BRACKETS
from lpcfg_cli.treebank.encodings import decode
from lpcfg_cli.treebank.finding import search_tree_files
from lpcfg_cli.treebank.lines import line_blocks
from lpcfg_cli.treebank.sources import is_stream, read_bytes, source_name
from lpcfg_cli.treebank.token_table import SURROGATES


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
    stored : bytes, optional
        The text of a stream, which cannot be read twice, or a given text; UTF-8 of whole lines.
    """

    path: str
    layout: str
    encoding: str = "utf-8"
    name: str = ""
    stored: bytes | None = None

    def blocks(self, keeps_blank_end: bool) -> Iterator[SentenceBlock]:
        """Yield the sentences in order, many at a time; errors are those of `TreeSource.sentences`."""
        texts = _texts(self.path, self.encoding) if self.stored is None else iter([self.stored])
        if self.layout == NBEST:
            yield from split_lists(texts, self.path)
        elif self.layout == TREES:
            yield from split_trees(texts, self.path)
        else:
            blocks = split_lines(texts, self.path)
            yield from blocks if keeps_blank_end else _without_blank_end(blocks)


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

    def sentences(self) -> Iterator[SentenceText]:
        """Yield the sentences of all files in order; raises as `blocks` does."""
        for block in self.blocks():
            yield from block

    def blocks(self, files: Sequence[SourceFile] | None = None) -> Iterator[SentenceBlock]:
        """Yield the sentences of all files, or of some of them, in order, many at a time.

        In files with one tree on each line, blank lines are sentences (failed parses), except at the end of one of
        several files.

        Raises
        ------
        InputError, SyntaxProblem
            A file cannot be read, or a file whose trees span lines has something else than trees.
        """
        for file in self.files if files is None else files:
            yield from file.blocks(keeps_blank_end=len(self.files) == 1)


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
    name = source_name(path)
    stored = _whole_lines(decode(read_bytes(path), name, encoding)) if is_stream(path) else None
    texts = _texts(path, encoding) if stored is None else [stored]
    decided = layout_of(texts) if layout == AUTO else layout
    return SourceFile(name, decided, encoding, "" if path == root else path.relative_to(root).as_posix(), stored)


def source_of_text(text: str, name: str = "<text>", layout: str = AUTO) -> TreeSource:
    """A source with the given text, for instance of trees that were just parsed."""
    stored = _whole_lines(text)
    return TreeSource(name, [SourceFile(name, layout_of([stored]) if layout == AUTO else layout, stored=stored)])


def _texts(path: str | Path, encoding: str) -> Iterator[bytes]:
    """The text of a file in parts of whole lines, as UTF-8."""
    return (block.text for block in line_blocks(path, encoding))


def _whole_lines(text: str) -> bytes:
    return (text if text.endswith("\n") or not text else f"{text}\n").encode("utf-8", SURROGATES)


def _without_blank_end(blocks: Iterable[SentenceBlock]) -> Iterator[SentenceBlock]:
    held: list[SentenceBlock] = []
    for block in blocks:
        visible = np.flatnonzero(~block.is_blank())
        if not len(visible):
            held.append(block)
            continue
        yield from held
        stop = visible[-1] + 1
        yield block[:stop]
        held = [block[stop:]]
