"""Settings as dataclass fields with metadata: command-line option, help, and the table of choices."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lpcfg_cli.config.tables import Kinds


@dataclass(frozen=True)
class SettingInfo:
    """Metadata of a setting, besides its type and default.

    Attributes
    ----------
    help : str
        One line for ``--help``; the names of the table are added to it.
    flags : tuple of str
        Names of its option; empty if it can only be set in files.  Fields with the same flags are set together.
    table : str or tuple of str
        Kind or kinds of table whose names are its values, empty if any value may be: see `lpcfg_cli.config.tables`.
    also : tuple of str
        Values allowed besides the tables' names.
    metavar : str
        Placeholder of the value in the help.
    """

    help: str = ""
    flags: tuple[str, ...] = ()
    table: Kinds = ""
    also: tuple[str, ...] = ()
    metavar: str = ""


INFO = "setting"
"""Key of the field's metadata."""


def setting(
    default: Any,
    help: str = "",
    *flags: str,
    table: Kinds = "",
    also: tuple[str, ...] = (),
    metavar: str = "",
) -> Any:
    """A dataclass field with that default; parameters as in `SettingInfo`."""
    return field(default=default, metadata={INFO: SettingInfo(help, flags, table, also, metavar)})
