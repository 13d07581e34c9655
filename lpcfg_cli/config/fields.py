"""Settings as dataclass fields with metadata (command-line option, help, table of choices), and checks of values."""

from __future__ import annotations

import difflib
import math
from dataclasses import dataclass, field
from typing import Any

from lpcfg_cli.errors import ConfigError

Kinds = str | tuple[str, ...]
"""One kind of table, or several; a name in any of them is valid."""


@dataclass(frozen=True)
class SettingInfo:
    """Metadata of a setting, besides its type and default.

    Attributes
    ----------
    help : str
        One line for ``--help``; the names of the table are added to it.
    flags : tuple of str
        Names of its option; empty if it can only be set in files.  Fields with the same flags are set together.  The
        option of a truth value has a second name for false, by default the first with ``--no-``.
    table : str or tuple of str
        Kind or kinds of table whose names are its values, empty if any value may be: see `lpcfg_cli.config.tables`.
    also : tuple of str
        Values allowed besides the tables' names.
    metavar : str
        Placeholder of the value in the help.
    repeats : bool
        Whether the option is given once for each item of the value, which is a tuple.
    """

    help: str = ""
    flags: tuple[str, ...] = ()
    table: Kinds = ""
    also: tuple[str, ...] = ()
    metavar: str = ""
    repeats: bool = False


INFO = "setting"
"""Key of the field's metadata."""


def setting(
    default: Any,
    help: str = "",
    *flags: str,
    table: Kinds = "",
    also: tuple[str, ...] = (),
    metavar: str = "",
    repeats: bool = False,
) -> Any:
    """A dataclass field with that default; parameters as in `SettingInfo`."""
    return field(default=default, metadata={INFO: SettingInfo(help, flags, table, also, metavar, repeats)})


def one_of(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Raise a `ConfigError`, which suggests the nearest choice, unless the value is one of the choices."""
    if value not in choices:
        near = difflib.get_close_matches(str(value), choices, 1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise ConfigError(f"{name} is {value!r}; expected one of {', '.join(choices)}.{hint}")


def at_least(name: str, value: float, least: float) -> None:
    """Raise a `ConfigError` unless the value is finite and at least `least`."""
    if not least <= value < math.inf:
        raise ConfigError(f"{name} is {value}; expected a finite number, at least {least}.")


def share(name: str, value: float) -> None:
    """Raise a `ConfigError` unless the value is between 0 and 1."""
    if not 0 <= value <= 1:
        raise ConfigError(f"{name} is {value}; expected a share between 0 and 1.")
