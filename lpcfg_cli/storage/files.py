"""Atomic writes and content hashes."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from lpcfg_cli.errors import InputError

BLOCK = 1 << 20

_open_partials: dict[Path, int] = {}
"""The unfinished files of this process that are worth nothing, each with the number of the process that writes it."""


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
    _open_partials[partial] = os.getpid()
    try:
        with open(partial, "wb") as file:
            yield file
            if is_durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(partial, path)
    except OSError as error:
        rename_in_error(error, partial, path)
        raise
    finally:
        partial.unlink(missing_ok=True)
        _open_partials.pop(partial, None)


def rename_in_error(error: OSError, partial: Path, path: Path) -> None:
    """Make an error of an unfinished file name the file that it was to become."""
    if error.filename in (None, str(partial), partial):
        error.filename = str(path)


def remove_partials() -> None:
    """Remove the unfinished files of this process; to be called before it ends."""
    for partial, process in list(_open_partials.items()):
        if process == os.getpid():  # a forked process has the entries of its parent
            partial.unlink(missing_ok=True)


def write_text(path: Path, text: str, encoding: str = "utf-8") -> None:
    """Write a text file atomically."""
    with atomic_writer(path) as file:
        file.write(utf8(text) if encoding == "utf-8" else text.encode(encoding))


def write_temporary(text: str, suffix: str) -> str:
    """Write a text to a file of its own in the temporary directory, and keep it there; returns its path."""
    descriptor, path = tempfile.mkstemp(suffix, "lpcfg-")
    with os.fdopen(descriptor, "wb") as file:
        file.write(utf8(text))
    return path


def utf8(text: str) -> bytes:
    """Text in UTF-8; what stands for a byte of a file name that is not UTF-8 is written as ``\\udcff``, as in JSON."""
    return text.encode("utf-8", "backslashreplace")


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
        with open(path, "rb", buffering=0) as file:
            size = min(BLOCK, os.fstat(file.fileno()).st_size + 1)  # a whole block takes long for many small files
            while block := file.read(size):
                digest.update(block)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}.") from error
    return digest.hexdigest()


def sha256_of_bytes(data: bytes) -> str:
    """Hexadecimal SHA-256 of some bytes."""
    return hashlib.sha256(data).hexdigest()


@contextmanager
def directory_for_work(path: Path, leftovers: Sequence[str] = ()) -> Iterator[None]:
    """Create a directory and its parents for work that may fail, and remove them again if it does and left nothing.

    Parameters
    ----------
    path : Path
    leftovers : sequence of str
        Names of files there that are worth nothing by themselves.

    Raises
    ------
    InputError
        The directory cannot be created.
    """
    created = [folder for folder in (path, *path.parents) if not folder.exists()]
    try:
        make_directory(path)
        yield
    except BaseException:
        with suppress(OSError):
            if created and all(file.name in leftovers for file in path.iterdir()):
                for file in path.iterdir():
                    file.unlink()
            for folder in created:
                folder.rmdir()
        raise


def make_directory(path: Path) -> None:
    """Create a directory and its parents; raises `InputError` if that fails."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: the directory cannot be created: {error.strerror}.") from error


def files_of(paths: Iterable[Path], pattern: str, hint: str) -> list[Path]:
    """The files named, and those of folders, by name, that match a pattern.

    Raises
    ------
    InputError
        A folder has none; the message ends with the hint.
    """
    files: list[Path] = []
    for path in paths:
        inside = sorted(path.glob(pattern)) if path.is_dir() else [path]
        if not inside:
            raise InputError(f"{path}: has no {pattern} files. {hint}")
        files += inside
    return files
