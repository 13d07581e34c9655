"""One table a kind: the things of a kind by name, from which choices, checks and help are read."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any, Generic, Protocol, TypeVar

from lpcfg_cli.errors import ConfigError


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
        if name in self._entries:
            return self._entries[name]
        near = difflib.get_close_matches(str(name), self._entries, 1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise ConfigError(f"{where or self.kind} is {name!r}; expected one of {', '.join(self)}.{hint}")

    def __getitem__(self, name: str) -> T:
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def known_name(where: str, name: str, kind: str, also: tuple[str, ...] = ()) -> None:
    """Raise a `ConfigError` if the table of that kind is there and has no such name.

    Parameters
    ----------
    where : str
        The setting, for the message.
    name : str
    kind : str
    also : tuple of str
        Words that are allowed besides the table's names.
    """
    if kind in TABLES and name not in also:
        TABLES[kind].named(name, where)
