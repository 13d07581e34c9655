"""``lpcfg crossval``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from lpcfg_cli.cli.console import note, print_json
from lpcfg_cli.cli.eval_command import tell_problems
from lpcfg_cli.cli.eval_tables import number
from lpcfg_cli.cli.options import open_workers, resolve_settings, setting_options, worker_options
from lpcfg_cli.cli.output_options import CheckedCommand, OutputFile
from lpcfg_cli.experiments.cross_validation import Fold, cross_validate, score_folds
from lpcfg_cli.storage.outputs import output_writers, write_lines
from lpcfg_cli.wording import counted

PATH = click.Path(path_type=Path)


@click.command(cls=CheckedCommand)
@click.argument("treebank", nargs=-1, required=True, type=PATH)
@click.option(
    "-o", "--output", required=True, type=OutputFile(), help="Write the parses here, in the treebank's order."
)
@click.option("--gold", required=True, type=OutputFile(), help="Write the gold trees here, in the same order.")
@click.option("--folds", default=10, show_default=True, type=click.IntRange(2), help="Number of folds.")
@click.option("--only", metavar="FOLDS", help="Only these folds, joined by commas: 0,5 of ten for a quick estimate.")
@click.option("--raw", "is_raw", is_flag=True, help="Parse words without their tags.")
@click.option("--sections", help="LDC sections, such as 02-21 or 00,22.")
@click.option("--json", "as_json", is_flag=True, help="Print the scores as JSON.")
@worker_options
@setting_options("read", "clean", "binarize", "lexicon", "features", "svd", "estimate", "em", "ensemble", "parse")
def command(
    treebank: tuple[Path, ...],
    output: Path,
    gold: Path,
    folds: int,
    only: str | None,
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
    """
    settings = resolve_settings(options)
    parts: list[Fold] = []
    with TemporaryDirectory(prefix="lpcfg-") as scratch, open_workers(jobs, dask) as mapper:
        plan = (folds, _numbers(only), sections, mapper, is_raw, note)
        with output_writers([gold, output]) as (gold_file, parsed_file):
            for fold in cross_validate(treebank, Path(scratch), settings, *plan):
                parts.append(fold)
                write_lines(fold.gold, gold_file)
                write_lines(fold.parsed, parsed_file)
                tell_fold(fold, score_folds([fold], Path(scratch)).f1)
        report = score_folds(parts, Path(scratch))
    tell_problems(replace(report, test=str(output)))
    scores = report.scores.all
    figures = {name: scores.as_dict()[name] for name in ("f1", "precision", "recall")}
    n_repeated = sum(fold.repeated for fold in parts)
    if as_json:
        print_json({**figures, "folds": len(parts), "repeated": n_repeated, "valid": scores.valid})
    else:
        click.echo(f"F1 {number(scores.f1)}, precision {scores.precision:.2f}, recall {scores.recall:.2f}")


def tell_fold(fold: Fold, f1: float) -> None:
    """Print the result of a fold."""
    note(
        f"fold {fold.number}: F1 {number(f1)} on {counted(len(fold.gold), 'tree')}; "
        f"trained in {fold.training_seconds:.1f} s, parsed in {fold.parsing_seconds:.1f} s"
    )
    if fold.repeated:
        those = f"{fold.repeated:,} of its {counted(len(fold.gold), 'sentence')}"
        note(f"fold {fold.number}: {those} also occur in its model's trees")


def _numbers(only: str | None) -> list[int]:
    try:
        return [int(part) for part in only.split(",")] if only else []
    except ValueError as error:
        raise click.BadParameter(f"{only!r}: expected numbers such as 0,5.", param_hint="--only") from error
