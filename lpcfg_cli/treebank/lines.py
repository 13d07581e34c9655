"""Lines of a text file, read one after the other, without the whole file in memory."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from lpcfg_cli.errors import InputError
from lpcfg_cli.treebank.files import GZIP_MAGIC, decode, read_text, unpacked

STDIN = "-"
"""The path that stands for standard input."""

STDIN_NAME = "<stdin>"

BLOCK = 1 << 22
"""Size of the blocks of `line_blocks`, in bytes."""


def read_lines(path: str | Path, encoding: str = "utf-8-sig") -> Iterator[str]:
    """Yield the lines of a file without their newline; only ``\\n`` ends a line.

    Parameters
    ----------
    path : path
        A file, possibly compressed by gzip, or `STDIN`, which is read to its end first.
    encoding : str
        Name of a codec.

    Raises
    ------
    InputError
        The file cannot be read, is not in this encoding, or the encoding is unknown.
    """
    if str(path) == STDIN:
        yield from _split(decode(sys.stdin.buffer.read(), STDIN_NAME, encoding))
        return
    try:
        with _opened(path) as file, io.TextIOWrapper(file, encoding, newline="\n") as text:
            for line in text:
                yield line[:-1] if line.endswith("\n") else line
    except LookupError as error:
        raise InputError(f"{encoding!r} is not a known encoding. Name one such as utf-8 or latin-1.") from error
    except UnicodeDecodeError:
        # the decoder works on blocks, so only a second reading can name the line
        read_text(Path(path), encoding)
        raise


def stream_lines(path: str | Path, encoding: str = "utf-8") -> Iterator[str]:
    """Yield the lines of a file or of standard input as they arrive; only ``\\n`` ends a line.

    Each line is decoded by itself, so that all lines before a wrong byte are yielded before the error is raised.
    Encodings in which a newline is not one byte need the whole text at once.

    Parameters and errors are those of `read_lines`; a byte order mark is not part of the first line.
    """
    name = STDIN_NAME if str(path) == STDIN else str(path)
    with _opened(path) as file:
        if _encode_newline(encoding) != b"\n":
            yield from _split(decode(unpacked(file.read(), name), name, encoding))
            return
        offset = 0
        for number, line in enumerate(file, 1):
            yield _decode_line(line, name, encoding, number, offset)
            offset += len(line)


def _encode_newline(encoding: str) -> bytes:
    """The bytes of a newline; raises `InputError` if the encoding is unknown."""
    try:
        return "\n".encode(encoding)
    except LookupError as error:
        raise InputError(f"{encoding!r} is not a known encoding. Name one such as utf-8 or latin-1.") from error


def _decode_line(line: bytes, name: str, encoding: str, number: int, offset: int) -> str:
    try:
        text = line.decode("utf-8-sig" if number == 1 and encoding.lower() in ("utf-8", "utf8") else encoding)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name}:{number}: byte 0x{line[error.start]:02x} at offset {offset + error.start} is not {encoding}. "
            "Name the text's encoding with --encoding, or convert it to UTF-8, for instance with iconv."
        ) from error
    return text[:-1] if text.endswith("\n") else text


@contextmanager
def _opened(path: str | Path) -> Iterator[BinaryIO]:
    """A file or standard input for reading bytes, decompressed if it is a gzip file."""
    if str(path) == STDIN:
        yield cast(BinaryIO, sys.stdin.buffer)
        return
    try:
        with open(path, "rb") as file:
            if file.peek(len(GZIP_MAGIC)).startswith(GZIP_MAGIC):
                with gzip.open(file) as inner:
                    yield cast(BinaryIO, inner)
            else:
                yield file
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{path}: a gzip file that is damaged or cut off ({error}). Copy or pack it again.") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}.") from error


def _split(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


@dataclass(frozen=True)
class LineBlock:
    """Some whole lines of a text.

    Attributes
    ----------
    text : bytes
        UTF-8, each line with its ``\\n``.
    name : str
        The text's name, for messages.
    first : int
        1-based number of the first line.
    """

    text: bytes
    name: str
    first: int


def line_blocks(path: str | Path, encoding: str = "utf-8", size: int | None = None) -> Iterator[LineBlock]:
    """Yield a text in blocks of about `size` bytes, by default `BLOCK`, for work that is spread over processes.

    Parameters and errors are those of `stream_lines`; a line longer than `size` is a block of its own.
    """
    name = STDIN_NAME if str(path) == STDIN else str(path)
    with _opened(path) as file:
        if _encode_newline(encoding) == b"\n":
            lines, codec = file, encoding
        else:
            lines, codec = io.BytesIO(decode(unpacked(file.read(), name), name, encoding).encode()), "utf-8"
        first, offset = 1, 0
        while raw := lines.readlines(size or BLOCK):
            yield LineBlock(_decode_lines(raw, name, codec, first, offset).encode(), name, first)
            first, offset = first + len(raw), offset + sum(map(len, raw))


def _decode_lines(lines: list[bytes], name: str, encoding: str, first: int, offset: int) -> str:
    """The text of some lines, the last one of which gets a newline if it has none."""
    codec = "utf-8-sig" if first == 1 and encoding.lower() in ("utf-8", "utf8") else encoding
    try:
        text = b"".join(lines).decode(codec)
    except UnicodeDecodeError:
        for number, line in enumerate(lines, first):  # one of them has the wrong byte, and raises
            _decode_line(line, name, encoding, number, offset)
            offset += len(line)
        raise
    return text if text.endswith("\n") else f"{text}\n"
