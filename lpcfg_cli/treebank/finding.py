"""Finding tree files: which files of a folder are read, which are not, and why."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lpcfg_cli.config import AUTO_FORMAT
from lpcfg_cli.errors import InputError
from lpcfg_cli.treebank.archive import TREES_FILE
from lpcfg_cli.treebank.brackets import BRACKETS
from lpcfg_cli.treebank.encodings import encoding_of
from lpcfg_cli.treebank.folders import LeftOut, files_below, reasons, without_copies
from lpcfg_cli.treebank.formats import suffixes_of
from lpcfg_cli.treebank.recovery import REMARK
from lpcfg_cli.treebank.sources import ARCHIVE_SUFFIXES, STDIN, opened, without_packing
from lpcfg_cli.treebank.taught import TAUGHT_TREES_FILE
from lpcfg_cli.wording import counted

MAYBE_SUFFIXES = (
    ".fid", ".nw", ".bn", ".bc", ".mz", ".wb", ".df", ".sc", ".cs",
    ".trees", ".penn", ".brackets", ".bracketed",
)  # fmt: skip
"""Endings of bracketed files, such as those of the Chinese Treebank, that other files have too: of these only files are
read whose content begins as trees do."""

LOOK = 1 << 14
"""Number of bytes in which a file's first tree is looked for."""

FIRST_TREE = re.compile(r"[\s\ufeff]*\(\s*(?:[^\s()]+\s*)?\(")
"""A tree begins with two brackets, the first with a label or without."""

WSJ_FILE = re.compile(r"wsj_(\d\d)\d\d(?!\d)", re.IGNORECASE)
"""Names of the Penn Treebank's files, whose first two digits are the section."""

RECORD_ENDING = ".mrg.json"

OTHER, LOOKS_LIKE_TREES = "another ending", "another ending, but looks like trees: name it to read it"
OF_A_RUN = "binarized trees of a run"
NOT_LIKE_TREES, AN_ARCHIVE = "does not look like trees", "an archive: unpack it first"


@dataclass(frozen=True)
class FoundFiles:
    """The tree files below some paths.

    Attributes
    ----------
    paths : list of Path
        The tree files, in the order in which they are read.
    left_out : list of LeftOut
        Other files in the directories, which are not read.
    """

    paths: list[Path]
    left_out: list[LeftOut]

    @property
    def unread(self) -> list[Path]:
        """The files that are left out."""
        return [Path(one.path) for one in self.left_out]

    def line(self) -> str:
        """What is read, and what is left out and why, in one line."""
        counts = Counter(_ending(path) for path in self.paths)
        kinds = ", ".join(f"{count:,} {ending}" for ending, count in counts.most_common())
        found = f"{counted(len(self.paths), 'file')} ({kinds})"
        return f"{found}; left out: {reasons(self.left_out)}" if self.left_out else found


def find_tree_files(roots: Sequence[str | Path], sections: str | None = None, form: str = AUTO_FORMAT) -> list[Path]:
    """The tree files below the given paths; see `search_tree_files`."""
    return search_tree_files(roots, sections, form).paths


def search_tree_files(roots: Sequence[str | Path], sections: str | None = None, form: str = AUTO_FORMAT) -> FoundFiles:
    """The tree files below the given paths, and the other files there.

    Parameters
    ----------
    roots : sequence of path
        Files, pipes and ``-`` for standard input are taken as they are, but of a file and its compressed copy the copy
        is left out; directories are searched recursively by
        `files_below` for names that end as tree files do, in capitals or not, or as in `MAYBE_SUFFIXES`.
    sections : str, optional
        LDC sections such as ``02-21`` or ``00,22,24``: only files called as in `WSJ_FILE` or in a folder with such a
        two-digit name.
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
    found, n_elsewhere = FoundFiles([], []), 0
    for root in map(Path, roots):
        if not root.is_dir():
            if str(root) != STDIN and not root.exists():
                raise InputError(f"{root}: no such file or directory. Check the path of the treebank.")
            found.paths.append(root)
            continue
        below = files_below(root)
        here = [path for path in map(Path, below.paths) if wanted is None or _section(path) in wanted]
        n_elsewhere += len(below.paths) - len(here)
        found.left_out.extend(below.left_out)
        for path in here:
            if _is_record(path):
                continue
            why = _why_not(path, suffixes, form)
            if why:
                found.left_out.append(LeftOut(str(path), why))
            else:
                found.paths.append(path)
    if not found.paths:
        raise _nothing_found(roots, sections, suffixes, found.left_out, n_elsewhere)
    paths, copies = without_copies(list(map(str, found.paths)))
    return FoundFiles(list(map(Path, paths)), [*found.left_out, *copies])


def _why_not(path: Path, suffixes: tuple[str, ...], form: str) -> str:
    """Why a file of a folder is no tree file; empty if it is one."""
    name = without_packing(path.name).lower()
    if path.name in (TREES_FILE, TAUGHT_TREES_FILE):
        return OF_A_RUN
    if name.endswith(suffixes):
        return ""
    if name.endswith(ARCHIVE_SUFFIXES):
        return AN_ARCHIVE
    looks_so = _begins_like_trees(path)
    if form in (AUTO_FORMAT, BRACKETS.name) and name.endswith(MAYBE_SUFFIXES):
        return "" if looks_so else NOT_LIKE_TREES
    return LOOKS_LIKE_TREES if looks_so else OTHER


def _is_record(path: Path) -> bool:
    """Whether this is a record that `lpcfg parse` has put beside the trees of a file."""
    return path.name.endswith(RECORD_ENDING) and path.with_suffix("").exists()


def _begins_like_trees(path: Path) -> bool:
    try:
        with opened(path) as file:
            head = file.read(LOOK)
    except InputError:
        return False
    text = head.decode(encoding_of(head, "utf-8"), "replace")
    return bool(FIRST_TREE.match(REMARK.sub("", text)))


def _nothing_found(
    roots: Sequence[str | Path], sections: str | None, suffixes: tuple[str, ...], seen: list[LeftOut], elsewhere: int
) -> InputError:
    where = ", ".join(str(root) for root in roots)
    limit = "" if sections is None else f" in sections {sections}"
    looked_for = ", ".join(f"*{suffix}" for suffix in suffixes)
    found = (
        f"found {reasons(seen)}"
        if seen
        else f"found {counted(elsewhere, 'file')} of other sections"
        if elsewhere
        else ""
    )
    return InputError(
        f"no trees found in {where}{limit} (looked for {looked_for}; {found or 'found no files at all'}). "
        "Name a directory that holds such files, or the tree files themselves."
    )


def _ending(path: Path) -> str:
    """The ending of a tree file as in ``a.mrg.gz``, or its name if it has none."""
    name = without_packing(path.name)
    dot = name.rfind(".")
    return path.name[dot:] if dot > 0 else path.name


def _section(path: Path) -> int | None:
    if match := WSJ_FILE.match(path.name):
        return int(match[1])
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
