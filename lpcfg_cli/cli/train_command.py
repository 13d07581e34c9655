"""``lpcfg train``."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import note, note_time, print_json, progress, table
from lpcfg_cli.cli.options import (
    OF_TRAINING,
    no_tagger_option,
    open_workers,
    resolve_settings,
    setting_options,
    verbose_option,
    worker_options,
)
from lpcfg_cli.cli.output_options import CheckedCommand, OutputFolder
from lpcfg_cli.cli.spectrum_table import warning_lines
from lpcfg_cli.cli.stage_summaries import stage_summary, tell_step
from lpcfg_cli.experiments.tune import Trial, tune
from lpcfg_cli.grammar.archive import MODEL_FILE
from lpcfg_cli.stages.chain import train
from lpcfg_cli.stages.stage import StageContext, StageOutcome


@click.command(cls=CheckedCommand)
@click.argument("treebank", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", "run", required=True, type=OutputFolder("trees.bin.mrg"), help="Run directory to write."
)
@click.option("--sections", help="LDC sections, such as 02-21 or 00,22.")
@click.option("--json", "as_json", is_flag=True, help="Print the reports as JSON.")
@click.option("--tune", "is_tuned", is_flag=True, help="First choose settings on held-out trees (config: [tune]).")
@worker_options
@verbose_option
@no_tagger_option
@setting_options(*OF_TRAINING)
def command(
    treebank: tuple[Path, ...],
    run: Path,
    sections: str | None,
    as_json: bool,
    is_tuned: bool,
    jobs: int,
    dask: str | None,
    verbose: bool,
    **options: Any,
) -> None:
    """Train a parser from TREEBANK: bracketed tree files, or directories of them.

    Runs binarize, tagger, features, svd (for learners that need it) and estimate; a stage whose inputs and settings
    are unchanged since the last run is skipped.

    With --text, a teacher, by default eight models, learns from TREEBANK first and parses sentences of the text.  The
    model learns from their trees too: it becomes more accurate, and stays small and fast.  See `lpcfg help raw-text`.

    With --rerank, models of parts of TREEBANK parse the other parts, and a reranker learns to choose among their best
    trees; parsing then uses it.  See `lpcfg help reranking`.
    """
    settings = resolve_settings(options)
    began = time.perf_counter()
    with open_workers(jobs, dask) as mapper:
        if is_tuned:
            settings, _ = tune(treebank, settings, sections, mapper, tell_trial)
        context = StageContext(run, settings, treebank, sections, mapper, progress, tell_step)
        outcomes = train(context, tell_time if verbose else tell_nothing)
    seconds = time.perf_counter() - began
    if as_json:
        print_json({o.stage: asdict(o.report) if o.report else None for o in outcomes})
    for line in summary(outcomes):
        note(line)
    note(time_table(outcomes))
    note(f"trained in {seconds:.1f} s: {run / MODEL_FILE}")


def tell_time(outcome: StageOutcome) -> None:
    """Print the time of a stage."""
    note_time(outcome.stage, outcome.seconds, outcome.cpu_seconds)


def tell_trial(trial: Trial) -> None:
    """Print the score of settings that were tried."""
    values = (f"{section}.{key} = {value}" for section, part in trial.entry.items() for key, value in part.items())
    note(f"tune: F1 {trial.f1:.2f} with {', '.join(values)}")


def tell_nothing(outcome: StageOutcome) -> None:
    """Print nothing."""


def time_table(outcomes: list[StageOutcome]) -> str:
    """One row for each stage: its time, memory and file."""
    rows = [
        (
            o.stage,
            f"{o.seconds:.1f} s" if o.report else "-",
            f"{o.peak_megabytes:,} MB",
            o.file,
            f"{o.bytes / 1e6:,.1f} MB",
        )
        for o in outcomes
    ]
    return table(("stage", "time", "peak memory so far", "file", "size"), rows)


def summary(outcomes: list[StageOutcome]) -> list[str]:
    """The reports of all stages, line by line."""
    lines = []
    for outcome in outcomes:
        if outcome.report is None:
            lines.append(f"{outcome.stage}: unchanged, skipped")
        else:
            lines += stage_summary(outcome.stage, outcome.report)
            if outcome.stage == "svd":
                lines += warning_lines(outcome.report.warnings)
    return lines
