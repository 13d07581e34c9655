"""Reading treebank files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lpcfg_cli.config import ReadSettings
from lpcfg_cli.errors import doing
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.treebank.brackets import BRACKETS, bracket_strings, join_texts, new_string_table
from lpcfg_cli.treebank.clean import with_named_roots
from lpcfg_cli.treebank.encodings import decode
from lpcfg_cli.treebank.formats import format_of_file
from lpcfg_cli.treebank.sources import read_bytes, source_name
from lpcfg_cli.treebank.tree_format import Note, Skipped, TextTrees
from lpcfg_cli.treebank.trees import StringTable, Treebank
from lpcfg_cli.treebank.usable import read_usable_trees


@dataclass(frozen=True)
class TreeFiles:
    """A treebank as read, with its files.

    Attributes
    ----------
    trees : Treebank
        The trees of all files, in order.
    paths : list of Path
        The files.
    trees_per_file : list of int
        Number of trees of each file.
    texts : list of TextTrees
        The trees file by file.
    settings : ReadSettings
        How they were read.
    """

    trees: Treebank
    paths: list[Path]
    trees_per_file: list[int]
    texts: list[TextTrees]
    settings: ReadSettings

    @property
    def empty_files(self) -> list[Path]:
        """The files without trees."""
        return [path for path, n in zip(self.paths, self.trees_per_file, strict=True) if n == 0]

    @property
    def notes(self) -> list[Note]:
        """Ignored lines of all files."""
        return [note for text in self.texts for note in text.notes]

    @property
    def skipped(self) -> list[Skipped]:
        """Skipped trees and other text of all files."""
        return [part for text in self.texts for part in text.skipped]


def read_tree_files(
    paths: Iterable[Path], settings: ReadSettings | None = None, progress: Progress = no_progress
) -> TreeFiles:
    """Read tree files, in order, into one treebank; `progress` reports on the files.

    Raises
    ------
    InputError, SyntaxProblem
        A file cannot be read or decoded, or has something that is not a tree and is not to be skipped.
    ConfigError
        There is no such format as the settings name.
    """
    settings = settings or ReadSettings()
    strings = new_string_table()
    names = list(paths)
    texts = [_read_file(path, strings, settings) for path in progress(names, "read", len(names), "file")]
    return TreeFiles(join_texts(texts, strings), names, [len(text.tree_place) for text in texts], texts, settings)


def _read_file(path: Path, strings: StringTable, settings: ReadSettings) -> TextTrees:
    with doing(f"reading {source_name(path)}"):
        return read_usable_trees(text_of(path, settings), strings, source_name(path), settings)


def bracket_text(path: Path, settings: ReadSettings) -> str:
    """A tree file in brackets: its own text if that is what it holds, else its trees written so, one a line.

    Roots without a label are then called TOP, since EVALB counts them otherwise.  Raises as `read_tree_files` does;
    a text in brackets is not looked into.
    """
    text = text_of(path, settings)
    if format_of_file(path, settings.format) is BRACKETS:
        return text
    strings = new_string_table()
    trees = join_texts([read_usable_trees(text, strings, source_name(path), settings)], strings)
    return "".join(f"{line}\n" for line in bracket_strings(with_named_roots(trees)))


def text_of(path: Path, settings: ReadSettings) -> str:
    """The text of a tree file; raises the errors of `read_text`, and with ``on_error = "skip"`` only the first of them.

    What is no text is then kept, as in `escaped_bytes`.
    """
    return decode(read_bytes(path), source_name(path), settings.encoding, settings.on_error)


def read_text(path: Path, encoding: str = "utf-8") -> str:
    """The text of a file, decompressed if it is a compressed file.

    Raises
    ------
    InputError
        The file cannot be read; or it is no text in this encoding, and the message then names the byte.
    """
    return decode(read_bytes(path), source_name(path), encoding)
