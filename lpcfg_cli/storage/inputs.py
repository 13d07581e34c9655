"""Inputs whose data arrive over time: pipes, sockets and terminals."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

STDIN = "-"
"""The path that stands for standard input."""


def is_live(path: str | Path) -> bool:
    """Whether data arrive over time: from a pipe, a socket or a terminal, not from a file."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode if str(path) == STDIN else os.stat(path).st_mode
    except (OSError, ValueError):  # there is no such file, or a stream of a program that has no descriptor
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISCHR(mode)
