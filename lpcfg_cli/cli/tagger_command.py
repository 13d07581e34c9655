"""``lpcfg tagger``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import note, print_json, progress
from lpcfg_cli.cli.options import resolve_settings, setting_options
from lpcfg_cli.cli.timing import note_stage_time, verbose_option
from lpcfg_cli.stages.tagger import TaggerReport, run_tagger


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@verbose_option
@setting_options()
def command(run: Path, as_json: bool, verbose: bool, **options: Any) -> None:
    """Train the tagger of raw text on the words and tags of the trees in RUN; `lpcfg estimate` takes it up."""
    report = run_tagger(run, resolve_settings(options), progress)
    if verbose:
        note_stage_time(run)
    if as_json:
        print_json(asdict(report))
    for line in summary(report):
        note(line)


def summary(report: TaggerReport) -> list[str]:
    """The report, line by line."""
    spellings = [f"{found} as {written}" for found, written in report.spellings]
    spellings += ["\" as `` and ''"] * report.has_directed_quotes
    conventions = [f"{report.abbreviations:,} abbreviations"]
    conventions += ["English contractions cut"] * report.has_clitics
    conventions += ["written otherwise: " + ", ".join(spellings)] * bool(spellings)
    return [
        f"tagger: {report.tags} tags, {report.features:,} features, {report.weights:,} weights",
        f"        text: {'; '.join(conventions)}",
    ]
