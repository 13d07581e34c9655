"""Lines of a text file, one after the other, for readers that must not hold the whole file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from lpcfg_cli.errors import InputError
from lpcfg_cli.treebank.files import decode, read_text

STDIN = "-"
"""The path that stands for standard input."""


def read_lines(path: str | Path, encoding: str = "utf-8-sig") -> Iterator[str]:
    """Yield the lines of a file without their newline; only ``\\n`` ends a line.

    Parameters
    ----------
    path : path
        A file, or `STDIN`, which is read to its end first.
    encoding : str
        Name of a codec.

    Raises
    ------
    InputError
        The file cannot be read, is not in this encoding, or the encoding is unknown.
    """
    if str(path) == STDIN:
        yield from _split(decode(sys.stdin.buffer.read(), "<stdin>", encoding))
        return
    try:
        with open(path, encoding=encoding, newline="\n") as file:
            for line in file:
                yield line[:-1] if line.endswith("\n") else line
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}.") from error
    except LookupError as error:
        raise InputError(f"{encoding!r} is no known encoding. Name one such as utf-8 or latin-1.") from error
    except UnicodeDecodeError:
        # the decoder works on blocks, so only a second reading can name the line
        read_text(Path(path), encoding)
        raise


def _split(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines
