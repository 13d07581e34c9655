"""``lpcfg features``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import note, print_json, progress
from lpcfg_cli.cli.options import resolve_settings, setting_options
from lpcfg_cli.cli.timing import note_stage_time, verbose_option
from lpcfg_cli.stages.features import FeaturesReport, run_features


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@verbose_option
@setting_options("features")
def command(run: Path, as_json: bool, verbose: bool, **options: Any) -> None:
    """Extract inside and outside features of the trees in RUN."""
    report = run_features(run, resolve_settings(options), progress)
    if verbose:
        note_stage_time(run)
    if as_json:
        print_json(asdict(report))
    for line in summary(report):
        note(line)


def summary(report: FeaturesReport) -> list[str]:
    """The report, line by line."""
    return [
        f"features: {report.nodes:,} nodes, {report.inside_features:,} inside and "
        f"{report.outside_features:,} outside features",
        f"          lexicon: {report.words:,} words, {report.classes} classes, {report.suffixes} suffixes",
    ]
