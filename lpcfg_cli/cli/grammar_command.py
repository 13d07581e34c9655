"""``lpcfg grammar``."""

from __future__ import annotations

from pathlib import Path

import click

from lpcfg_cli.cli.console import opened_output
from lpcfg_cli.cli.output_options import CheckedCommand, OutputFile
from lpcfg_cli.cli.table_options import FreshHelpOption, TableName, with_summaries
from lpcfg_cli.grammar.opening import open_members
from lpcfg_cli.grammar.plain_text import GRAMMAR_FORMS


@click.command(cls=CheckedCommand)
@click.argument("model", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=OutputFile(), help="File to write; default standard output.")
@click.option(
    "--form", type=TableName(GRAMMAR_FORMS), default="pcfg", cls=FreshHelpOption,
    text=lambda: f"{with_summaries(GRAMMAR_FORMS)}.  [pcfg]",
)  # fmt: skip
def command(model: Path, output: Path | None, form: str) -> None:
    """Write the grammar of MODEL as plain text, a rule with its probability on each line.

    MODEL is a model file, a run directory or a *.grammar or *.pcfg file.  `lpcfg parse` reads the rules back, if
    the file is called *.pcfg; `lpcfg help looking` explains the names.
    """
    header, (grammar, *_) = open_members(model)
    lines = GRAMMAR_FORMS[form].lines(grammar, header.settings)
    with opened_output(output) as file:
        file.writelines(f"{line}\n".encode() for line in lines)
