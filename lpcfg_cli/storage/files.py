"""Atomic writes and content hashes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from lpcfg_cli.errors import InputError

BLOCK = 1 << 20

_open_partials: set[Path] = set()


@contextmanager
def atomic_writer(path: Path) -> Iterator[IO[bytes]]:
    """A binary file that appears under its name only when it is complete.

    Whatever ends the writing early leaves an older file of that name as it was.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    _open_partials.add(partial)
    try:
        with open(partial, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except OSError as error:
        # what goes wrong with the partial file went wrong with the file
        error.filename = str(path) if error.filename in (None, str(partial), partial) else error.filename
        raise
    finally:
        partial.unlink(missing_ok=True)
        _open_partials.discard(partial)


def remove_partials() -> None:
    """Remove the unfinished files of this process, which is about to end."""
    for partial in list(_open_partials):
        partial.unlink(missing_ok=True)


def write_text(path: Path, text: str, encoding: str = "utf-8") -> None:
    """Write a text file atomically."""
    with atomic_writer(path) as file:
        file.write(text.encode(encoding))


def share_file(source: Path, target: Path) -> None:
    """Give a file a second name, or a copy where the file system has no links; atomic.

    Files are replaced, never written into, so what later becomes of one name leaves the other as it is.
    """
    if target.exists() and sha256_of_file(target) == sha256_of_file(source):
        return
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        os.link(source, partial)
        os.replace(partial, target)
    except OSError:
        with atomic_writer(target) as file:
            file.write(source.read_bytes())
    finally:
        partial.unlink(missing_ok=True)


def read_bytes_if_any(path: Path) -> bytes:
    """A file's bytes; none when there is no such file or it cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def read_shipped_text(package: str, name: str) -> str:
    """The text of a file that is installed with the given package."""
    from importlib import resources  # here, since it takes a while to import and `lpcfg --help` needs none of it

    return (resources.files(package) / name).read_text("utf-8")


def sha256_of_file(path: Path) -> str:
    """Hexadecimal SHA-256 of a file's bytes; `InputError` when it cannot be read."""
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while block := file.read(BLOCK):
                digest.update(block)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}.") from error
    return digest.hexdigest()


def sha256_of_bytes(data: bytes) -> str:
    """Hexadecimal SHA-256 of some bytes."""
    return hashlib.sha256(data).hexdigest()


def make_directory(path: Path) -> None:
    """Create a directory and its parents; `InputError` when something else has the name."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be made a directory: {error.strerror}.") from error
