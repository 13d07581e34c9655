"""The standard streams of a command: they may be closed, or not able to show the name of a file."""

from __future__ import annotations

import os
import sys
from typing import TextIO


def prepare_streams() -> None:
    """Make the standard streams usable: those that are closed, and for names that are not in their encoding.

    A closed stream gets a descriptor of its own, so that no file that is opened later takes its number: standard output
    one that cannot be written, so that results are never lost without an error, and standard input one that cannot be
    read.  What cannot be encoded is written with backslashes, and ASCII is taken for UTF-8, which it is part of.
    """
    for name, number, flags in (("stdin", 0, os.O_WRONLY), ("stdout", 1, os.O_RDONLY), ("stderr", 2, os.O_WRONLY)):
        if getattr(sys, name) is None:
            _occupy(number, flags)
            setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False))
    for stream in (sys.stdout, sys.stderr):
        is_ascii = stream.encoding.lower() in ("ascii", "us-ascii", "ansi_x3.4-1968")
        stream.reconfigure(encoding="utf-8" if is_ascii else None, errors="backslashreplace")  # type: ignore[union-attr]


def _occupy(number: int, flags: int) -> None:
    """Open the null device under the number of a closed descriptor."""
    descriptor = os.open(os.devnull, flags)
    if descriptor != number:
        os.dup2(descriptor, number)
        os.close(descriptor)


def discard(stream: TextIO) -> None:
    """Let what is still to be written to a stream go nowhere, so that no second error comes at the end."""
    try:
        descriptor = stream.fileno()
    except (OSError, ValueError):
        return
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, descriptor)
    os.close(null)
