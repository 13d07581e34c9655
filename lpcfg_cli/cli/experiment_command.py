"""``lpcfg experiment``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import note, print_json, table
from lpcfg_cli.cli.options import resolve_settings
from lpcfg_cli.cli.worker_options import open_workers, worker_options
from lpcfg_cli.stages.experiment import CellResult, run_experiment

Rows = list[list[str]]
TREES = click.Path(path_type=Path)


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--train", "train", multiple=True, required=True, type=TREES, help="Trees to learn from.")
@click.option("--dev", "dev", multiple=True, required=True, type=TREES, help="Trees to score on.")
@click.option("-o", "--output", "folder", required=True, type=click.Path(path_type=Path), help="Folder of results.")
@click.option(
    "-f", "--format", "form", type=click.Choice(["text", "markdown", "json"]), default="text", show_default=True
)
@worker_options
def command(
    config: Path,
    train: tuple[Path, ...],
    dev: tuple[Path, ...],
    folder: Path,
    form: str,
    jobs: int,
    dask: str | None,
) -> None:
    """Compare learners as CONFIG's section [experiment] says, and print the papers' tables.

    Results are kept in the folder: an experiment that was ended goes on, and one that has grown trains what is new.
    """
    settings = resolve_settings({"config": config})
    with open_workers(jobs, dask) as mapper:
        results = run_experiment(train, dev, folder, settings, mapper, tell_cell)
    if form == "json":
        print_json([asdict(result) for result in results])
        return
    for title, header, rows in tables(results):
        click.echo(f"{title}\n")
        click.echo(f"{markdown(header, rows) if form == 'markdown' else table(header, rows)}\n")


def tell_cell(result: CellResult, is_new: bool) -> None:
    """Note a result."""
    what = "" if is_new else " (from before)"
    seconds = sum(result.seconds.values())
    note(f"{result.learner} m={result.states} seed={result.seed}: F1 {result.f1:.2f}, {seconds:.1f} s{what}")


def tables(results: list[CellResult]) -> list[tuple[str, list[str], Rows]]:
    """Accuracy by learner and m (CC14 Table 1), by iteration (C13 Table 1), and seconds (C13 Table 3)."""
    found = [
        ("F1 by learner and m; below it EM's iteration. Over seeds: the mean.", *accuracy(results)),
        ("F1 by EM's iteration.", *by_iteration(results)),
        ("Seconds of each stage that was not shared with an earlier row.", *seconds(results)),
    ]
    return [part for part in found if part[2]]


def accuracy(results: list[CellResult]) -> tuple[list[str], Rows]:
    """One row a learner, one column for each m."""
    sizes = sorted({result.states for result in results})
    rows = []
    for learner in dict.fromkeys(result.learner for result in results):
        cells = [[r for r in results if (r.learner, r.states) == (learner, m)] for m in sizes]
        rows.append([learner, *(_mean([r.f1 for r in cell]) for cell in cells)])
        chosen = [[r.chosen for r in cell if r.chosen is not None] for cell in cells]
        if any(chosen):
            rows.append(["", *(", ".join(map(str, steps)) for steps in chosen)])
    return ["learner", *(f"m = {m}" for m in sizes)], rows


def by_iteration(results: list[CellResult]) -> tuple[list[str], Rows]:
    """One row for each run of EM, one column for each iteration that was scored."""
    climbed = [result for result in results if result.by_iteration]
    steps = sorted({int(k) for result in climbed for k in result.by_iteration})
    rows = [[_name(r), *(_score(r.by_iteration.get(str(k))) for k in steps)] for r in climbed]
    return ["iteration", *map(str, steps)], rows


def seconds(results: list[CellResult]) -> tuple[list[str], Rows]:
    """One row a run, one column a stage."""
    stages = list(dict.fromkeys(stage for result in results for stage in result.seconds))
    rows = [
        [_name(r), *(f"{r.seconds[s]:.1f}" if s in r.seconds else "" for s in stages), f"{sum(r.seconds.values()):.1f}"]
        for r in results
    ]
    return ["run", *stages, "total"], rows


def markdown(header: Sequence[str], rows: Rows) -> str:
    """A table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _name(result: CellResult) -> str:
    return f"{result.learner} m={result.states} seed={result.seed}"


def _score(value: Any) -> str:
    return "" if value is None else f"{value:.2f}"


def _mean(values: list[float]) -> str:
    return f"{sum(values) / len(values):.2f}" if values else ""
