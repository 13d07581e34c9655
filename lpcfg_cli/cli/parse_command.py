"""``lpcfg parse``."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

import click

from lpcfg_cli.cli.console import note, print_json, progress
from lpcfg_cli.stages.parse import ParseReport, load_sentences, open_parser, parse_sentences
from lpcfg_cli.stages.sentences import FORMATS


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("source", metavar="[INPUT]", default="-", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write trees here; default standard output.")
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="slash",
    show_default=True,
    help="word/TAG lines, word-tab-tag columns, or trees whose words and tags are taken.",
)
@click.option("--decoder", help="max-rule, sum or signed; default as trained.")
@click.option("--threshold", type=float, help="Posterior below which items are pruned; default as trained.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON; needs -o.")
def command(
    model: Path,
    source: Path,
    output: Path | None,
    form: str,
    decoder: str | None,
    threshold: float | None,
    as_json: bool,
) -> None:
    """Parse the tagged sentences of INPUT with MODEL, a model file or run directory.

    INPUT holds one sentence a line as word/TAG tokens (the last slash splits); - is standard input.  Writes one
    bracketed tree a line, always one for each sentence, in order; (()) for an empty line.
    """
    if as_json and output is None:
        raise click.UsageError("--json prints the summary on standard output, so name a file for the trees with -o.")
    parser = open_parser(model, {"decoder": decoder, "threshold": threshold})
    is_stdin = str(source) == "-"
    sentences = list(
        load_sentences(sys.stdin.buffer.read() if is_stdin else source, form, "<stdin>" if is_stdin else str(source))
    )
    report = ParseReport()
    trees = progress(parse_sentences(parser, sentences, report), "parse", len(sentences), "sentence")
    with click.open_file(str(output or "-"), "w", encoding="utf-8") as file:
        for tree in trees:
            file.write(tree + "\n")
    if as_json:
        print_json({**asdict(report), "statuses": dict(report.statuses)})
    for line in summary(report):
        note(line)


def summary(report: ParseReport) -> list[str]:
    """The report, line by line."""
    speed = report.words / report.seconds if report.seconds else 0
    lines = [
        f"parsed {report.sentences:,} sentences, {report.words:,} words "
        f"in {report.seconds:.1f} s ({speed:,.0f} words/s)"
    ]
    explained = {
        "unpruned": "without pruning",
        "coarse": "by the plain PCFG",
        "partial": "in pieces",
        "empty": "empty",
    }
    ways = [f"{report.statuses[status]} {text}" for status, text in explained.items() if report.statuses[status]]
    lines.append(f"fallbacks: {report.fallbacks} ({', '.join(ways)})" if ways else f"fallbacks: {report.fallbacks}")
    lines[-1] += f"; negative totals: {report.negative_totals}"
    return lines
