"""``lpcfg inspect``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from lpcfg_cli.cli.console import note, print_json, table
from lpcfg_cli.cli.spectrum_table import spectrum_table, warning_lines
from lpcfg_cli.stages.inspect import InspectReport, inspect


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print all of it as JSON, with the settings it was made with.")
def command(model: Path, as_json: bool) -> None:
    """Show what MODEL, a model file or run directory, holds: learners, states, rules, spectra.

    Only looks: nothing is written or made again.  Singular values are in a run directory, not in a model file that was
    copied away from it; of several models they are the first one's.
    """
    report = inspect(model)
    if as_json:
        print_json(asdict(report))
        return
    click.echo("\n".join([*heading(report), "", member_table(report), "", spectrum_table(report.spectra)]))
    for line in warning_lines(report.warnings):
        note(line)


def heading(report: InspectReport) -> list[str]:
    """The model as a whole, line by line."""
    binarized = report.settings["binarize"]
    input_form = "tagged or raw text" if report.has_tagger else "tagged text only (no tagger)"
    return [
        f"{report.file}: {report.bytes / 1e6:,.1f} MB, seed {report.seed}",
        f"{report.symbols} symbols; unary chains {binarized['unaries']}, binarized {binarized['direction']}",
        f"parses {input_form}, by {report.settings['parse']['decoder']}",
    ]


def member_table(report: InspectReport) -> str:
    """One row a model."""
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
