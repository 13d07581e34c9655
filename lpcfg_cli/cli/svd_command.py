"""``lpcfg svd``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import note, print_json, progress
from lpcfg_cli.cli.options import resolve_settings, setting_options
from lpcfg_cli.cli.spectrum_table import spectrum_table, warning_lines
from lpcfg_cli.cli.timing import note_stage_time, verbose_option
from lpcfg_cli.cli.worker_options import open_workers, worker_options
from lpcfg_cli.stages.svd import SvdReport, run_svd


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print all spectra as JSON.")
@worker_options
@verbose_option
@setting_options("svd")
def command(run: Path, as_json: bool, verbose: bool, jobs: int, dask: str | None, **options: Any) -> None:
    """Project the features of each nonterminal in RUN to its latent states; prints the spectra."""
    settings = resolve_settings(options)
    with open_workers(jobs, dask) as mapper:
        report = run_svd(run, settings, mapper, progress)
    if verbose:
        note_stage_time(run)
    if as_json:
        print_json(asdict(report))
    else:
        click.echo(spectrum_table(report.spectra))
    for line in summary(report):
        note(line)


def summary(report: SvdReport) -> list[str]:
    """The report, line by line."""
    states = [spectrum.states for spectrum in report.spectra]
    lines = [
        f"svd: {len(states)} nonterminals, {sum(states) / len(states):.1f} states on average, {max(states)} at most"
    ]
    if report.limited:
        lines.append(
            f"     {report.limited} have fewer than {report.asked} states: their examples or rank allow no more"
        )
    return [*lines, *warning_lines(report.warnings)]
