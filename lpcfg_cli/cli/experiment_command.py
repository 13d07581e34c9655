"""``lpcfg experiment``."""

from __future__ import annotations

from pathlib import Path

import click

from lpcfg_cli.cli.console import note, print_json, progress
from lpcfg_cli.cli.experiment_tables import tables
from lpcfg_cli.cli.options import open_workers, resolve_settings, verbose_option, worker_options
from lpcfg_cli.cli.output_options import CheckedCommand, OutputFile, OutputFolder
from lpcfg_cli.cli.stage_summaries import tell_step
from lpcfg_cli.em.monitor import ignore_record
from lpcfg_cli.experiments.experiment import run_experiment
from lpcfg_cli.experiments.experiment_grid import GridResult
from lpcfg_cli.experiments.plots import check_plot, plot_experiment

TREES = click.Path(path_type=Path)


@click.command(cls=CheckedCommand)
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--train", "train", multiple=True, required=True, type=TREES, help="Trees to learn from.")
@click.option("--dev", "dev", multiple=True, required=True, type=TREES, help="Trees to choose EM's iteration and m.")
@click.option("--test", "test", multiple=True, type=TREES, help="Trees on which the chosen models are scored.")
@click.option(
    "-o", "--output", "folder", required=True, type=OutputFolder("dev.mrg", "test.mrg"), help="Folder of results."
)
@click.option(
    "-f", "--format", "form", type=click.Choice(["text", "markdown", "json"]), default="text", show_default=True
)
@click.option("--plot", type=OutputFile(), help="Draw F1 against training time: an .svg, .png or .pdf.")
@worker_options
@verbose_option
def command(
    config: Path,
    train: tuple[Path, ...],
    dev: tuple[Path, ...],
    test: tuple[Path, ...],
    folder: Path,
    form: str,
    plot: Path | None,
    jobs: int,
    dask: str | None,
    verbose: bool,
) -> None:
    """Compare learners as set in the section [experiment] of CONFIG, and print the papers' tables.

    Results are stored in the folder: an interrupted experiment is resumed, and an extended one trains only what is
    new.  Times are CPU seconds with one process, and wall-clock seconds with more --jobs.
    """
    settings = resolve_settings({"config": config})
    if plot is not None:
        check_plot(plot)
    with open_workers(jobs, dask) as mapper:
        report = run_experiment(
            train, dev, test, folder, settings, mapper, progress, tell_step if verbose else ignore_record, tell_cell
        )
    if plot is not None:
        plot_experiment(report, plot)
        note(f"plot: {plot}")
    if form == "json":
        print_json(report.as_dict())
        return
    for part in tables(report):
        click.echo(f"{part.as_markdown() if form == 'markdown' else part.as_text()}\n")


def tell_cell(result: GridResult, is_new: bool) -> None:
    """Print the result of one run."""
    what = "" if is_new else " (from before)"
    note(f"{result.point.name}: F1 {result.f1:.2f}, {result.training.seconds:.1f} s{what}")
