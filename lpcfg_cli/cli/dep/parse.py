"""``lpcfg dep parse``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from lpcfg_cli.cli.console import note, opened_output, progress, timed
from lpcfg_cli.cli.options import open_workers, verbose_option, worker_options
from lpcfg_cli.cli.output_options import CheckedCommand, OutputFile
from lpcfg_cli.cli.sentence_options import (
    format_option,
    input_encoding_option,
    max_length_option,
    on_error_option,
    raw_option,
    text_option,
)
from lpcfg_cli.cli.text_options import MODEL, TEXT
from lpcfg_cli.dependency.parser.corpora import (
    MAX_LENGTH,
    ParseChoices,
    ParsedTrees,
    ParseReport,
    Status,
    open_parser,
    parse_sentences,
)
from lpcfg_cli.dependency.parser.input import CONLL, open_input
from lpcfg_cli.dependency.trees.conll import conll_lines
from lpcfg_cli.errors import LpcfgError
from lpcfg_cli.execution.read_ahead import ReadAhead
from lpcfg_cli.execution.workers import FileValue
from lpcfg_cli.storage.inputs import is_live
from lpcfg_cli.storage.outputs import write_lines
from lpcfg_cli.tagging.sentence import InputSettings
from lpcfg_cli.wording import counted

Function = TypeVar("Function", bound=Callable[..., Any])

EXPLAINED = {Status.FLAT: "too long, flat", Status.EMPTY: "empty", Status.FAILED: "not readable"}
"""What is said of each status but the usual one."""

MOST_TREES = 1000
"""Largest value of --nbest: memory grows with it, and with the square of the length."""


OPTIONS = (
    click.argument("model", type=MODEL),
    click.argument("source", metavar="[INPUT]", default="-", type=TEXT),
    click.option("-o", "--output", type=OutputFile(), help="Write trees here; default standard output."),
    format_option(CONLL),
    raw_option,
    text_option,
    click.option("--retag", is_flag=True, help="Replace the tags of INPUT by those of the model's tagger."),
    click.option(
        "--nbest",
        type=click.IntRange(1, MOST_TREES),
        metavar="N",
        help="Write the N best trees, each with its score in a comment.",
    ),
    click.option("--conll-x", is_flag=True, help="Write CoNLL-X: no comments, and no tokens of several words."),
    max_length_option(MAX_LENGTH, "A longer sentence is not parsed: each of its words is the head of the next."),
    on_error_option("Stop at a sentence that cannot be read, or leave it out and continue."),
    input_encoding_option,
    worker_options,
    verbose_option,
)
"""The arguments and options of commands that parse."""


def parsing_options(function: Function) -> Function:
    """Decorator: `OPTIONS`."""
    for option in reversed(OPTIONS):
        function = option(function)
    return function


def parse(
    open_model: Callable[[Path], FileValue],
    model: Path,
    source: Path,
    output: Path | None,
    form: str,
    retag: bool,
    nbest: int | None,
    conll_x: bool,
    max_length: int,
    on_error: str,
    encoding: str,
    jobs: int,
    dask: str | None,
    verbose: bool,
) -> None:
    """Parse with the model that a function opens; the other parameters are those of `OPTIONS`."""
    if nbest and conll_x:
        raise click.UsageError("--nbest writes scores as comments, which CoNLL-X does not have.")
    with timed("model", verbose):
        parser = open_model(model)
    reading, report = InputSettings(encoding, on_error), ParseReport()
    sentences = open_input(source, form, reading, parser.get().conventions, note)
    sentences = ReadAhead(sentences) if is_live(source) else sentences
    choices = ParseChoices(nbest or 0, max_length, retag)
    with timed("parse", verbose), open_workers(jobs, dask) as mapper:
        parsed = parse_sentences(parser, sentences, report, choices, note, mapper)
        try:
            with opened_output(output) as file:
                write_lines(output_blocks(progress(parsed, "parse", unit="sentence"), conll_x), file)
        except LpcfgError:
            note(f"parsed {counted(report.sentences, 'sentence')} before this error:")
            raise
    note(summary(report))


def output_blocks(parsed: Iterable[ParsedTrees], is_conll_x: bool) -> Iterator[str]:
    """The lines of each tree, joined, with the empty line after it but without the newline that ends that."""
    for one in parsed:
        for tree in one.trees:
            shown = replace(tree, comments=(), inserted=()) if is_conll_x else tree
            yield "\n".join(conll_lines(shown))


def summary(report: ParseReport) -> str:
    """What was parsed, in one line."""
    speed = report.sentences / report.seconds if report.seconds else 0
    line = (
        f"parsed {counted(report.sentences, 'sentence')}, {counted(report.words, 'word')} "
        f"in {report.seconds:.1f} s ({speed:,.0f} sentences/s)"
    )
    ways = [f"{report.statuses[status]:,} {text}" for status, text in EXPLAINED.items() if report.statuses[status]]
    return f"{line}; {', '.join(ways)}" if ways else line


@click.command("parse", cls=CheckedCommand)
@parsing_options
def command(**options: Any) -> None:
    """Parse the sentences of INPUT with MODEL, a file of `lpcfg dep train-parser`.

    INPUT is in CoNLL-X or CoNLL-U; - is standard input.  Forms and tags are read, heads and relations are written;
    other columns, comments and tokens of several words stay as they are.  Sentences without tags are tagged first.
    With -f, INPUT has another format, as for `lpcfg parse`.
    """
    parse(open_parser, **options)
