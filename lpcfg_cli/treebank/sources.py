"""The bytes of files, of standard input and of pipes, unpacked.

Standard input and pipes can be read only once.  What is read from them as a whole is therefore kept in memory, so that
they can be hashed, read and searched for places as files are.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast
from weakref import WeakKeyDictionary

from lpcfg_cli.errors import InputError
from lpcfg_cli.storage.files import sha256_of_bytes, sha256_of_file
from lpcfg_cli.storage.inputs import STDIN, is_live, open_live_stdin

STDIN_NAME = "<stdin>"

HEAD = 512
"""Number of bytes by which a file's kind is told."""


class Packing(NamedTuple):
    """A kind of compressed file.

    Attributes
    ----------
    name : str
    magic : compiled pattern
        How such files begin.
    suffix : str
        Ending of their names.
    open : function of a file to a file
    """

    name: str
    magic: re.Pattern[bytes]
    suffix: str
    open: Callable[[Any], Any]


PACKINGS = (
    Packing("gzip", re.compile(rb"\x1f\x8b"), ".gz", gzip.open),
    Packing("bzip2", re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"), ".bz2", bz2.open),
    Packing("xz", re.compile(rb"\xfd7zXZ\0"), ".xz", lzma.open),
)

ARCHIVES = (
    ("a zip archive", re.compile(rb"PK(?:\x03\x04|\x05\x06)"), "unzip"),
    ("a tar archive", re.compile(rb"(?s:.{257}ustar)"), "tar -xf"),
    ("a file of compress", re.compile(rb"\x1f\x9d"), "uncompress"),
    ("a zstd file", re.compile(rb"\x28\xb5\x2f\xfd"), "unzstd"),
    ("a 7-Zip archive", re.compile(rb"7z\xbc\xaf\x27\x1c"), "7z x"),
    ("a rar archive", re.compile(rb"Rar!\x1a\x07"), "unrar x"),
)
"""Files that are not unpacked here: what they are, how they begin, and the program that unpacks them."""

ARCHIVE_SUFFIXES = (".zip", ".tar", ".tgz", ".tbz", ".tbz2", ".txz", ".z", ".zst", ".7z", ".rar")

DAMAGED = (EOFError, zlib.error, lzma.LZMAError)

_kept_stdin: WeakKeyDictionary[Any, bytes] = WeakKeyDictionary()
_kept_pipes: dict[tuple[str, int], bytes] = {}


def source_name(path: str | Path) -> str:
    """The name of a file in messages."""
    return STDIN_NAME if str(path) == STDIN else str(path)


def is_stream(path: str | Path) -> bool:
    """Whether this is standard input, a pipe or a device, which can be read only once."""
    if str(path) == STDIN:
        return True
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def without_packing(name: str) -> str:
    """A file name without the ending of a compressed file, in capitals or not."""
    for packing in PACKINGS:
        if name.lower().endswith(packing.suffix):
            return name[: -len(packing.suffix)]
    return name


@contextmanager
def opened(path: str | Path) -> Iterator[BinaryIO]:
    """A file, a pipe or standard input for reading its bytes as they arrive, unpacked if it is compressed.

    Raises
    ------
    InputError
        It cannot be read, is damaged, or is an archive.
    """
    name, packing = source_name(path), None
    try:
        with _raw(path) as file:
            packing = packing_of(file.peek(HEAD))
            with packing.open(file) if packing else nullcontext(file) as inner:
                refuse_archive(inner.peek(HEAD), name)
                yield inner
    except DAMAGED as error:
        raise _damaged(name, packing, error) from error
    except OSError as error:
        raise _unreadable(name, packing, error) from error


def read_bytes(path: str | Path) -> bytes:
    """All bytes of a file, unpacked; those of a pipe or of standard input are kept.  Raises as `opened` does."""
    return unpacked(_kept(path), source_name(path)) if is_stream(path) else _whole(path)


def unpacked(data: bytes, name: str) -> bytes:
    """The bytes of a file, decompressed if they are compressed data; the file's name does not matter."""
    packing = packing_of(data[:HEAD])
    try:
        inner = packing.open(io.BytesIO(data)).read() if packing else data
    except DAMAGED as error:
        raise _damaged(name, packing, error) from error
    except OSError as error:
        raise _unreadable(name, packing, error) from error
    refuse_archive(inner[:HEAD], name)
    return inner


def sha256_of_source(path: Path) -> str:
    """Hexadecimal SHA-256 of the bytes of a file or stream as they are; those of a stream are kept."""
    return sha256_of_bytes(_kept(path)) if is_stream(path) else sha256_of_file(path)


def packing_of(head: bytes) -> Packing | None:
    """The kind of compressed file that begins so."""
    return next((packing for packing in PACKINGS if packing.magic.match(head)), None)


def refuse_archive(head: bytes, name: str) -> None:
    """Raise `InputError` if a file that begins so is an archive."""
    for what, magic, program in ARCHIVES:
        if magic.match(head):
            raise InputError(f"{name}: {what}, which is not read. Unpack it (`{program}`) and name what was in it.")


def _whole(path: str | Path) -> bytes:
    with opened(path) as file:
        return file.read()


def _raw(path: str | Path) -> Any:
    """The file as it is, with a method ``peek``."""
    if is_stream(path) and _find_kept(path) is not None:
        return io.BufferedReader(io.BytesIO(_kept(path)))
    if str(path) == STDIN:
        if is_live(path):
            return open_live_stdin()
        buffer = cast(Any, sys.stdin.buffer)
        return nullcontext(buffer if hasattr(buffer, "peek") else io.BufferedReader(buffer))
    return open(path, "rb")


def _find_kept(path: str | Path) -> bytes | None:
    return _kept_stdin.get(sys.stdin) if str(path) == STDIN else _kept_pipes.get((str(path), os.stat(path).st_ino))


def _kept(path: str | Path) -> bytes:
    """The bytes of a stream, read the first time and kept."""
    data = _find_kept(path)
    if data is None:
        if str(path) == STDIN:
            data = _kept_stdin[sys.stdin] = sys.stdin.buffer.read()
        else:
            key = str(path), os.stat(path).st_ino
            try:
                with open(path, "rb") as file:
                    data = _kept_pipes[key] = file.read()
            except OSError as error:
                raise _unreadable(str(path), None, error) from error
    return data


def _damaged(name: str, packing: Packing | None, error: Exception) -> InputError:
    kind = packing.name if packing else "compressed"
    return InputError(f"{name}: a {kind} file that is damaged or cut off ({error}). Copy or pack it again.")


def _unreadable(name: str, packing: Packing | None, error: OSError) -> InputError:
    if packing and error.errno is None:  # the system's errors have a number, those of unpacking none
        return _damaged(name, packing, error)
    return InputError(f"{name}: cannot be read: {error.strerror}.")
