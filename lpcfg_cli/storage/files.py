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
def atomic_writer(path: Path, *, is_durable: bool = True) -> Iterator[IO[bytes]]:
    """A binary file that appears under its name only when it is complete.

    If writing ends early for any reason, an older file of that name is unchanged.

    Parameters
    ----------
    path : Path
    is_durable : bool
        Whether to wait until the file is on the disk.  Without, it may be empty after a power failure.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    _open_partials.add(partial)
    try:
        with open(partial, "wb") as file:
            yield file
            if is_durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(partial, path)
    except OSError as error:
        # errors of the partial file are reported under the name of the file
        error.filename = str(path) if error.filename in (None, str(partial), partial) else error.filename
        raise
    finally:
        partial.unlink(missing_ok=True)
        _open_partials.discard(partial)


def remove_partials() -> None:
    """Remove the unfinished files of this process; to be called before it ends."""
    for partial in list(_open_partials):
        partial.unlink(missing_ok=True)


def write_text(path: Path, text: str, encoding: str = "utf-8") -> None:
    """Write a text file atomically."""
    with atomic_writer(path) as file:
        file.write(text.encode(encoding))


def share_file(source: Path, target: Path) -> None:
    """Give a file a second name by a hard link, or a copy if the file system has no links; atomic.

    Files are replaced, never overwritten in place, so that later changes of one name do not affect the other.
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
    """The bytes of a file; empty if it does not exist or cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def read_shipped_text(package: str, name: str) -> str:
    """The text of a file that is installed with the given package."""
    from importlib import resources  # imported here because it is slow to import and `lpcfg --help` does not need it

    return (resources.files(package) / name).read_text("utf-8")


def sha256_of_file(path: Path) -> str:
    """Hexadecimal SHA-256 of a file's bytes; raises `InputError` if it cannot be read."""
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
    """Create a directory and its parents; raises `InputError` if that fails."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: the directory cannot be created: {error.strerror}.") from error
