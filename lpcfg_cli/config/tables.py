"""One table a kind: the things of a kind by name, from which choices, checks and help are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Generic, Protocol, TypeVar

from lpcfg_cli.config.checks import one_of


class Named(Protocol):
    """What can stand in a table."""

    @property
    def name(self) -> str:
        """The name it is chosen by."""

    @property
    def summary(self) -> str:
        """What it is, in one line."""


T = TypeVar("T", bound=Named)

TABLES: dict[str, Table[Any]] = {}
"""The tables that have been made, by kind: settings are checked against those that are there.

Tables stand in the rooms of what they list, above this one, so they come here instead of being imported.  A name that
is given before its table is there is checked when it is looked up.
"""


class Table(Mapping[str, T], Generic[T]):
    """The things of one kind by name, in the order in which they are shown.

    Parameters
    ----------
    kind : str
        What they are, in the singular.
    *entries
        The things.
    """

    def __init__(self, kind: str, *entries: T):
        self.kind = kind
        self._entries: dict[str, T] = {}
        for entry in entries:
            self.add(entry)
        TABLES[kind] = self

    def add(self, entry: T) -> T:
        """Add a thing whose name is new; returns it."""
        if entry.name in self._entries:
            raise ValueError(f"there is a {self.kind} {entry.name!r} already")
        self._entries[entry.name] = entry
        return entry

    def remove(self, name: str) -> None:
        """Take a thing out."""
        del self._entries[name]

    def named(self, name: str, where: str = "") -> T:
        """The thing of that name.

        Parameters
        ----------
        name : str
        where : str
            Which setting or option names it, for the message.

        Raises
        ------
        ConfigError
            There is none; the message lists all and suggests the nearest.
        """
        one_of(where or self.kind, name, tuple(self))
        return self._entries[name]

    def __getitem__(self, name: str) -> T:
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


Kinds = str | tuple[str, ...]
"""One kind of thing, or several of which any will do."""


def known_names(kinds: Kinds, also: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The words that are allowed besides names, and the names in the tables of these kinds that are there."""
    wanted = (kinds,) if isinstance(kinds, str) else kinds
    return (*also, *(name for kind in wanted if kind in TABLES for name in TABLES[kind]))


def known_name(where: str, names: str | tuple[str, ...], kinds: Kinds, also: tuple[str, ...] = ()) -> None:
    """Raise a `ConfigError` if the tables of these kinds are there and none has such a name.

    Parameters
    ----------
    where : str
        The setting, for the message.
    names : str or tuple of str
        One name, or several.
    kinds : str or tuple of str
    also : tuple of str
        Words that are allowed besides the tables' names.
    """
    if known_names(kinds):
        for name in (names,) if isinstance(names, str) else names:
            one_of(where, name, known_names(kinds, also))
