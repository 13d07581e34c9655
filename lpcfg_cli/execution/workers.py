"""Maps that spread work over processes: the same results in the same order, however many there are.

Tasks and results are pickled, so functions given to these maps stand at the top of a module, and what is large
travels as a `FileValue`: the name of a file, read once in each process.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Protocol

from lpcfg_cli.errors import ConfigError, WorkerError
from lpcfg_cli.storage.files import sha256_of_file

Mapper = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
"""Like `map` with one iterable: results come in the order of the items."""

START_METHOD_VARIABLE = "LPCFG_START_METHOD"
MOST_ON_WINDOWS = 61
"""Processes that a pool can wait for there."""

WINDOW = 4
"""Tasks handed out and not yet collected, for each worker: bounds memory, and hides that tasks differ in length."""


@dataclass(frozen=True)
class FileValue:
    """What a function reads from a file; pickled as the function and the file's name, and read once a process.

    Attributes
    ----------
    read : function of (path, *arguments)
        Stands at the top of a module.
    path : Path
    digest : str
        SHA-256 of the file: a worker that finds another file there must not go on.
    arguments : tuple
        Hashable.
    """

    read: Callable[..., Any]
    path: Path
    digest: str
    arguments: tuple[Any, ...] = ()

    @classmethod
    def load(cls, read: Callable[..., Any], path: Path, *arguments: Any) -> FileValue:
        """Read the file in this process; processes forked from it have it without reading."""
        content = read(path, *arguments)
        value = cls(read, path.absolute(), sha256_of_file(path), arguments)
        with _KEEPING:
            value._keep(content)
        return value

    def get(self) -> Any:
        """The value; `WorkerError` when the file is not the one that the main process read."""
        with _KEEPING:
            if self not in _KEPT:
                if sha256_of_file(self.path) != self.digest:
                    raise WorkerError(f"{self.path}: has changed since this run began. Run the command again.")
                self._keep(self.read(self.path, *self.arguments))
            return _KEPT[self]

    def forget(self) -> None:
        """Let the memory go, once no more tasks need the value."""
        with _KEEPING:
            _KEPT.pop(self, None)

    def _keep(self, content: Any) -> None:
        """Keep one value of each kind: a worker that serves many runs must not fill up."""
        for other in [other for other in _KEPT if other.read is self.read]:
            del _KEPT[other]
        _KEPT[self] = content


_KEPT: dict[FileValue, Any] = {}
_KEEPING = threading.Lock()


class _Future(Protocol):
    def result(self) -> Any: ...

    def cancel(self) -> Any: ...


def map_in_order(
    submit: Callable[[Callable[[Any], Any], Any], _Future],
    window: int,
    function: Callable[[Any], Any],
    items: Iterable[Any],
) -> Iterator[Any]:
    """Yield ``function(item)`` of each item in order, with at most `window` results awaited at any time.

    Parameters
    ----------
    submit : function of (function, item) to a future
    window : int
        Items are taken from `items` only as results are taken from here.
    function, items
        As for `map`.
    """
    pending: deque[_Future] = deque()
    try:
        for item in items:
            pending.append(submit(function, item))
            if len(pending) >= window:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        for future in pending:
            future.cancel()


@contextmanager
def local_workers(jobs: int, start_method: str | None = None) -> Iterator[Mapper]:
    """A map over processes of this machine; plain `map` for one job.

    Parameters
    ----------
    jobs : int
        Number of processes; 0 for one a core.
    start_method : {"fork", "spawn", "forkserver"}, optional
        As in `multiprocessing`; default `choose_start_method`.

    Raises
    ------
    WorkerError
        From the map: a worker was killed.
    """
    jobs = jobs or count_cores()
    if jobs == 1:
        yield map
        return
    if sys.platform == "win32":
        jobs = min(jobs, MOST_ON_WINDOWS)
    context = multiprocessing.get_context(start_method or choose_start_method())
    executor = ProcessPoolExecutor(jobs, context, _prepare_worker)
    try:
        yield lambda function, items: map_in_order(executor.submit, WINDOW * jobs, function, items)
    except BrokenProcessPool as error:
        raise WorkerError(
            "a worker process ended before its work was done: killed, or out of memory? "
            "Run the command again, with fewer --jobs if memory is short."
        ) from error
    finally:
        executor.shutdown(cancel_futures=True)


def count_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def choose_start_method() -> str:
    """How workers start: as the user or the calling program says, else the fastest way that is safe.

    That is fork on Linux while this process has one thread: workers then share the model and the compiled kernels
    with it.  Elsewhere it is spawn: forked copies of other threads' locks may never open.
    """
    wanted = os.environ.get(START_METHOD_VARIABLE) or multiprocessing.get_start_method(allow_none=True)
    known = multiprocessing.get_all_start_methods()
    if wanted and wanted not in known:
        raise ConfigError(f"{START_METHOD_VARIABLE} is {wanted!r}; expected one of {', '.join(known)}.")
    may_fork = sys.platform == "linux" and threading.active_count() == 1
    return wanted or ("fork" if may_fork else "spawn")


def _prepare_worker() -> None:
    """Leave Ctrl-C to the main process, and end when it has ended, however that came about."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
