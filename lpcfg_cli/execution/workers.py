"""Maps that spread work over processes: the results and their order do not depend on the number of processes.

Tasks and results are pickled.  So functions given to these maps must be defined at the top level of a module, and large
values are passed as a `FileValue`: the name of a file that each process reads once.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Protocol

from lpcfg_cli.errors import ConfigError, WorkerError
from lpcfg_cli.execution.environment import stay_single_threaded
from lpcfg_cli.execution.read_ahead import is_ready
from lpcfg_cli.storage.files import sha256_of_file

Mapper = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
"""Like `map` with one iterable: results come in the order of the items."""

START_METHOD_VARIABLE = "LPCFG_START_METHOD"
MOST_ON_WINDOWS = 61
"""Largest number of processes that a pool can wait for on Windows."""

WINDOW = 4
"""Largest number of unfinished or uncollected tasks for each worker: it bounds memory, and is large enough that workers
do not wait when tasks differ in length."""


@dataclass(frozen=True)
class FileValue:
    """A value that a function reads from a file; pickled as function and file name, and read once in each process.

    Attributes
    ----------
    read : function of (path, *arguments)
        Defined at the top level of a module.
    path : Path
    digest : str
        SHA-256 of the file, and of those in `beside`: a worker that finds another content raises an error.
    arguments : tuple
        Hashable.
    beside : tuple of Path
        Further files that `read` finds by itself.
    """

    read: Callable[..., Any]
    path: Path
    digest: str
    arguments: tuple[Any, ...] = ()
    beside: tuple[Path, ...] = ()

    @classmethod
    def load(cls, read: Callable[..., Any], path: Path, *arguments: Any, beside: Sequence[Path] = ()) -> FileValue:
        """Read the file in this process; processes forked from it share the value without reading it."""
        content = read(path, *arguments)
        own, others = path.absolute(), tuple(other.absolute() for other in beside)
        value = cls(read, own, _digest(own, *others), arguments, others)
        with _KEEPING:
            value._keep(content)
        return value

    def get(self) -> Any:
        """The value; raises `WorkerError` if a file is not the one that the main process read."""
        with _KEEPING:
            if self not in _KEPT:
                if _digest(self.path, *self.beside) != self.digest:
                    names = " or ".join(map(str, (self.path, *self.beside)))
                    raise WorkerError(f"{names}: has changed since this run began. Run the command again.")
                self._keep(self.read(self.path, *self.arguments))
            return _KEPT[self]

    def forget(self) -> None:
        """Free the memory, once no more tasks need the value."""
        with _KEEPING:
            _KEPT.pop(self, None)

    def _keep(self, content: Any) -> None:
        """Keep only the last value of each read function, so that a worker that serves many runs does not fill up."""
        for other in [other for other in _KEPT if other.read is self.read]:
            del _KEPT[other]
        _KEPT[self] = content


def _digest(*paths: Path) -> str:
    return " ".join(sha256_of_file(path) for path in paths)


def value_of(source: Any) -> Any:
    """The value of a `FileValue`, or the source itself, which then is the value."""
    return source.get() if isinstance(source, FileValue) else source


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
    """Yield ``function(item)`` for each item in order, with at most `window` tasks submitted ahead.

    Parameters
    ----------
    submit : function of (function, item) to a future
    window : int
        At least 1.  Further items are taken from `items` only after results have been taken from this iterator.
    function, items
        As for `map`.  While `Arriving` items would have to be waited for, results are yielded first.
    """
    pending: deque[_Future] = deque()
    coming = iter(items)
    try:
        while True:
            while pending and (len(pending) >= window or not is_ready(coming)):
                yield pending.popleft().result()
            try:
                pending.append(submit(function, next(coming)))
            except StopIteration:
                break
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
        Number of processes; 0 for one on each core.
    start_method : {"fork", "spawn", "forkserver"}, optional
        As in `multiprocessing`; by default the result of `choose_start_method`.

    Raises
    ------
    WorkerError
        While the map is used: a worker process was killed.
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
            "a worker process ended before its work was done: it was killed, or memory ran out. "
            "Run the command again, with fewer --jobs if memory is short."
        ) from error
    finally:
        executor.shutdown(cancel_futures=True)


def count_cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def choose_start_method() -> str:
    """The start method of workers: the one chosen by the user or the calling program, else the fastest safe one.

    On Linux, while this process has one thread, that is fork: workers then share the model and the compiled kernels
    with it.  Otherwise it is spawn, because a lock that another thread holds is never released in a forked process.
    """
    wanted = os.environ.get(START_METHOD_VARIABLE) or multiprocessing.get_start_method(allow_none=True)
    known = multiprocessing.get_all_start_methods()
    if wanted and wanted not in known:
        raise ConfigError(f"{START_METHOD_VARIABLE} is {wanted!r}; expected one of {', '.join(known)}.")
    may_fork = sys.platform == "linux" and threading.active_count() == 1
    return wanted or ("fork" if may_fork else "spawn")


def _prepare_worker() -> None:
    """Follow the main process, and use one core."""
    follow_parent()
    stay_single_threaded()


def follow_parent() -> None:
    """Ignore Ctrl-C, which the main process handles, and end as soon as it has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
