"""Finding and opening treebank files."""

from __future__ import annotations

import codecs
import gzip
import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lpcfg_cli.config import AUTO_FORMAT, ReadSettings
from lpcfg_cli.errors import InputError
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.treebank.bracket_tokens import line_and_column
from lpcfg_cli.treebank.brackets import BRACKETS, bracket_strings, join_texts, new_string_table
from lpcfg_cli.treebank.clean import with_named_roots
from lpcfg_cli.treebank.formats import format_of_file, suffixes_of
from lpcfg_cli.treebank.tree_format import Note, Skipped, TextTrees
from lpcfg_cli.treebank.trees import StringTable, Treebank

GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class FoundFiles:
    """The tree files below some paths.

    Attributes
    ----------
    paths : list of Path
        The tree files, in the order in which they are read.
    unread : list of Path
        Other files in the directories, which are not read.
    """

    paths: list[Path]
    unread: list[Path]


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


def find_tree_files(roots: Sequence[str | Path], sections: str | None = None, form: str = AUTO_FORMAT) -> list[Path]:
    """The tree files below the given paths; see `search_tree_files`."""
    return search_tree_files(roots, sections, form).paths


def search_tree_files(roots: Sequence[str | Path], sections: str | None = None, form: str = AUTO_FORMAT) -> FoundFiles:
    """The tree files below the given paths, and the other files there.

    Parameters
    ----------
    roots : sequence of path
        Files are taken as they are; directories are searched recursively, in sorted order, for names that end as tree
        files do.  Files whose names start with a dot count as other files; such folders are not searched.
    sections : str, optional
        LDC sections such as ``02-21`` or ``00,22,24``: only files in a folder with such a two-digit name.
    form : str
        A name of `TREE_FORMATS`: only its files are searched for; or `AUTO_FORMAT` for those of all formats.

    Raises
    ------
    ConfigError
        There is no such format.
    InputError
        A path does not exist, or there are no tree files.
    """
    wanted = None if sections is None else _parse_sections(sections)
    suffixes = suffixes_of(form)
    found = FoundFiles([], [])
    for root in map(Path, roots):
        if not root.exists():
            raise InputError(f"{root}: no such file or directory. Check the path of the treebank.")
        files = [root] if not root.is_dir() else _search(root)
        for path in files if wanted is None else [path for path in files if _section(path) in wanted]:
            is_tree_file = path == root or _is_tree_file(path, suffixes)
            (found.paths if is_tree_file else found.unread).append(path)
    if not found.paths:
        where = ", ".join(str(root) for root in roots)
        limit = "" if sections is None else f" in sections {sections}"
        looked_for = ", ".join(f"*{suffix}" for suffix in suffixes)
        raise InputError(
            f"no trees found in {where}{limit} (looked for {looked_for}). "
            "Name a directory that holds such files, or the tree files themselves."
        )
    return found


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
    texts = [
        _read_trees(read_text(path, settings.encoding), strings, path, settings)
        for path in progress(names, "read", len(names), "file")
    ]
    return TreeFiles(join_texts(texts, strings), names, [len(text.tree_place) for text in texts], texts, settings)


def _read_trees(text: str, strings: StringTable, path: Path, settings: ReadSettings) -> TextTrees:
    return format_of_file(path, settings.format).read(text, strings, str(path), settings.on_error)


def bracket_text(path: Path, settings: ReadSettings) -> str:
    """A tree file in brackets: its own text if that is what it holds, else its trees written so, one a line.

    Roots without a label are then called TOP, since EVALB counts them otherwise.  Raises as `read_tree_files` does;
    a text in brackets is not looked into.
    """
    text = read_text(path, settings.encoding)
    if format_of_file(path, settings.format) is BRACKETS:
        return text
    strings = new_string_table()
    trees = join_texts([_read_trees(text, strings, path, settings)], strings)
    return "".join(f"{line}\n" for line in bracket_strings(with_named_roots(trees)))


def read_text(path: Path, encoding: str = "utf-8") -> str:
    """The text of a file, decompressed if it is a gzip file.

    Raises
    ------
    InputError
        The file cannot be read, or is not in this encoding; the message then names the byte.
    """
    try:
        return decode(unpacked(path.read_bytes(), str(path)), str(path), encoding)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}.") from error


def unpacked(data: bytes, path: str) -> bytes:
    """The bytes of a file, decompressed if they are gzip data; the file's name does not matter."""
    if not data.startswith(GZIP_MAGIC):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: a gzip file that is damaged or cut off ({error}). Copy or pack it again.") from error


def decode(data: bytes, path: str, encoding: str = "utf-8") -> str:
    """Decode the bytes of a file; a byte order mark overrides `encoding`; `path` is used in error messages."""
    encoding = next((name for mark, name in BYTE_ORDER_MARKS if data.startswith(mark)), encoding)
    try:
        text = data.decode(encoding)
    except LookupError as error:
        raise InputError(f"{encoding!r} is not a known encoding. Name one such as utf-8 or latin-1.") from error
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{path}:{line}: byte 0x{data[error.start]:02x} at offset {error.start} is not {error.encoding}. "
            "Name the file's encoding with --encoding, or convert it to UTF-8, for instance with iconv."
        ) from error
    if (place := text.find("\0")) >= 0:
        line, column = line_and_column(text, place)
        raise InputError(
            f"{path}:{line}:{column}: a NUL character. This is not text, or is in another encoding such as utf-16-le: "
            "name it with --encoding."
        )
    return text


def _search(folder: Path) -> list[Path]:
    paths = ((path, path.relative_to(folder).parts[:-1]) for path in folder.rglob("*"))
    return sorted(path for path, above in paths if not any(map(_is_hidden, above)) and path.is_file())


def _is_tree_file(path: Path, suffixes: tuple[str, ...]) -> bool:
    return path.name.removesuffix(".gz").endswith(suffixes) and not _is_hidden(path.name)


def _is_hidden(name: str) -> bool:
    return name.startswith(".")


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
