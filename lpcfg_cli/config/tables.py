"""Tables of named entries of one kind, such as learners: the source of option choices, checks and help."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Generic, Protocol, TypeVar

from lpcfg_cli.config.fields import Kinds, one_of


class Named(Protocol):
    """The interface of an entry of a table."""

    @property
    def name(self) -> str:
        """The name by which it is chosen."""

    @property
    def summary(self) -> str:
        """One line that describes it."""


T = TypeVar("T", bound=Named)

TABLES: dict[str, Table[Any]] = {}
"""The tables that have been created, by kind; settings are checked against them.

A table is defined in the folder of its entries, which imports this one; so it is registered here instead of being
imported.  A name that is set before its table exists is checked when it is looked up.
"""


class Table(Mapping[str, T], Generic[T]):
    """The entries of one kind by name, in the order in which they are listed.

    Parameters
    ----------
    kind : str
        Name of the kind, in the singular.
    *entries
        The entries.
    """

    def __init__(self, kind: str, *entries: T):
        self.kind = kind
        self._entries: dict[str, T] = {}
        for entry in entries:
            self.add(entry)
        TABLES[kind] = self

    def add(self, entry: T) -> T:
        """Add an entry and return it; raises `ValueError` if the name is taken."""
        if entry.name in self._entries:
            raise ValueError(f"there is a {self.kind} {entry.name!r} already")
        self._entries[entry.name] = entry
        return entry

    def remove(self, name: str) -> None:
        """Remove an entry."""
        del self._entries[name]

    def named(self, name: str, where: str = "") -> T:
        """The entry with a name.

        Parameters
        ----------
        name : str
        where : str
            The setting or option with the name, for the message.

        Raises
        ------
        ConfigError
            There is no such entry; the message lists all names and suggests the nearest.
        """
        one_of(where or self.kind, name, tuple(self))
        return self._entries[name]

    def __getitem__(self, name: str) -> T:
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def known_names(kinds: Kinds, also: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The values in ``also``, then the names in all existing tables of these kinds."""
    wanted = (kinds,) if isinstance(kinds, str) else kinds
    return (*also, *(name for kind in wanted if kind in TABLES for name in TABLES[kind]))


def known_name(where: str, names: str | tuple[str, ...], kinds: Kinds, also: tuple[str, ...] = ()) -> None:
    """Raise a `ConfigError` if a name is in none of the tables of these kinds; no check if no such table exists yet.

    Parameters
    ----------
    where : str
        The setting, for the message.
    names : str or tuple of str
        One name, or several.
    kinds : str or tuple of str
    also : tuple of str
        Values allowed besides the tables' names.
    """
    if known_names(kinds):
        for name in (names,) if isinstance(names, str) else names:
            one_of(where, name, known_names(kinds, also))
