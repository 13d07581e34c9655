"""``lpcfg synth``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from lpcfg_cli.cli.console import note, opened_output, print_json
from lpcfg_cli.cli.output_options import CheckedCommand, OutputFile
from lpcfg_cli.grammar.sampling import SampleReport
from lpcfg_cli.grammar.synth import run_synth, tagged_lines, tree_lines
from lpcfg_cli.wording import counted


@click.command(cls=CheckedCommand)
@click.option("-n", "--number", default=10, show_default=True, type=click.IntRange(0), help="Number of trees.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="Seed of the random stream.")
@click.option("-o", "--output", type=OutputFile(), help="File to write; default standard output.")
@click.option(
    "--model",
    type=click.Path(path_type=Path),
    help="Model file, run directory, *.grammar or *.pcfg file; default the embedded English grammar.",
)
@click.option("--tagged", is_flag=True, help="Write word/TAG lines instead of trees.")
@click.option("--max-words", default=100, show_default=True, type=click.IntRange(1), help="Longest sentence.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON; needs -o.")
def command(
    number: int,
    seed: int,
    output: Path | None,
    model: Path | None,
    tagged: bool,
    max_words: int,
    as_json: bool,
) -> None:
    """Sample trees from a grammar, one on each line.

    The same grammar, seed and number give the same trees, byte for byte; --tagged gives the words and tags of the same
    trees.
    """
    if as_json and output is None:
        raise click.UsageError("--json prints the report on standard output, so name a file for the trees with -o.")
    trees, report = run_synth(number, seed, model, max_words)
    with opened_output(output) as file:
        file.writelines(f"{line}\n".encode() for line in (tagged_lines if tagged else tree_lines)(trees))
    if as_json:
        print_json(asdict(report))
    for line in summary(report):
        note(line)


def summary(report: SampleReport) -> list[str]:
    """The report, line by line."""
    mean = report.words / report.trees if report.trees else 0.0
    lines = [f"sampled {counted(report.trees, 'tree')}, {counted(report.words, 'word')} ({mean:.1f} a tree)"]
    if report.is_plain:
        lines.append("note: the masses of this model's L-PCFG diverge; these are samples of its plain PCFG")
    elif report.height:
        lines.append(
            f"note: the masses of this model's L-PCFG diverge; only trees up to height {report.height} were sampled"
        )
    if report.too_long or report.dead_ends:
        lines.append(f"drawn again: {report.too_long:,} too long, {report.dead_ends:,} without a possible rule")
    if report.clipped:
        share = 100 * report.clipped / report.choices
        lines.append(f"negative weights clipped in {report.clipped:,} of {report.choices:,} choices ({share:.1f} %)")
    if report.classes:
        lines.append(
            f"note: {counted(report.classes, 'word')} shown as <class>: the model knows rare words by their class only"
        )
    return lines
