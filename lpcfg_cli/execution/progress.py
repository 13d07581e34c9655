"""The interface by which long loops report their progress."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

Item = TypeVar("Item")


class Progress(Protocol):
    """Passes items on one by one, and may show how many have been taken."""

    def __call__(
        self, items: Iterable[Item], description: str, total: int | None = None, unit: str = "it"
    ) -> Iterable[Item]:
        """The same items.

        Parameters
        ----------
        items : iterable
        description : str
            The work done on them.
        total : int, optional
            Number of items.
        unit : str
            Name of one item.
        """


def no_progress(items: Iterable[Item], description: str, total: int | None = None, unit: str = "it") -> Iterable[Item]:
    """The same items; shows nothing."""
    return items
