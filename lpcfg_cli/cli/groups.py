"""Groups of subcommands that import a subcommand only when it is called, for a short start-up."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import Any

import click

from lpcfg_cli.cli.console import Quiet


class LazyGroup(click.Group):
    """A group made from a table: subcommand → (module that has it as ``command``, one line of help)."""

    def __init__(self, *, table: Mapping[str, tuple[str, str]], **options: Any) -> None:
        super().__init__(**options)
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the subcommands, in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The subcommand, imported; None if there is none of that name."""
        if cmd_name not in self.table:
            return None
        return with_quiet(importlib.import_module(f"lpcfg_cli.cli.{self.table[cmd_name][0]}").command)

    def hint(self, name: str) -> str:
        """What the error for an unknown subcommand suggests, after a blank; empty if nothing is near."""
        return nearest(name, self.table)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The subcommand with which the arguments start; the error for an unknown name suggests the nearest."""
        name = args[0]
        if name not in self.table and not name.startswith("-"):
            ctx.fail(f"No such command {name!r}.{self.hint(name)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of subcommands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self.table.items()])


def with_quiet(command: click.Command) -> click.Command:
    """The command with the option ``--quiet``, which all commands have; groups leave it to their commands."""
    if not isinstance(command, click.Group) and not any(param.name == "quiet" for param in command.params):
        command.params.append(
            click.Option(
                ["-q", "--quiet"],
                is_flag=True,
                expose_value=False,
                callback=_set_quiet,
                help="Print results and errors only: no notes, warnings or progress.",
            )
        )
    return command


def _set_quiet(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if not context.resilient_parsing:
        Quiet.is_wanted = value


def nearest(name: str, known: Iterable[str]) -> str:
    """A sentence, after a blank, that suggests the known name nearest to `name`; empty if none is near."""
    import difflib  # imported here because it is rarely needed

    near = difflib.get_close_matches(name, known, 1)
    return f" Did you mean {near[0]}?" if near else ""
