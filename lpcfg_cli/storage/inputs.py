"""Inputs whose data arrive over time: pipes, sockets and terminals."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

STDIN = "-"
"""The path that stands for standard input."""


def is_live(path: str | Path) -> bool:
    """Whether data arrive over time: from a pipe, a socket or a terminal, not from a file."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode if str(path) == STDIN else os.stat(path).st_mode
    except (OSError, ValueError):  # there is no such file, or a stream of a program that has no descriptor
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISCHR(mode)


def open_live_stdin() -> BinaryIO:
    """A reader of its own for standard input, in place of `sys.stdin`.

    A thread that waits for data can then be left behind when the program ends: Python closes `sys.stdin` at its end,
    which ends in a crash while a thread reads from it.
    """
    return os.fdopen(os.dup(sys.stdin.fileno()), "rb")


class LiveLines(Iterator[str]):
    """The lines of an input whose data arrive over time; who wrote a line may wait for the answer to it."""

    def __init__(self, lines: Iterable[str]):
        self._lines = iter(lines)

    def __next__(self) -> str:
        return next(self._lines)
