"""Finding and opening treebank files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from lpcfg_cli.errors import InputError
from lpcfg_cli.treebank.brackets import TextTrees, join_texts, new_string_table, parse_brackets
from lpcfg_cli.treebank.trees import Treebank

SUFFIXES = (".mrg",)
"""Endings that make a file inside a directory a tree file; a file named outright may end anyhow."""


@dataclass(frozen=True)
class TreeFiles:
    """A treebank as read, with what it was read from.

    Attributes
    ----------
    trees : Treebank
        The trees of all files, in order.
    paths : list of Path
        The files.
    trees_per_file : list of int
        Number of trees of each file.
    empty_files : list of Path
        Those without any tree.
    """

    trees: Treebank
    paths: list[Path]
    trees_per_file: list[int]

    @property
    def empty_files(self) -> list[Path]:
        """The files in which there is no tree."""
        return [path for path, n in zip(self.paths, self.trees_per_file, strict=True) if n == 0]

    def place_of_tree(self, tree: int) -> str:
        """Where a tree was read, for people: its file and its number there, from 1."""
        for path, n in zip(self.paths, self.trees_per_file, strict=True):
            if tree < n:
                return f"{path} tree {tree + 1}"
            tree -= n
        raise IndexError("no such tree")


def find_tree_files(roots: Sequence[str | Path], sections: str | None = None) -> list[Path]:
    """The tree files below the given paths.

    Parameters
    ----------
    roots : sequence of path
        Files are taken as they are; directories are searched, in sorted order, for names that end
        in one of `SUFFIXES`.  Names of files and folders that begin with a dot are passed over.
    sections : str, optional
        LDC sections such as ``02-21`` or ``00,22,24``: only files that lie in a folder of such a
        two-digit name.

    Raises
    ------
    InputError
        When a path does not exist or nothing is found.
    """
    wanted = None if sections is None else _parse_sections(sections)
    found: list[Path] = []
    for root in map(Path, roots):
        if not root.exists():
            raise InputError(f"{root}: no such file or directory. Check the path of the treebank.")
        files = [root] if root.is_file() else _search(root)
        found += [path for path in files if wanted is None or _section(path) in wanted]
    if not found:
        where = ", ".join(str(root) for root in roots)
        limit = "" if sections is None else f" in sections {sections}"
        looked_for = ", ".join(f"*{suffix}" for suffix in SUFFIXES)
        raise InputError(
            f"no trees found in {where}{limit} (looked for {looked_for}). "
            "Name a directory that holds such files, or the tree files themselves."
        )
    return found


def read_tree_files(paths: Iterable[Path]) -> TreeFiles:
    """Read tree files, in order, into one treebank.

    Raises
    ------
    InputError, SyntaxProblem
        When a file cannot be read or decoded, or is not made of trees.
    """
    strings = new_string_table()
    texts: list[TextTrees] = []
    names = list(paths)
    for path in names:
        texts.append(parse_brackets(read_text(path), strings, str(path)))
    return TreeFiles(join_texts(texts, strings), names, [len(text.tree_token) for text in texts])


def read_text(path: Path, encoding: str = "utf-8-sig") -> str:
    """The text of a file, with a message that names the byte when the encoding is wrong."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}.") from error
    return decode(data, str(path), encoding)


def read_shipped_text(package: str, name: str) -> str:
    """The text of a file that is installed with the given package."""
    return (resources.files(package) / name).read_text("utf-8")


def decode(data: bytes, path: str, encoding: str = "utf-8-sig") -> str:
    """Decode a file's bytes; `path` is for the message."""
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{path}:{line}: byte 0x{data[error.start]:02x} at offset {error.start} is not {error.encoding}. "
            "Convert the file to UTF-8, for instance with iconv."
        ) from error


def _search(folder: Path) -> list[Path]:
    return sorted(
        path
        for path in folder.rglob("*")
        if path.suffix in SUFFIXES and not _is_hidden(path.relative_to(folder)) and path.is_file()
    )


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _section(path: Path) -> int | None:
    for folder in reversed(path.absolute().parent.parts):
        if re.fullmatch(r"\d\d", folder):
            return int(folder)
    return None


def _parse_sections(sections: str) -> set[int]:
    wanted: set[int] = set()
    for part in sections.split(","):
        match = re.fullmatch(r"\s*(\d{1,2})(?:-(\d{1,2}))?\s*", part)
        numbers = range(int(match[1]), int(match[2] or match[1]) + 1) if match else range(0)
        if not numbers:
            wrong = "ends before it begins" if match else "is neither a number nor a range"
            raise InputError(f"sections {sections!r}: {part!r} {wrong}. Write for instance 02-21 or 00,22.")
        wanted.update(numbers)
    return wanted
