"""How long loops tell how far they are, without knowing who listens."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

Item = TypeVar("Item")


class Progress(Protocol):
    """Gives items back one by one and may show how many have been taken."""

    def __call__(
        self, items: Iterable[Item], description: str, total: int | None = None, unit: str = "it"
    ) -> Iterable[Item]:
        """The same items.

        Parameters
        ----------
        items : iterable
        description : str
            What is being done with them.
        total : int, optional
            How many there are.
        unit : str
            What one of them is.
        """


def no_progress(items: Iterable[Item], description: str, total: int | None = None, unit: str = "it") -> Iterable[Item]:
    """Show nothing."""
    return items
