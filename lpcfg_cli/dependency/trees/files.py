"""Reading files of dependency trees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from lpcfg_cli.dependency.trees.conll import read_conll
from lpcfg_cli.dependency.trees.sentence import DependencySentence
from lpcfg_cli.errors import doing
from lpcfg_cli.treebank.lines import read_lines
from lpcfg_cli.treebank.sources import source_name


def read_dependency_files(
    paths: Iterable[str | Path], encoding: str = "utf-8", needs_heads: bool = True
) -> list[DependencySentence]:
    """The sentences of files in CoNLL-X or CoNLL-U, in order.

    Parameters
    ----------
    paths : iterable of path
        Files, possibly compressed; ``-`` is standard input.
    encoding : str
        Name of a codec; a byte order mark overrides it.
    needs_heads : bool
        Whether a missing head is an error; if not, it is -1.

    Raises
    ------
    InputError, SyntaxProblem
        A file cannot be read or decoded, or a line is none of the format: see `read_conll`.
    """
    return [sentence for path in paths for sentence in _sentences(path, encoding, needs_heads)]


def _sentences(path: str | Path, encoding: str, needs_heads: bool) -> Iterator[DependencySentence]:
    name = source_name(path)
    with doing(f"reading {name}"):
        yield from read_conll(read_lines(path, encoding), name, needs_heads)
