"""A cache of the values used last (LRU), with bounded memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """Values by key; beyond the limit, the value that has not been used for the longest time is removed.

    Parameters
    ----------
    limit : int
        Largest number of values, at least 1.
    """

    def __init__(self, limit: int):
        self.limit = limit
        self._kept: OrderedDict[Key, Value] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """The value of a key; it is made if it is not in the cache."""
        try:
            value = self._kept[key]
        except KeyError:
            value = self._kept[key] = make()
            if len(self._kept) > self.limit:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(key)
        return value
