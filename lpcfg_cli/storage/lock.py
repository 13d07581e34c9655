"""The lock that gives a run directory to one writer; the system releases it when its holder dies."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lpcfg_cli.errors import DirectoryInUseError, InputError

LOCK_FILE = ".lock"
PARTIAL = re.compile(r"\..+\.\d+\.partial")

ORPHAN_SECONDS = 5.0
"""How long to wait for a lock whose holder is dead: only worker processes of the holder can still have it."""

_held: dict[Path, int] = {}
"""How many times this process has locked each directory; a stage inside a training run locks it again."""


@contextmanager
def sole_writer(folder: Path) -> Iterator[None]:
    """Keep other processes from writing into a directory, and remove unfinished files of processes that were killed.

    Raises
    ------
    DirectoryInUseError
        Another process is writing there.
    InputError
        The directory cannot be written.
    """
    key = folder.resolve()
    if key not in _held:
        descriptor = _lock(folder)
        try:
            _held[key] = 1
            _remove_leftovers(folder)
            yield
        finally:
            del _held[key]
            # the name goes first: who opened this very file meanwhile finds that it is no longer the lock
            (folder / LOCK_FILE).unlink(missing_ok=True)
            os.close(descriptor)
        return
    yield


def _lock(folder: Path) -> int:
    """An open descriptor of the lock file that holds its lock."""
    path = folder / LOCK_FILE
    patience = time.monotonic() + ORPHAN_SECONDS
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise InputError(f"{folder}: cannot be written: {error.strerror}. Name another run directory.") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            pid, host = _holder(descriptor)
            os.close(descriptor)
            if _is_dead(pid, host) and time.monotonic() < patience:
                time.sleep(0.05)  # its workers are about to end
                continue
            raise DirectoryInUseError(
                f"{folder}: in use by process {pid or '?'} on {host or 'some host'} ({error.strerror}). "
                "Wait for it to end, or name another run directory."
            ) from error
        if _is_current(descriptor, path):
            break
        os.close(descriptor)
    os.truncate(descriptor, 0)
    os.pwrite(descriptor, json.dumps({"pid": os.getpid(), "host": platform.node()}).encode(), 0)
    return descriptor


def _is_current(descriptor: int, path: Path) -> bool:
    """Whether the locked file still has its name: its last holder may have removed it before it was locked."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _holder(descriptor: int) -> tuple[int, str]:
    """Process and host that the lock file tells; 0 and nothing while it is being written."""
    try:
        entry = json.loads(os.pread(descriptor, 1000, 0))
        return int(entry["pid"]), str(entry["host"])
    except (ValueError, TypeError, KeyError):
        return 0, ""


def _is_dead(pid: int, host: str) -> bool:
    if not pid or host != platform.node():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def _remove_leftovers(folder: Path) -> None:
    for path in folder.iterdir():
        if PARTIAL.fullmatch(path.name):
            path.unlink(missing_ok=True)
