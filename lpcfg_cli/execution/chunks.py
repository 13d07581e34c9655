"""Tasks made of several items, such as sentences, for workers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

from lpcfg_cli.errors import LpcfgError
from lpcfg_cli.execution.read_ahead import Arriving, is_ready
from lpcfg_cli.execution.workers import Mapper

Item = TypeVar("Item")
Task = TypeVar("Task")
Result = TypeVar("Result")

CHUNK = 16
"""Largest number of items in one task; there are fewer if no more have arrived."""


class Chunks(Iterator[Task], Generic[Item, Task]):
    """Tasks of up to `CHUNK` items, fewer if no more have arrived.

    An `LpcfgError` ends the tasks, after the items before it, and is kept.

    Parameters
    ----------
    items : iterable
    make : function of a list of items to a task

    Attributes
    ----------
    error : LpcfgError or None
        The error that ended reading.
    seconds : float
        Wall time of reading.
    """

    def __init__(self, items: Iterable[Item], make: Callable[[list[Item]], Task]):
        self._items = iter(items)
        self._make = make
        self.error: LpcfgError | None = None
        self.seconds = 0.0

    def is_ready(self) -> bool:
        """Whether an item, or the end, has arrived."""
        return self.error is not None or is_ready(self._items)

    def __next__(self) -> Task:
        chunk: list[Item] = []
        began = time.perf_counter()
        try:
            while self.error is None and len(chunk) < CHUNK and not (chunk and not self.is_ready()):
                chunk.append(next(self._items))
        except StopIteration:
            pass
        except LpcfgError as error:
            self.error = error
        self.seconds += time.perf_counter() - began
        if not chunk:
            raise StopIteration
        return self._make(chunk)


def over_chunks(
    work: Callable[[Task], Result], items: Iterable[Item], make: Callable[[list[Item]], Task], mapper: Mapper
) -> Iterator[tuple[Result, float]]:
    """Do tasks made of items, in order.

    Parameters
    ----------
    work : function of a task to a result
        Defined at the top level of a module.
    items : iterable
    make : function of a list of items to a task
    mapper : callable like map
        Spreads the tasks over workers.

    Yields
    ------
    result
    seconds : float
        Wall time since the first task, without that of reading.

    Raises
    ------
    LpcfgError
        Reading the items failed; the results of those before it have been given.
    """
    start_workers(mapper, items)
    chunks = Chunks(items, make)
    began = time.perf_counter()
    for result in mapper(work, chunks):
        yield result, time.perf_counter() - began - chunks.seconds
    if chunks.error is not None:
        raise chunks.error


def start_workers(mapper: Mapper, items: Iterable[Item]) -> None:
    """Start worker processes before a thread reads the items: they are forked, and a forked lock is never released."""
    if isinstance(items, Arriving):
        list(mapper(_start, [None]))


def _start(nothing: None) -> None:
    """A task by which worker processes are started."""
