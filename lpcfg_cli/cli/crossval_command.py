"""``lpcfg crossval``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import click

from lpcfg_cli.cli.console import note, print_json, table
from lpcfg_cli.cli.eval_command import tell_problems
from lpcfg_cli.cli.eval_tables import number
from lpcfg_cli.cli.options import OF_TRAINING, open_workers, resolve_settings, setting_options, worker_options
from lpcfg_cli.cli.output_options import CheckedCommand, OutputFile
from lpcfg_cli.evaluation.counts import Counts
from lpcfg_cli.experiments.cross_validation import Fold, cross_validate, score_folds
from lpcfg_cli.experiments.learning_curve import SHARES, LearningCurve, learning_curve
from lpcfg_cli.experiments.plots import check_plot, plot_learning_curve
from lpcfg_cli.storage.outputs import output_writers, write_lines
from lpcfg_cli.wording import counted

PATH = click.Path(path_type=Path)


@click.command(cls=CheckedCommand)
@click.argument("treebank", nargs=-1, required=True, type=PATH)
@click.option("-o", "--output", type=OutputFile(), help="Write the parses here, in the treebank's order.")
@click.option("--gold", type=OutputFile(), help="Write the gold trees here, in the same order.")
@click.option("--folds", default=10, show_default=True, type=click.IntRange(2), help="Number of folds.")
@click.option("--only", metavar="FOLDS", help="Only these folds, joined by commas: 0,5 of ten for a quick estimate.")
@click.option("--curve", "is_curve", is_flag=True, help="Train on growing parts: what would more trees bring?")
@click.option("--plot", type=OutputFile(), help="Draw the curve here: .svg, .png or .pdf.")
@click.option("--raw", "is_raw", is_flag=True, help="Parse words without their tags.")
@click.option("--sections", help="LDC sections, such as 02-21 or 00,22.")
@click.option("--json", "as_json", is_flag=True, help="Print the scores as JSON.")
@worker_options
@setting_options(*OF_TRAINING)
def command(
    treebank: tuple[Path, ...],
    output: Path | None,
    gold: Path | None,
    folds: int,
    only: str | None,
    is_curve: bool,
    plot: Path | None,
    is_raw: bool,
    sections: str | None,
    as_json: bool,
    jobs: int,
    dask: str | None,
    **options: Any,
) -> None:
    """Parse each fold of TREEBANK with a model trained on the other folds.

    To compare settings, run this once for each and give the parses to `lpcfg eval GOLD A B`, which tests the
    significance of their difference.

    With --text, the teacher of each fold learns from the other folds only.

    With --curve each fold is also parsed by models of a half, a quarter, an eighth and a sixteenth of the other trees,
    and the table says what twice as many trees would bring.
    """
    check_choice(output, gold, is_curve, plot)
    settings = resolve_settings(options)
    with TemporaryDirectory(prefix="lpcfg-") as scratch, open_workers(jobs, dask) as mapper:
        folder = Path(scratch)
        plan = (folds, _numbers(only), sections, mapper, is_raw, note, SHARES if is_curve else (1.0,))
        with output_writers([gold, output] if gold and output else []) as files:
            parts = list(tell_folds(cross_validate(treebank, folder, settings, *plan), folder, files))
        report = score_folds([fold for fold in parts if fold.share == 1], folder)
        curve = learning_curve(parts, folder) if is_curve else None
    tell_problems(replace(report, test=str(output or "the parses")))
    if curve:
        if plot:
            plot_learning_curve(curve, plot)
        print_curve(curve, as_json)
    else:
        print_scores(report.scores.all, parts, as_json)


def check_choice(output: Path | None, gold: Path | None, is_curve: bool, plot: Path | None) -> None:
    """Raise an error unless the options fit together, before the work starts."""
    if (output is None) != (gold is None) or (output is None and not is_curve):
        raise click.UsageError("Give both -o and --gold: the parses and the gold trees in the same order.")
    if plot and not is_curve:
        raise click.UsageError("--plot draws the learning curve: give --curve too.")
    if plot:
        check_plot(plot)


def tell_folds(parts: Iterable[Fold], folder: Path, files: Sequence[IO[bytes]]) -> Iterator[Fold]:
    """Hand the folds on, each with its result told; models of all trees have their trees written to the files."""
    for fold in parts:
        if fold.share == 1:
            for lines, file in zip((fold.gold, fold.parsed), files, strict=False):
                write_lines(lines, file)
        tell_fold(fold, score_folds([fold], folder).f1)
        yield fold


def print_scores(scores: Counts, parts: Sequence[Fold], as_json: bool) -> None:
    """Print the scores of all folds."""
    if as_json:
        figures = {name: scores.as_dict()[name] for name in ("f1", "precision", "recall")}
        n_repeated = sum(fold.repeated for fold in parts)
        print_json({**figures, "folds": len(parts), "repeated": n_repeated, "valid": scores.valid})
    else:
        click.echo(f"F1 {number(scores.f1)}, precision {scores.precision:.2f}, recall {scores.recall:.2f}")


def print_curve(curve: LearningCurve, as_json: bool) -> None:
    """Print a learning curve, and what more trees would bring."""
    if as_json:
        print_json(curve.as_dict())
        return
    rows = [
        (f"{point.trees:,}", f"{point.f1:.2f}", f"{point.low:.2f} to {point.high:.2f}", "forecast" * point.is_forecast)
        for point in curve.points
    ]
    click.echo(table(("trees", "F1", "95 % interval", ""), rows))
    whole = curve.points[-2]
    click.echo(
        f"\nTwice as many trees would bring {curve.gain:+.2f} F1 ({curve.gain_low:+.2f} to {curve.gain_high:+.2f}), "
        "if errors go on\nfalling as the same power of the number of trees."
    )
    if curve.foretold is not None:
        click.echo(f"Smaller parts foretold {curve.foretold:.2f} for {whole.trees:,} trees; it is {whole.f1:.2f}.")


def tell_fold(fold: Fold, f1: float) -> None:
    """Print the result of a fold."""
    part = "" if fold.share == 1 else f", trained on {counted(fold.training_trees, 'tree')}"
    note(
        f"fold {fold.number}{part}: F1 {number(f1)} on {counted(len(fold.gold), 'tree')}; "
        f"trained in {fold.training_seconds:.1f} s, parsed in {fold.parsing_seconds:.1f} s"
    )
    if fold.repeated and fold.share == 1:
        those = f"{fold.repeated:,} of its {counted(len(fold.gold), 'sentence')}"
        note(f"fold {fold.number}: {those} also occur in its model's trees")


def _numbers(only: str | None) -> list[int]:
    try:
        return [int(part) for part in only.split(",")] if only else []
    except ValueError as error:
        raise click.BadParameter(f"{only!r}: expected numbers such as 0,5.", param_hint="--only") from error
