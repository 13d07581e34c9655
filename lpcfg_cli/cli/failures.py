"""What the command line says of errors, and the exit status of each."""

from __future__ import annotations

import errno
import os
import sys
import traceback

import click

from lpcfg_cli.errors import WHILE, LpcfgError
from lpcfg_cli.storage.files import write_temporary
from lpcfg_cli.storage.streams import discard

EXIT_PIPE_CLOSED = 141
EXIT_SYSTEM = 74
EXIT_UNFORESEEN = 70

OF_STREAMS = {errno.ENOSPC, errno.EBADF, errno.EIO, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
"""Errors of writing; if they name no file, they are of standard output."""


def tell_error(error: Exception) -> int:
    """Say what went wrong, on standard error; returns the exit status."""
    notes = getattr(error, "__notes__", [])
    for note in notes:
        if not note.startswith(WHILE):
            _say(note)
    if isinstance(error, LpcfgError):
        _say(str(error))
        return error.exit_code
    if isinstance(error, OSError):
        return _tell_system_error(error, notes)
    _say(_unforeseen(error, next((note for note in notes if note.startswith(WHILE)), "")))
    return EXIT_UNFORESEEN


def _tell_system_error(error: OSError, notes: list[str]) -> int:
    """Say what the system refused; returns the exit status."""
    activity = next((note for note in notes if note.startswith(WHILE)), "")
    of_stream = error.filename is None and error.errno in OF_STREAMS and not activity  # results are printed at the end
    where = error.filename or ("standard output" if of_stream else activity or "the system refused")
    _say(f"{os.fsdecode(where) if isinstance(where, bytes) else where}: {error.strerror or error}")
    if of_stream:
        discard(sys.stdout)
    return EXIT_SYSTEM


def _unforeseen(error: Exception, activity: str) -> str:
    """One line about an error that nobody foresaw; the traceback goes to a file that it names."""
    activity = activity or f"{WHILE} running `lpcfg {' '.join(sys.argv[1:])}`"
    said = " ".join(str(error).split())[:300]
    what = f"memory ran out {activity}" if isinstance(error, MemoryError) else f"error {activity}"
    is_fault = not isinstance(error, MemoryError)
    advice = (
        "This is a fault of lpcfg: report it." if is_fault else "Use fewer --jobs, fewer states or shorter sentences."
    )
    return f"{what}: {type(error).__name__}{': ' if said else ''}{said}. {advice} {_save_traceback(error)}"


def _save_traceback(error: Exception) -> str:
    """Write the traceback to a file of its own; returns a sentence that says where."""
    text = "".join(traceback.format_exception(error))
    try:
        path = write_temporary(f"lpcfg {' '.join(sys.argv[1:])}\n{text}", ".traceback")
    except OSError:
        return f"The traceback could not be kept; it ends in: {text.splitlines()[-2].strip()}"
    return f"The traceback is in {path}"


def _say(message: str) -> None:
    click.echo(f"lpcfg: {message}", err=True)


def end_without_reader() -> int:
    """Discard further output without a message, because its reader has closed it; returns the exit status."""
    discard(sys.stdout)
    return EXIT_PIPE_CLOSED
