"""``lpcfg calibrate``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from lpcfg_cli.cli.console import advancing, note, print_json, table
from lpcfg_cli.cli.output_options import CheckedCommand
from lpcfg_cli.config import ReadSettings
from lpcfg_cli.evaluation.reliability import Reliability
from lpcfg_cli.experiments.calibration import CalibrationReport, calibrate, store_calibration
from lpcfg_cli.wording import counted


@click.command(cls=CheckedCommand)
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("trees", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--save", is_flag=True, help="Store the correction in the model file; parse then writes by it.")
@click.option("--raw", "without_tags", is_flag=True, help="Parse the words without their tags.")
@click.option("--encoding", default="utf-8", show_default=True, metavar="NAME", help="Encoding of TREES.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def command(model: Path, trees: tuple[Path, ...], save: bool, without_tags: bool, encoding: str, as_json: bool) -> None:
    """Compare the posteriors of MODEL's brackets with the gold TREES, and fit a correction.

    TREES are files or directories of bracketed trees that the model was not trained on.  Brackets of the best trees are
    sorted into bins by their posterior; the share of a bin that is right should be near its mean posterior.  The table
    shows this without a correction, with the one stored in the model, and with one that is fitted to the other half of
    the trees.  See `lpcfg help confidence`.
    """
    with advancing("parsing", "sentences") as advance:
        report = calibrate(model, trees, ReadSettings(encoding=encoding), without_tags, advance)
    if as_json:
        print_json(asdict(report))
    else:
        click.echo("\n".join(report_lines(report)))
    if save:
        note(f"stored the correction in {store_calibration(model, report.fitted)}")


def report_lines(report: CalibrationReport) -> list[str]:
    """The tables."""
    shown = [
        ("Without correction", report.uncorrected),
        ("With the correction of the model", report.stored),
        ("Corrected by what the other half of the trees says", report.crossed),
    ]
    lines = [f"{counted(report.sentences, 'sentence')}, {counted(report.uncorrected.count, 'bracket')}"]
    for title, found in shown:
        if found is not None:
            lines += ["", title, "", reliability_table(found)]
    return lines


def reliability_table(found: Reliability) -> str:
    """The bins of a table, and its figures."""
    rows = [
        (f"{one.low:.2f} to {one.high:.2f}", one.count, f"{one.mean:.3f}", f"{one.right:.3f}") for one in found.bins
    ]
    rows.append(("all", found.count, f"{found.mean:.3f}", f"{found.right:.3f}"))
    figures = f"expected calibration error {found.calibration_error:.4f}, Brier score {found.brier:.4f}"
    return f"{table(('posterior', 'brackets', 'mean', 'right'), rows)}\n{figures}"
