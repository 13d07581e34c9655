"""The run's log, ``log.json``: times, memory and host, which may differ between two runs with the same results."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lpcfg_cli import __version__
from lpcfg_cli.execution.stopwatch import Spent, Stopwatch, peak_megabytes
from lpcfg_cli.storage.files import read_bytes_if_any, write_text
from lpcfg_cli.storage.lock import sole_writer

LOG_FILE = "log.json"


@contextmanager
def logged(run: Path, stage: str) -> Iterator[dict[str, Any]]:
    """Time a stage under the lock of the run directory, and add it to the run's log if it succeeds.

    Yields
    ------
    dict
        The log entry, to which the caller may add items.

    Raises
    ------
    DirectoryInUseError
        Another process is writing there.
    """
    watch = Stopwatch()
    entry: dict[str, Any] = {"stage": stage}
    if not run.is_dir():  # the stage itself gives the better error message
        yield entry
        return
    with sole_writer(run):
        yield entry
        _note(run, entry, watch.lap())


def _note(run: Path, entry: dict[str, Any], spent: Spent) -> None:
    entry.update(
        seconds=round(spent.seconds, 3),
        cpu_seconds=round(spent.cpu_seconds, 3),
        peak_megabytes=peak_megabytes(),
        finished=datetime.now(UTC).isoformat(timespec="seconds"),
        host=platform.node(),
        version=__version__,
    )
    path = run / LOG_FILE
    write_text(path, json.dumps([*read_log(path), entry], ensure_ascii=False, indent=1) + "\n")


def read_log(path: Path) -> list[dict[str, Any]]:
    """The entries of a log; an empty list if the log is absent or damaged."""
    try:
        entries = json.loads(read_bytes_if_any(path))
    except (ValueError, RecursionError):
        return []
    return entries if isinstance(entries, list) else []
