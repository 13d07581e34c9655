"""``lpcfg lm experiment``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import note, print_json, progress
from lpcfg_cli.cli.experiment_tables import Table
from lpcfg_cli.cli.options import open_workers, resolve_settings, setting_options, worker_options
from lpcfg_cli.cli.output_options import CheckedCommand, OutputFile, OutputFolder
from lpcfg_cli.cli.text_options import MODEL, encoding_option
from lpcfg_cli.experiments.lm_experiment import LmResult, LmTexts, run_lm_experiment
from lpcfg_cli.experiments.lm_plot import plot_lm_experiment
from lpcfg_cli.experiments.plots import check_plot


@click.command("experiment", cls=CheckedCommand)
@click.argument("train", nargs=-1, required=True, type=MODEL, metavar="TEXT...")
@click.option("--dev", required=True, type=MODEL, help="Text that chooses, with its first half; the other is scored.")
@click.option("--test", type=MODEL, help="Text on which all models are scored too.")
@click.option("-o", "--output", "folder", required=True, type=OutputFolder(), help="Folder of results.")
@click.option(
    "-f", "--format", "form", type=click.Choice(["text", "markdown", "json"]), default="text", show_default=True
)
@click.option("--plot", type=OutputFile(), help="Draw perplexity against m: an .svg, .png or .pdf.")
@encoding_option
@worker_options
@setting_options("lm_experiment")
def command(
    train: tuple[Path, ...],
    dev: Path,
    test: Path | None,
    folder: Path,
    form: str,
    plot: Path | None,
    jobs: int,
    dask: str | None,
    **options: Any,
) -> None:
    """Compare learners of language models on a text, as CC14 Table 2 does.

    Results are stored in the folder: an interrupted experiment is resumed, and an extended one learns only what is new.
    """
    settings = resolve_settings(options)
    if plot is not None:
        check_plot(plot)
    with open_workers(jobs, dask) as mapper:
        results = run_lm_experiment(LmTexts(list(train), dev, test), folder, settings, mapper, progress, tell)
    if plot is not None:
        plot_lm_experiment(results, plot)
        note(f"plot: {plot}")
    if form == "json":
        print_json([result.as_dict() for result in results])
        return
    for part in tables(results):
        click.echo(f"{part.as_markdown() if form == 'markdown' else part.as_text()}\n")


def tell(result: LmResult, is_new: bool) -> None:
    """Print the result of one model."""
    states = f" m={result.point.states}" if result.point.states else ""
    what = "" if is_new else " (from before)"
    note(f"{result.point.name}{states}: perplexity {result.dev:.1f}, {result.training.seconds:.1f} s{what}")


def tables(results: Sequence[LmResult]) -> list[Table]:
    """Perplexities, and seconds."""
    return [perplexities(results), seconds(results)]


def perplexities(results: Sequence[LmResult]) -> Table:
    """Dev perplexity by learner and m; below it the chosen iteration; test perplexity at the best m (CC14 Table 2)."""
    has_test = any(result.test is not None for result in results)
    states = sorted({result.point.states for result in results} - {0})
    rows = []
    for name in dict.fromkeys(result.point.name for result in results):
        own = {result.point.states: result for result in results if result.point.name == name}
        best = min(own.values(), key=lambda result: result.dev)
        found = [own.get(m, own.get(0)) for m in states]  # Kneser-Ney has no m: the same in all columns
        shown = [f"{result.dev:.1f}" if result else "" for result in found]
        rows.append([name, *shown, *([f"{best.test:.1f}"] if has_test and best.test is not None else [])])
        if any(result.chosen is not None and not result.point.order for result in own.values()):
            chosen = [str(own[m].chosen) if m in own else "" for m in states]
            rows.append(["  iterations", *chosen, *([""] if has_test else [])])
    title = (
        "Perplexity of the second half of the dev text, unknown words left out, by learner and m; below it the number "
        "of EM steps that the first half chose."
    )
    if has_test:
        title += " Test: at the m that is best on the dev text."
    return Table(title, ["", *(f"m={m}" for m in states), *(["test"] if has_test else [])], rows)


def seconds(results: Sequence[LmResult]) -> Table:
    """CPU seconds of learning, and of a step of EM."""
    latent = [result for result in results if not result.point.order]
    states = sorted({result.point.states for result in latent})
    rows = []
    for name in dict.fromkeys(result.point.name for result in latent):
        own = {result.point.states: result for result in latent if result.point.name == name}

        def row(point: Callable[[LmResult], str], own: dict[int, LmResult] = own) -> list[str]:
            return [point(own[m]) if m in own else "" for m in states]

        rows.append([name, *row(lambda result: f"{result.training.cpu_seconds:.2f}")])
        if any(result.step for result in own.values()):
            rows.append(["  EM step", *row(lambda result: f"{result.step.cpu_seconds:.3f}" if result.step else "")])
    return Table(
        "CPU seconds of learning to the chosen step, without counting, by learner and m; below it those of an EM step.",
        ["", *(f"m={m}" for m in states)],
        rows,
    )
