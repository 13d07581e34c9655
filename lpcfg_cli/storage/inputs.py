"""Inputs that are not files: standard input, and pipes and terminals, whose data arrive over time."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import BinaryIO, cast

from lpcfg_cli.errors import InputError

STDIN = "-"
"""The path that stands for standard input."""

STDIN_NAME = "<stdin>"

_remembered: list[tuple[object, bytes]] = []
"""Standard input once it has been read to its end, and the stream it was read from."""


def input_name(path: str | Path) -> str:
    """The name of an input in messages."""
    return STDIN_NAME if str(path) == STDIN else str(path)


def standard_input() -> BinaryIO:
    """Standard input as bytes; for a pipe or a terminal, a stream of its own.

    A thread that waits for it can then be left behind when the program ends: Python itself closes `sys.stdin` then,
    which it cannot do while a thread reads from it.
    """
    if is_live(STDIN):
        return open(os.dup(sys.stdin.fileno()), "rb")
    return cast(BinaryIO, sys.stdin.buffer)


def read_bytes(path: str | Path) -> bytes:
    """The bytes of a file, or of standard input, which is read once and remembered.

    Raises
    ------
    InputError
        It cannot be read.
    """
    try:
        return _read_standard_input() if str(path) == STDIN else Path(path).read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: str | Path, error: OSError) -> InputError:
    """The error for an input that the system does not let us read."""
    return InputError(f"{input_name(path)}: cannot be read: {error.strerror or error}.")


def _read_standard_input() -> bytes:
    if not _remembered or _remembered[0][0] is not sys.stdin:
        _remembered[:] = [(sys.stdin, sys.stdin.buffer.read())]
    return _remembered[0][1]


def is_live(path: str | Path) -> bool:
    """Whether data arrive over time: from a pipe, a socket or a terminal, not from a file."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode if str(path) == STDIN else os.stat(path).st_mode
    except (OSError, ValueError):  # a stream of a program that has no descriptor
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISCHR(mode)
