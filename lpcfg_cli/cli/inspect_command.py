"""``lpcfg inspect``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from lpcfg_cli.cli.console import note, print_json, table
from lpcfg_cli.cli.output_options import CheckedCommand
from lpcfg_cli.cli.spectrum_table import spectrum_table, warning_lines
from lpcfg_cli.stages.inspect import InspectReport, inspect
from lpcfg_cli.wording import counted


@click.command(cls=CheckedCommand)
@click.argument("model", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON, with the settings of training.")
def command(model: Path, as_json: bool) -> None:
    """Show the contents of MODEL, a model file or run directory: learners, states, rules, spectra.

    Nothing is written or computed again.  Singular values are stored in the run directory, not in the model file; for
    an ensemble those of the first model are shown.
    """
    report = inspect(model)
    if as_json:
        print_json(asdict(report))
        return
    click.echo("\n".join([*heading(report), "", member_table(report), "", spectrum_table(report.spectra)]))
    for line in warning_lines(report.warnings):
        note(line)


def heading(report: InspectReport) -> list[str]:
    """The figures of the whole file, line by line."""
    binarized = report.settings["binarize"]
    input_form = "tagged or raw text" if report.has_tagger else "tagged text only (no tagger)"
    return [
        f"{report.file}: {report.bytes / 1e6:,.1f} MB, seed {report.seed}",
        f"{counted(report.symbols, 'symbol')}; unary chains {binarized['unaries']}, binarized {binarized['direction']}",
        f"parses {input_form}, by {report.settings['parse']['decoder']}",
    ]


def member_table(report: InspectReport) -> str:
    """One row for each model."""
    header = ("model", "learner", "m", "mean m", "binary", "unary", "lexical", "words", "parameters")
    rows = [
        (
            number,
            member.learner,
            member.states,
            f"{member.mean_states:.1f}",
            f"{member.binary_rules:,}",
            f"{member.unary_rules:,}",
            f"{member.lexical_rules:,}",
            f"{member.words:,}",
            f"{member.parameters:,}",
        )
        for number, member in enumerate(report.members)
    ]
    return table(header, rows)
