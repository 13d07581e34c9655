"""Options whose values are names in a table.

The names are read when help is shown or a value is checked, so both know entries that were added after import.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from lpcfg_cli.config import Table, known_name, known_names


class TableName(click.ParamType):
    """A name of a table.

    Parameters
    ----------
    table : Table
    *also
        Values allowed besides the names.
    beside : Table, optional
        Another table, whose names are allowed too.
    """

    def __init__(self, table: Table[Any], *also: str, beside: Table[Any] | None = None):
        self.also, self.name = also, table.kind
        self.kinds = (table.kind,) if beside is None else (table.kind, beside.kind)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """All allowed values, written as click writes choices."""
        return f"[{'|'.join(known_names(self.kinds, self.also))}]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value unchanged; raises `ConfigError` if it is not allowed."""
        known_name(param.opts[-1] if param else self.name, value, self.kinds, self.also)
        return value


class FreshHelpOption(click.Option):
    """An option whose help text is computed when it is shown.

    Parameters
    ----------
    text : function of no arguments to str
        Computes the help text.
    """

    def __init__(self, *args: Any, text: Callable[[], str], **attributes: Any):
        super().__init__(*args, **attributes)
        self._text = text

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The option and its help."""
        self.help = self._text()
        return super().get_help_record(ctx)


def with_summaries(table: Table[Any]) -> str:
    """The names of a table, each with its summary."""
    return "; ".join(f"{entry.name}: {entry.summary}" for entry in table.values())
