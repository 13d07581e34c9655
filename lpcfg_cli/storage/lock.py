"""The lock that gives a run directory to one writer; the system releases it when its holder dies."""

from __future__ import annotations

import errno
import json
import os
import platform
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lpcfg_cli.errors import DirectoryInUseError, InputError

LOCK_FILE = ".lock"
PARTIAL = re.compile(r"\..+\.\d+\.partial")

LOCKED_BYTES = 1
"""Number of bytes at the start of the lock file that other processes cannot read on Windows while it is locked."""

ORPHAN_SECONDS = 5.0
"""How long to wait for a lock whose holder is dead: only worker processes of the holder can still have it."""

WITHOUT_LOCKS = {errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK}
"""Error numbers of file systems without locks, such as some of clusters."""

SETTLING_SECONDS = 0.2
"""Without locks, how long after signing the lock file a process checks whether another one has signed it too."""

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
            _unlock(folder / LOCK_FILE, descriptor)
        return
    yield


def _lock(folder: Path) -> int:
    """Lock the directory; returns the open descriptor of the lock file, which holds the lock."""
    path = folder / LOCK_FILE
    patience = time.monotonic() + ORPHAN_SECONDS
    while True:
        descriptor = _opened(path)
        if not _take(descriptor, path):
            pid, host = _holder(descriptor)
            os.close(descriptor)
            if not (pid and _is_dead(pid, host)) or time.monotonic() > patience:
                raise DirectoryInUseError(
                    f"{folder}: in use by process {pid or '?'} on {host or 'some host'} (the lock file is {path}). "
                    "Wait for it to end, or name another run directory."
                )
            time.sleep(0.05)  # its workers are about to end
        elif _is_current(descriptor, path):
            _sign(descriptor, path)
            return descriptor
        else:
            os.close(descriptor)


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise InputError(f"{path.parent}: cannot be written: {error.strerror}. Name another run directory.") from error


def _take(descriptor: int, path: Path) -> bool:
    """Try to lock an open file; returns whether that succeeded."""
    from filelock import lock_descriptor  # imported here because it is slow to import

    try:
        return lock_descriptor(descriptor, blocking=False)
    except OSError as error:
        if error.errno not in WITHOUT_LOCKS:
            os.close(descriptor)
            raise InputError(f"{path}: cannot be locked: {error.strerror}. Name another run directory.") from error
    # without locks, the content of the file decides
    pid, host = _holder(descriptor)
    if pid not in (0, os.getpid()) and not _is_dead(pid, host):
        return False
    _sign(descriptor, path)
    time.sleep(SETTLING_SECONDS)
    return _holder(descriptor) == (os.getpid(), platform.node())


def _sign(descriptor: int, path: Path) -> None:
    """Write the holder of the lock, this process, into the lock file; an error of the system names the file."""
    entry = json.dumps({"pid": os.getpid(), "host": platform.node()}).encode()
    try:
        os.truncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, b" " * LOCKED_BYTES + entry)
    except OSError as error:
        error.filename = str(path)
        raise


def _unlock(path: Path, descriptor: int) -> None:
    """Remove the lock file and release the lock."""
    try:
        # The name is removed first: a process that has opened this file then finds that it is no longer the lock.
        path.unlink(missing_ok=True)
        os.close(descriptor)
    except PermissionError:  # Windows does not remove a file that any process has open
        os.close(descriptor)
        with suppress(OSError):
            path.unlink()


def _is_current(descriptor: int, path: Path) -> bool:
    """Whether the locked file still has its name: its last holder may have removed it before it was locked."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _holder(descriptor: int) -> tuple[int, str]:
    """Process and host in the lock file; 0 and an empty string while it is being written."""
    try:
        os.lseek(descriptor, LOCKED_BYTES, os.SEEK_SET)
        entry = json.loads(os.read(descriptor, 1000))
        return int(entry["pid"]), str(entry["host"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return 0, ""


def _is_dead(pid: int, host: str) -> bool:
    """Whether a process of this host has ended; False for other hosts, about which nothing is known."""
    if host != platform.node():
        return False
    import psutil  # imported here because it is slow to import and rarely needed

    return not psutil.pid_exists(pid)


def _remove_leftovers(folder: Path) -> None:
    for path in folder.iterdir():
        if PARTIAL.fullmatch(path.name):
            path.unlink(missing_ok=True)
