"""Lines of a text file, read one after the other, without the whole file in memory."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

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
        lines = file
        if "\n".encode(used.removesuffix("-sig")) != b"\n":
            lines, head = io.BytesIO(decode(head + file.read(), name, used).encode()), b""
            used = "utf-8"
        first, offset = 1, 0
        while raw := ([head] if head else []) + lines.readlines(size or BLOCK):
            head = b""
            yield LineBlock(_decode_lines(raw, name, used, first, offset).encode(), name, first)
            used = used.removesuffix("-sig")
            first, offset = first + len(raw), offset + sum(map(len, raw))


def _decode_lines(lines: list[bytes], name: str, encoding: str, first: int, offset: int) -> str:
    """The text of some lines, the last one of which gets a newline if it has none."""
    try:
        text = b"".join(lines).decode(encoding)
    except UnicodeDecodeError:
        for number, line in enumerate(lines, first):  # one of them has the wrong byte, and raises
            _decode_line(line, name, encoding, number, offset, "stop")
            offset += len(line)
        raise
    if (place := text.find("\0")) >= 0:
        raise nul_character(name, first + text.count("\n", 0, place), place - text.rfind("\n", 0, place))
    return text if text.endswith("\n") else f"{text}\n"
