"""Lines of a text file, read one after the other, without the whole file in memory."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from lpcfg_cli.treebank.encodings import decode, encoding_of, nul_character, wrong_byte
from lpcfg_cli.treebank.escaped_bytes import HANDLER
from lpcfg_cli.treebank.sources import HEAD, is_stream, opened, read_bytes, source_name

BLOCK = 1 << 22
"""Size of the blocks of `line_blocks`, in bytes."""


def read_lines(path: str | Path, encoding: str = "utf-8") -> Iterator[str]:
    """Yield the lines of a file without their newline; only ``\\n`` ends a line.

    Parameters
    ----------
    path : path
        A file, possibly compressed; or a pipe or `STDIN`, which are read to their end first and kept.
    encoding : str
        Name of a codec; a byte order mark overrides it.

    Raises
    ------
    InputError
        The file cannot be read, is not text in this encoding, or the encoding is unknown.
    """
    name = source_name(path)
    if is_stream(path):
        yield from _split(decode(read_bytes(path), name, encoding))
        return
    with opened(path) as file:
        used = encoding_of(file.peek(HEAD)[:HEAD], encoding)  # type: ignore[attr-defined]
        try:
            with io.TextIOWrapper(file, used, newline="\n") as text:
                for number, line in enumerate(text, 1):
                    if "\0" in line:
                        raise nul_character(name, number, line.index("\0") + 1)
                    yield line[:-1] if line.endswith("\n") else line
        except UnicodeDecodeError:
            # the decoder works on blocks, so only a second reading can name the line
            decode(read_bytes(path), name, encoding)
            raise


def stream_lines(path: str | Path, encoding: str = "utf-8", on_error: str = "stop") -> Iterator[str]:
    """Yield the lines of a file, a pipe or standard input as they arrive; only ``\\n`` ends a line.

    Each line is decoded by itself, so that all lines before a wrong byte are yielded before the error is raised.
    Encodings in which a newline is not one byte need the whole text at once.

    Parameters
    ----------
    path, encoding
        As for `read_lines`; a byte order mark is not part of the first line.
    on_error : {"stop", "skip"}
        As for `decode`; a NUL character stays in its line.

    Raises
    ------
    InputError
        As `read_lines`.
    """
    name = source_name(path)
    with opened(path) as file:
        first = file.readline()
        used = encoding_of(first, encoding)
        if "\n".encode(used.removesuffix("-sig")) != b"\n":
            yield from _split(decode(first + file.read(), name, used, on_error))
            return
        offset = 0
        for number, line in enumerate(chain([first] if first else [], file), 1):
            yield _decode_line(line, name, used if number == 1 else used.removesuffix("-sig"), number, offset, on_error)
            offset += len(line)


def _decode_line(line: bytes, name: str, encoding: str, number: int, offset: int, on_error: str) -> str:
    try:
        text = line.decode(encoding, HANDLER if on_error == "skip" else "strict")
    except UnicodeDecodeError as error:
        raise wrong_byte(name, number, line[error.start], offset + error.start, error.encoding) from error
    return text[:-1] if text.endswith("\n") else text


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
    name = source_name(path)
    with opened(path) as file:
        head = file.readline()
        used = encoding_of(head, encoding)
        lines: BinaryIO = file
        if "\n".encode(used.removesuffix("-sig")) != b"\n":
            lines, head = io.BytesIO(decode(head + file.read(), name, used).encode()), b""
            used = "utf-8"
        first, offset = 1, 0
        while raw := head + _whole_lines(lines, size or BLOCK):
            head = b""
            yield LineBlock(_as_utf8(raw, name, used, first, offset), name, first)
            used = used.removesuffix("-sig")
            first, offset = first + raw.count(b"\n"), offset + len(raw)


def _whole_lines(file: BinaryIO, size: int) -> bytes:
    text = file.read(size)
    return text if text.endswith(b"\n") else text + file.readline()


def _as_utf8(raw: bytes, name: str, encoding: str, first: int, offset: int) -> bytes:
    """Some lines in UTF-8, the last one of which gets a newline if it has none."""
    is_utf8 = codecs.lookup(encoding).name == "utf-8"
    try:
        text = raw if is_utf8 and raw.isascii() else raw.decode(encoding)
    except UnicodeDecodeError:
        for number, line in enumerate(io.BytesIO(raw), first):  # one of them has the wrong byte, and raises
            _decode_line(line, name, encoding, number, offset, "stop")
            offset += len(line)
        raise
    utf8 = raw if is_utf8 else str(text).encode()
    if (place := utf8.find(b"\0")) >= 0:
        before = utf8[utf8.rfind(b"\n", 0, place) + 1 : place].decode()
        raise nul_character(name, first + utf8.count(b"\n", 0, place), len(before) + 1)
    return utf8 if utf8.endswith(b"\n") else utf8 + b"\n"
