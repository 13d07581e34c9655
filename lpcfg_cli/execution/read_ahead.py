"""Items that arrive over time, such as sentences from a pipe: what has arrived is told from what is still to come."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator
from typing import Generic, Protocol, TypeVar, runtime_checkable

Item = TypeVar("Item")

MOST_AHEAD = 1024
"""Largest number of items that have been read and not been taken: it bounds memory."""


@runtime_checkable
class Arriving(Protocol):
    """An iterator that can tell whether it would have to wait."""

    def is_ready(self) -> bool:
        """Whether the next item, or the end, is there without waiting."""


def is_ready(items: object) -> bool:
    """Whether the next item of an iterator is there without waiting, as far as it can tell."""
    return not isinstance(items, Arriving) or items.is_ready()


class ReadAhead(Iterator[Item], Generic[Item]):
    """The items of an iterator, which a thread takes from it as they come.

    The thread starts with the first call.  Processes must be forked before, because a lock that the thread holds would
    never be released in them.  If the iterator raises an error, it is raised after the items before it.

    Parameters
    ----------
    items : iterable
        Used by the thread alone.
    """

    def __init__(self, items: Iterable[Item]):
        self._items = items
        self._arrived: queue.Queue[tuple[list[Item], BaseException | None]] = queue.Queue(MOST_AHEAD)
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None

    def is_ready(self) -> bool:
        """Whether the next item, or the end, has arrived."""
        self._start()
        return self._error is not None or not self._arrived.empty()

    def __next__(self) -> Item:
        self._start()
        if self._error is None:
            item, self._error = self._arrived.get()
            if item:
                return item[0]
        assert self._error is not None
        raise self._error

    def _start(self) -> None:
        if self._thread is None:
            # a daemon, because a read from a pipe cannot be ended when the program ends
            self._thread = threading.Thread(target=self._read, daemon=True)
            self._thread.start()

    def _read(self) -> None:
        try:
            for item in self._items:
                self._arrived.put(([item], None))
            self._arrived.put(([], StopIteration()))
        except BaseException as error:
            self._arrived.put(([], error))
