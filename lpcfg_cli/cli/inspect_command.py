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
from lpcfg_cli.errors import InputError
from lpcfg_cli.stages.inspect import InspectReport, inspect
from lpcfg_cli.stages.states import StatesReport, inspect_states
from lpcfg_cli.stages.states_page import explanation, states_page
from lpcfg_cli.wording import counted


@click.command(cls=CheckedCommand)
@click.argument("model", type=click.Path(path_type=Path))
@click.option("--states", "symbol", metavar="LABEL", help="Show the latent states of this nonterminal instead.")
@click.option("--reranker", "of_reranker", is_flag=True, help="Show the heaviest features of its reranker instead.")
@click.option(
    "--most", type=click.IntRange(1), default=8, show_default=True, help="Longest list of a state; and of a template."
)
@click.option("--html", type=OutputFile(), metavar="FILE", help="Write the states as a page, too.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON, with the settings of training.")
def command(model: Path, symbol: str | None, of_reranker: bool, most: int, html: Path | None, as_json: bool) -> None:
    """Show the contents of MODEL, a model file or run directory: learners, states, rules, spectra.

    With --states NP: the share of each latent state of NP, and the words, rules and contexts by which it differs most
    from NP as a whole, in the training trees of the run directory. `lpcfg help looking` explains the output.

    With --reranker: of each template of the reranker's features those with the largest weights.

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
    if of_reranker:
        for line in reranker_text(report, most):
            click.echo(line)
        return
    click.echo("\n".join([*heading(report), "", member_table(report), "", spectrum_table(report.spectra)]))
    for line in warning_lines(report.warnings):
        note(line)


def reranker_text(report: InspectReport, most: int) -> Iterator[str]:
    """The heaviest features of a reranker, line by line: at most so many of each template."""
    own = report.reranker
    if own is None:
        raise InputError(f"{report.file}: has no reranker. Train with --rerank to make one.")
    yield from (f"{weight:+9.4f}  {name}" for name, weight in own.numbers.items())
    by_template: dict[str, list[tuple[str, float]]] = {}
    for name, weight in own.heaviest:
        template, _, texts = name.partition(" | ")
        by_template.setdefault(template, []).append((texts, weight))
    for template, features in sorted(by_template.items()):
        yield f"\n{template}"
        yield from (f"{weight:+9.4f}  {texts}" for texts, weight in features[:most])


def reranker_lines(report: InspectReport) -> list[str]:
    """What is said of the reranker, if there is one."""
    if (own := report.reranker) is None:
        return []
    gain = own.held_out
    lines = [f"reranks {own.trees} trees by {counted(own.features, 'feature')}; {own.bytes / 1e6:.1f} MB more"]
    if {"before", "after", "correct_before", "correct_after"} <= gain.keys():
        lines.append(
            f"held-out lists reranked: F1 {gain['before']:.2f} → {gain['after']:.2f}, "
            f"all correct {gain['correct_before']:.1f} → {gain['correct_after']:.1f} %"
        )
    return lines


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
        f"span model: {counted(spans.networks, 'network')} of {counted(spans.parameters, 'parameter')}, "
        f"{counted(spans.words, 'word')}, {counted(spans.chains, 'chain')} of labels"
    )
    return [
        f"{report.file}: {report.bytes / 1e6:,.1f} MB, seed {report.seed}",
        f"{counted(report.symbols, 'symbol')}; unary chains {binarized['unaries']}, binarized {binarized['direction']}",
        f"parses {input_form}, by {report.settings['parse']['decoder']}",
        *([told] if told else []),
        *reranker_lines(report),
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
