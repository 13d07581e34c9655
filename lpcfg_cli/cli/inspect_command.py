"""``lpcfg inspect``."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from lpcfg_cli.cli.console import note, opened_output, print_json, table
from lpcfg_cli.cli.output_options import CheckedCommand, OutputFile
from lpcfg_cli.cli.spectrum_table import spectrum_table, warning_lines
from lpcfg_cli.cli.state_lines import WIDTH, wrapped
from lpcfg_cli.stages.inspect import InspectReport, inspect
from lpcfg_cli.stages.states import StatesReport, inspect_states
from lpcfg_cli.stages.states_page import explanation, states_page
from lpcfg_cli.wording import counted


@click.command(cls=CheckedCommand)
@click.argument("model", type=click.Path(path_type=Path))
@click.option("--states", "symbol", metavar="LABEL", help="Show the latent states of this nonterminal instead.")
@click.option("--most", type=click.IntRange(1), default=8, show_default=True, help="Longest list of a state.")
@click.option("--html", type=OutputFile(), metavar="FILE", help="Write the states as a page, too.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON, with the settings of training.")
def command(model: Path, symbol: str | None, most: int, html: Path | None, as_json: bool) -> None:
    """Show the contents of MODEL, a model file or run directory: learners, states, rules, spectra.

    With --states NP: the share of each latent state of NP, and the words, rules and contexts by which it differs most
    from NP as a whole, in the training trees of the run directory. `lpcfg help looking` explains the output.

    Nothing is written or computed again.  Singular values are stored in the run directory, not in the model file; for
    an ensemble those of the first model are shown.
    """
    if symbol is not None:
        show_states(model, symbol, most, html, as_json)
        return
    if html is not None:
        raise click.UsageError("--html shows the states of a nonterminal: name one with --states.")
    report = inspect(model)
    if as_json:
        print_json(asdict(report))
        return
    click.echo("\n".join([*heading(report), "", member_table(report), "", spectrum_table(report.spectra)]))
    for line in warning_lines(report.warnings):
        note(line)


def show_states(model: Path, symbol: str, most: int, html: Path | None, as_json: bool) -> None:
    """Print the states of a nonterminal, and write the page if one is wanted."""
    found = inspect_states(model, symbol, most)
    if html is not None:
        with opened_output(html) as file:
            file.write(states_page(found).encode())
        note(f"wrote {html}")
    if as_json:
        print_json(asdict(found))
        return
    for line in state_text(found):
        click.echo(line)


def state_text(report: StatesReport) -> Iterator[str]:
    """The states as text, line by line."""
    about = f"{report.symbol}: {counted(report.nodes, 'node')}, learner {report.learner}. {explanation(report)}"
    yield from textwrap.wrap(about, WIDTH)
    for state in report.states:
        yield ""
        yield f"{report.symbol} {state.name}  {state.share:.1%}"
        for name, entries in (("words", state.words), ("rules", state.rules), ("contexts", state.contexts)):
            items = [f"{text} {share:.0%}" for text, share in entries]
            yield from wrapped(f"  {name:<9} ", items or ["none stands out"], 12)
        for text in state.examples:
            yield from textwrap.wrap(f"  such as   {text}", WIDTH, subsequent_indent=" " * 12)


def heading(report: InspectReport) -> list[str]:
    """The figures of the whole file, line by line."""
    binarized = report.settings["binarize"]
    input_form = "tagged or raw text" if report.has_tagger else "tagged text only (no tagger)"
    spans = report.spans
    told = spans and (
        f"span model: {counted(spans.weights, 'weight')}, {counted(spans.words, 'word')}, "
        f"trust in model {spans.member} {spans.trust:.2f}"
    )
    return [
        f"{report.file}: {report.bytes / 1e6:,.1f} MB, seed {report.seed}",
        f"{counted(report.symbols, 'symbol')}; unary chains {binarized['unaries']}, binarized {binarized['direction']}",
        f"parses {input_form}, by {report.settings['parse']['decoder']}",
        *([told] if told else []),
    ]


def member_table(report: InspectReport) -> str:
    """One row for each model."""
    header = ("model", "learner", "m", "mean m", "binary", "unary", "lexical", "words", "parameters")
    rows = [
        (
            number,
            member.learner,
            member.states,
            f"{member.mean_states:.1f}",
            f"{member.binary_rules:,}",
            f"{member.unary_rules:,}",
            f"{member.lexical_rules:,}",
            f"{member.words:,}",
            f"{member.parameters:,}",
        )
        for number, member in enumerate(report.members)
    ]
    return table(header, rows)
