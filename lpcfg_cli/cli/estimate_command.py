"""``lpcfg estimate``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import note, print_json, progress
from lpcfg_cli.cli.options import resolve_settings, setting_options
from lpcfg_cli.cli.spectrum_table import spectra_option, spectrum_table, warning_lines
from lpcfg_cli.cli.timing import note_stage_time, verbose_option
from lpcfg_cli.cli.worker_options import open_workers, worker_options
from lpcfg_cli.em.run import EmRecord
from lpcfg_cli.stages.estimate import EstimateReport, run_estimate


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@spectra_option
@worker_options
@verbose_option
@setting_options("svd", "estimate", "parse")
def command(
    run: Path, as_json: bool, spectra: bool, verbose: bool, jobs: int, dask: str | None, **options: Any
) -> None:
    """Estimate the parameters of the model in RUN."""
    settings = resolve_settings(options)
    if options["svd__states"] is not None and settings.estimate.learner != "em":
        raise click.UsageError(f"-m is for the learner em here. Run `lpcfg svd {run} -m {settings.svd.states}` first.")
    with open_workers(jobs, dask) as mapper:
        report = run_estimate(run, settings, progress, mapper, tell_step)
    if verbose:
        note_stage_time(run)
    if as_json:
        print_json(asdict(report))
    elif spectra:
        click.echo(spectrum_table(report.spectra))
    for line in [*summary(report), *warning_lines(report.warnings)]:
        note(line)


def tell_step(record: EmRecord) -> None:
    """Note an iteration of EM."""
    score = "" if record.dev_f1 is None else f", dev F1 {record.dev_f1:.2f}"
    note(f"em: step {record.iteration}: log-likelihood {record.log_likelihood:,.1f}{score}")


def summary(report: EstimateReport) -> list[str]:
    """The report, line by line."""
    chosen = [] if report.chosen is None else [f"          parameters of step {report.chosen} of EM"]
    return [
        f"estimate: {report.binary_rules:,} binary ({report.dense_rules:,} dense), {report.unary_rules:,} unary, "
        f"{report.lexical_rules:,} lexical rules",
        f"          {report.parameters:,} parameters, {report.bytes / 1e6:.1f} MB",
        *chosen,
    ]
