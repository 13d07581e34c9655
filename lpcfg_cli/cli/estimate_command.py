"""``lpcfg estimate``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import note, print_json, progress
from lpcfg_cli.cli.options import resolve_settings, setting_options
from lpcfg_cli.cli.timing import note_stage_time, verbose_option
from lpcfg_cli.stages.estimate import EstimateReport, run_estimate


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@verbose_option
@setting_options("estimate", "parse")
def command(run: Path, as_json: bool, verbose: bool, **options: Any) -> None:
    """Estimate the parameters of the model in RUN."""
    report = run_estimate(run, resolve_settings(options), progress)
    if verbose:
        note_stage_time(run)
    if as_json:
        print_json(asdict(report))
    for line in summary(report):
        note(line)


def summary(report: EstimateReport) -> list[str]:
    """The report, line by line."""
    return [
        f"estimate: {report.binary_rules:,} binary ({report.dense_rules:,} dense), {report.unary_rules:,} unary, "
        f"{report.lexical_rules:,} lexical rules",
        f"          {report.parameters:,} parameters, {report.bytes / 1e6:.1f} MB",
    ]
