"""The files below a folder: each once, whatever links lead to it, and what is left out and why."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lpcfg_cli.storage.lock import LOCK_FILE
from lpcfg_cli.treebank.sources import without_packing

MOST_NAMED = 3
"""Largest number of files that are named for each reason."""


@dataclass(frozen=True)
class LeftOut:
    """A file or folder that is not read.

    Attributes
    ----------
    path : str
    why : str
    """

    path: str
    why: str

    def __str__(self) -> str:
        return f"{self.path} ({self.why})"


@dataclass
class FolderFiles:
    """The files below a folder.

    Attributes
    ----------
    paths : list of str
        Sorted folder by folder.  Strings, because there may be very many.
    left_out : list of LeftOut
    """

    paths: list[str] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def files_below(folder: Path, besides: Path | None = None) -> FolderFiles:
    """Find the files below a folder.

    Links to files and folders are followed; a folder or file to which several ways lead is taken once, under its own
    name if that is below `folder` too.  Of a file and its compressed copy the copy is left out.  Files and folders
    whose names begin with a dot are passed over.

    Parameters
    ----------
    folder : Path
    besides : Path, optional
        A folder that is passed over with what is below it.
    """
    search = _Search(besides)
    search.run(folder)
    paths, copies = without_copies(sorted(search.paths, key=lambda path: path.split(os.sep)))
    return FolderFiles(paths, sorted([*search.left_out, *copies], key=lambda one: one.path))


class _Search:
    """Goes through folders, first those that are no links, so that files are found under their own names."""

    def __init__(self, besides: Path | None):
        self.paths: list[str] = []
        self.left_out: list[LeftOut] = []
        self._seen: set[tuple[int, int]] = set()
        self._linked: list[tuple[str, bool]] = []
        self._n_known = 0
        if besides is not None and besides.exists():
            self._is_new(besides)

    def run(self, folder: Path) -> None:
        self._enter(str(folder))
        while self._linked:
            path, is_folder = self._linked.pop(0)
            if not is_folder:
                self._know_files()
            if not self._is_new(path):
                self.left_out.append(LeftOut(path, "a link to what is read already"))
            elif is_folder:
                self._look_into(path)
            else:
                self.paths.append(path)

    def _enter(self, folder: str) -> None:
        if self._is_new(folder):
            self._look_into(folder)

    def _look_into(self, folder: str) -> None:
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            self.left_out.append(LeftOut(folder, f"cannot be opened: {error.strerror}"))
            return
        for entry in entries:
            self._take(entry)

    def _take(self, entry: os.DirEntry[str]) -> None:
        is_folder, is_file = entry.is_dir(), entry.is_file()
        if entry.name.startswith("."):
            if is_file and entry.name != LOCK_FILE:
                self.left_out.append(LeftOut(entry.path, "its name begins with a dot"))
        elif entry.is_symlink() and (is_folder or is_file):
            self._linked.append((entry.path, is_folder))
        elif is_folder:
            self._enter(entry.path)
        elif is_file:
            self.paths.append(entry.path)
        else:
            why = "a link that leads nowhere" if entry.is_symlink() else "neither file nor folder"
            self.left_out.append(LeftOut(entry.path, why))

    def _know_files(self) -> None:
        """Mark the files found so far as seen; only if there are links to files, since it takes long for many files."""
        self._seen.update(_identity(os.stat(path)) for path in self.paths[self._n_known :])
        self._n_known = len(self.paths)

    def _is_new(self, path: str | Path) -> bool:
        found = _identity(os.stat(path))
        is_new = found not in self._seen
        self._seen.add(found)
        return is_new


def _identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def without_copies(paths: Sequence[str]) -> tuple[list[str], list[LeftOut]]:
    """The files, in order, and the compressed copies of other ones among them."""
    plain = set(paths)
    first: dict[str, str] = {}
    kept, copies = list[str](), list[LeftOut]()
    for path in paths:
        name = without_packing(path)
        original = first.setdefault(name, path) if name not in plain else name
        if original == path:
            kept.append(path)
        else:
            copies.append(LeftOut(path, f"a packed copy of {os.path.basename(original)}"))
    return kept, copies


def reasons(left_out: Sequence[LeftOut]) -> str:
    """What is left out and why, in one line, the most frequent reason first."""
    counts = Counter(one.why for one in left_out)
    return "; ".join(f"{_names(why, left_out)}: {why}" for why, _ in counts.most_common())


def _names(why: str, left_out: Sequence[LeftOut]) -> str:
    names = [one.path for one in left_out if one.why == why]
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(names[:MOST_NAMED])}{more}"
