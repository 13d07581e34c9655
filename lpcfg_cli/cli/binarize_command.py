"""``lpcfg binarize``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import capped, note, print_json, progress
from lpcfg_cli.cli.options import resolve_settings, setting_options
from lpcfg_cli.cli.timing import note_stage_time, verbose_option
from lpcfg_cli.stages.binarize import BinarizeReport, run_binarize

MOST_LISTED = 20
"""Entries of a list that a person is shown."""


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="TREEBANK... RUN")
@click.option("--sections", help="LDC sections, such as 02-21 or 00,22.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@verbose_option
@setting_options("read", "binarize")
def command(paths: tuple[Path, ...], sections: str | None, as_json: bool, verbose: bool, **options: Any) -> None:
    """Read TREEBANK (files or directories), clean and binarize it into RUN."""
    if len(paths) < 2:
        raise click.UsageError("Name a treebank and a run directory: lpcfg binarize TREEBANK RUN")
    report = run_binarize(paths[:-1], paths[-1], resolve_settings(options), sections, progress)
    if verbose:
        note_stage_time(paths[-1])
    if as_json:
        print_json(asdict(report))
    for line in summary(report):
        note(line)


def summary(report: BinarizeReport) -> list[str]:
    """What a person wants to know of the treebank, line by line."""
    lost = report.cleaning
    lines = [
        f"binarize: {report.files} files, {report.trees:,} trees, {report.words:,} words, "
        f"longest sentence {report.longest}",
        f"          {report.symbols} symbols: {report.preterminals} tags, "
        f"{report.symbols - report.preterminals - report.intermediate_symbols} phrases, "
        f"{report.intermediate_symbols} intermediate",
        f"          removed: {lost.traces:,} traces, {lost.emptied:,} phrases left empty, "
        f"{lost.self_loops:,} repeated labels",
    ]
    if report.left_out:
        lines.append(f"          left out: {len(report.left_out):,} parts of files that are not trees")
        lines += [f"            {part}" for part in report.left_out[:MOST_LISTED]]
        if len(report.left_out) > MOST_LISTED:
            lines.append(f"            … and {len(report.left_out) - MOST_LISTED:,} more; --json lists all")
    if report.skipped:
        lines.append(f"          skipped: {len(report.skipped):,} trees without words: {capped(report.skipped)}")
    if lost.unlabelled:
        lines.append(f"          replaced by their children: {lost.unlabelled} phrases without a label")
    lines += [f"          passed over: {note}" for note in report.notes[:MOST_LISTED]]
    if report.strangers:
        lines.append(f"          not read: {len(report.strangers):,} other files: {capped(report.strangers)}")
    lines += [f"          warning: no trees in {path}" for path in report.empty_files]
    return lines
