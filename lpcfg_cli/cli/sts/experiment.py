"""``lpcfg sts experiment``."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import note, print_json, progress
from lpcfg_cli.cli.experiment_tables import SIGNIFICANT, Table
from lpcfg_cli.cli.options import resolve_settings, setting_options
from lpcfg_cli.cli.text_options import MODEL, encoding_option, json_option
from lpcfg_cli.experiments.sts_experiment import StsReport, SystemDifference, run_sts_experiment
from lpcfg_cli.sts.correlation import Correlations, Difference
from lpcfg_cli.sts.metrics import METRIC_GROUPS
from lpcfg_cli.sts.model import ALL
from lpcfg_cli.sts.sentence_pairs import read_judged_sets
from lpcfg_cli.sts.wordnet import INSTALL

assert METRIC_GROUPS, "the table that the option names is imported first"


@click.command("experiment")
@click.option("--train", "train", multiple=True, required=True, type=MODEL, help="Judged pairs to learn from.")
@click.option("--test", "test", multiple=True, required=True, type=MODEL, help="Judged pairs to score on.")
@click.option("--embeddings", "files", multiple=True, type=MODEL, help="Vectors of words; a system for each.")
@encoding_option
@json_option
@setting_options("sts")
def command(
    train: tuple[Path, ...], test: tuple[Path, ...], files: tuple[Path, ...], as_json: bool, **options: Any
) -> None:
    """Compare systems on judged sets, as J12's tables do: surface metrics, with WordNet, with vectors of words.

    Folders stand for their *.tsv files. A test set called as a training set is scored by the regression of that set,
    others by that of all sets. Mean is weighted by numbers of pairs; ALL is r of all pairs together; for ALLnrm, each
    set's similarities are fitted to its judgements first.
    """
    settings = resolve_settings(options)
    encoding = settings.read.encoding
    report = run_sts_experiment(
        read_judged_sets(train, encoding), read_judged_sets(test, encoding), files, settings, progress
    )
    if "wordnet" in settings.sts.groups and report.systems[0].model.resources.wordnet is None:
        note(f"WordNet is not installed: its metrics are left out. {INSTALL}")
    if as_json:
        print_json(as_dict(report))
    else:
        click.echo("\n\n".join(part.as_text() for part in tables(report)))


def tables(report: StsReport) -> list[Table]:
    """Correlations, and differences if there are several systems."""
    return [correlations(report), *([differences(report)] if report.differences else [])]


def correlations(report: StsReport) -> Table:
    """Pearson's r by system and set (J12 Tables 1 and 2)."""
    rows = [["pairs", *(f"{size:,}" for size in report.sizes), *3 * [f"{sum(report.sizes):,}"]]]
    rows += [[system.name, *map(_r, figures(system.correlations))] for system in report.systems]
    others = [name for name in report.sets if report.systems[0].model.regression_for(name) == ALL]
    title = "Pearson's r with judgements, by system and set."
    if others:
        title += f" By the regression of all training sets: {', '.join(others)}."
    return Table(title, ["", *report.sets, "Mean", "ALL", "ALLnrm"], rows)


def figures(found: Correlations) -> list[float]:
    """The figures of a system in the order of the table."""
    return [*found.by_set, found.mean, found.all_pairs, found.all_fitted]


def differences(report: StsReport) -> Table:
    """Differences of each system from the one that it adds to."""
    by_name = {system.name: system.correlations for system in report.systems}
    rows = [_difference_row(one, by_name) for one in report.differences]
    title = (
        "Difference from the system that it adds to; * p < 0.05: of a set by Williams's test, of Mean and ALL by a "
        "paired bootstrap, with p."
    )
    return Table(title, ["", *report.sets, "Mean", "p", "ALL", "p"], rows)


def _difference_row(one: SystemDifference, by_name: dict[str, Correlations]) -> list[str]:
    first, second = by_name[one.first].by_set, by_name[one.second].by_set
    by_set = [_marked(b - a, p) for a, b, p in zip(first, second, one.p_by_set, strict=True)]
    return [one.second, *by_set, *(cell for found in (one.mean, one.all_pairs) for cell in _difference(found))]


def _difference(found: Difference) -> list[str]:
    return [_marked(found.value, found.p_value), f"{found.p_value:.3f}"]


def _marked(value: float, p_value: float) -> str:
    return f"{value:+.4f}{'*' if p_value < SIGNIFICANT else ' '}" if math.isfinite(value) else "- "


def _r(value: float) -> str:
    return f"{value:.4f}" if math.isfinite(value) else "-"


def as_dict(report: StsReport) -> dict[str, Any]:
    """The results, JSON-ready; what is not defined is null."""
    systems = [
        {
            "system": system.name,
            "metrics": [metric.name for metric in system.model.metrics],
            "r": dict(zip(report.sets, map(_or_null, system.correlations.by_set), strict=True)),
            "mean": _or_null(system.correlations.mean),
            "all": _or_null(system.correlations.all_pairs),
            "all_fitted": _or_null(system.correlations.all_fitted),
        }
        for system in report.systems
    ]
    differences = [
        {
            "first": one.first,
            "second": one.second,
            "p": dict(zip(report.sets, one.p_by_set, strict=True)),
            "mean": {name: _or_null(value) for name, value in asdict(one.mean).items()},
            "all": {name: _or_null(value) for name, value in asdict(one.all_pairs).items()},
        }
        for one in report.differences
    ]
    pairs = dict(zip(report.sets, report.sizes, strict=True))
    return {"pairs": pairs, "systems": systems, "differences": differences}


def _or_null(value: float) -> float | None:
    return value if math.isfinite(value) else None
