"""``lpcfg parse``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import chain
from pathlib import Path

import click

from lpcfg_cli.cli.console import capped, note, opened_output, print_json, progress, shows_progress, timed
from lpcfg_cli.cli.options import open_workers, verbose_option, worker_options
from lpcfg_cli.cli.output_options import CheckedCommand, OutputFile
from lpcfg_cli.cli.sentence_options import (
    format_option,
    input_encoding_option,
    max_length_option,
    on_error_option,
    raw_option,
    text_option,
    tree_format_option,
)
from lpcfg_cli.cli.table_options import FreshHelpOption, TableName, with_summaries
from lpcfg_cli.errors import LpcfgError
from lpcfg_cli.execution.ahead import compiled_ahead
from lpcfg_cli.execution.read_ahead import ReadAhead
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.parsing.closest import CLOSEST
from lpcfg_cli.parsing.compile_ahead import LAST, LATE, compile_late
from lpcfg_cli.parsing.corpora import (
    MAX_LENGTH,
    ParseReport,
    open_parser,
    parse_sentences,
    read_cleaning,
    read_conventions,
)
from lpcfg_cli.parsing.decoders import DECODERS
from lpcfg_cli.parsing.folders import Shard, find_shards, parse_shards
from lpcfg_cli.parsing.output_forms import OUTPUT_FORMS
from lpcfg_cli.storage.files import directory_for_work
from lpcfg_cli.storage.inputs import STDIN, is_live
from lpcfg_cli.storage.outputs import write_lines
from lpcfg_cli.tagging.sentence import InputSettings
from lpcfg_cli.tagging.sentences import SENTENCE_FORMATS, open_sentences, read_abbreviations
from lpcfg_cli.tagging.text import TextConventions
from lpcfg_cli.treebank.folders import reasons
from lpcfg_cli.wording import counted

EXPLAINED = {
    "unpruned": "without pruning",
    "coarse": "by the plain PCFG",
    "backed-off": "with unseen rules",
    "partial": "in pieces",
    "flat": "too long, flat",
    "empty": "empty",
    "failed": "not readable",
}
"""What is said of each status of a sentence but the usual one."""

NAMED_PLACES = 20
"""Largest number of sentences of each status that are named; JSON has all."""


@click.command(cls=CheckedCommand)
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("source", metavar="[INPUT]", default="-", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=OutputFile(lambda values: values["source"].is_dir()),
    help="Write trees here; default standard output.",
)
@format_option("slash")
@raw_option
@text_option
@click.option(
    "--complete", "form", flag_value="partial", help="INPUT has half-bracketed trees: complete them; -f partial."
)
@click.option(
    "--root", metavar="LABEL", help="Label of the uppermost bracket of every tree; see `lpcfg help constraints`."
)
@click.option(
    "--closest", is_flag=True, help="If no tree meets the constraints on a sentence, leave out those that do not fit."
)
@click.option(
    "--abbreviations",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="With --text: words, a line each, after which a full stop ends no sentence, besides those of the treebank.",
)
@click.option(
    "--to",
    "output_form",
    type=TableName(OUTPUT_FORMS),
    cls=FreshHelpOption,
    text=lambda: f"Form of the output.  {with_summaries(OUTPUT_FORMS)}.  See `lpcfg help confidence`.",
)
@click.option(
    "--html",
    "page",
    type=OutputFile(),
    metavar="FILE",
    help="Write one page with drawings of the trees, coloured by confidence; as -o FILE --to html.",
)
@click.option("--decoder", type=TableName(DECODERS), help="Criterion for the best tree; default as trained.")
@click.option(
    "--bracket-threshold",
    type=float,
    metavar="P",
    help="For expected-f1: more gives fewer brackets and higher precision, less higher recall; default as trained.",
)
@click.option(
    "--tree-weight",
    type=float,
    metavar="W",
    help="For expected-f1: more makes more trees correct as a whole, too much fewer brackets; default as trained.",
)
@click.option(
    "--span-weight",
    type=float,
    metavar="W",
    help="For expected-f1: share of the span model, if there is one; the grammars have the rest; default as trained.",
)
@click.option("--threshold", type=float, help="Posterior below which items are pruned; default as trained.")
@click.option(
    "--nbest", type=click.IntRange(min=1), metavar="N", help="Write the N best trees: lines of score, tab and tree."
)
@click.option(
    "--rerank/--no-rerank",
    "reranks",
    default=None,
    help="Whether the model's reranker, if it has one, chooses among the best trees; default as trained.",
)
@max_length_option(MAX_LENGTH, "A longer sentence is not parsed: its tree has the words side by side under TOP.")
@on_error_option("Stop at a line that cannot be read, or write (()) for it and continue.")
@input_encoding_option
@tree_format_option
@worker_options
@verbose_option
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON; needs -o.")
def command(
    model: Path,
    source: Path,
    output: Path | None,
    form: str,
    root: str | None,
    closest: bool,
    abbreviations: Path | None,
    decoder: str | None,
    bracket_threshold: float | None,
    tree_weight: float | None,
    span_weight: float | None,
    threshold: float | None,
    nbest: int | None,
    reranks: bool | None,
    output_form: str | None,
    page: Path | None,
    max_length: int,
    on_error: str,
    encoding: str,
    tree_format: str,
    jobs: int,
    dask: str | None,
    verbose: bool,
    as_json: bool,
) -> None:
    """Parse the sentences of INPUT with MODEL, a model file, run directory or *.pcfg file of rules.

    INPUT has one sentence on each line, as word/TAG tokens (split at the last slash), tokenised as in the treebank; -
    is standard input.  Writes one bracketed tree on each line, always one for each sentence, in order; (()) for an
    empty line.  Given tags are not changed.  With --nbest, there are at most N different trees for each sentence, best
    first, each after its score and a tab, and an empty line after them.

    With --raw, tags are chosen together with the tree.  With --text, empty lines end paragraphs, sentences are split
    with the abbreviations of the treebank, and words by NLTK's rules: those of the Penn Treebank if the treebank splits
    English contractions.  In both cases quotes, brackets and dashes are written as in the treebank.

    INPUT may be a folder of such files; OUTPUT is then a folder, with a file of trees for each.  If the command is run
    again, finished files are not parsed again.
    """
    if page is not None:
        if output is not None or output_form is not None:
            raise click.UsageError("--html FILE is -o FILE --to html: leave out -o and --to.")
        output, output_form = page, "html"
    if as_json and output is None:
        raise click.UsageError("--json prints the summary on standard output, so name a file for the trees with -o.")
    with timed("model", verbose):
        changed = {"decoder": decoder, "bracket_threshold": bracket_threshold, "threshold": threshold, "nbest": nbest}
        changed |= {"scores": None if nbest is None else True, "output": output_form, "span_weight": span_weight}
        changed |= {"rerank": reranks, "tree_weight": tree_weight}
        parser = open_parser(model, changed)
        conventions = None if SENTENCE_FORMATS[form].has_tags else read_conventions(model)
    ahead = compiled_ahead(compile_late, [parser], LATE, LAST, jobs=0 if dask else jobs)
    click.get_current_context().with_resource(ahead)
    if abbreviations is not None:
        if form != "text" or conventions is None:
            raise click.UsageError("--abbreviations is for running text, so it needs --text.")
        conventions = conventions.with_abbreviations(read_abbreviations(abbreviations, encoding))
    reading = InputSettings(encoding, on_error, tree_format, clean=read_cleaning(model), root=root)
    unsatisfiable = CLOSEST if closest else on_error
    report = ParseReport()
    with timed("parse", verbose), open_workers(jobs, dask) as mapper:
        if source.is_dir():
            like = Shard(source, source, parser, form, reading, max_length, conventions, unsatisfiable)
            parse_folder(source, output, like, report, mapper)
        else:
            sentences = open_sentences(source, form, reading, note, conventions)
            sentences = ReadAhead(sentences) if is_live(source) else sentences
            trees = parse_sentences(parser, sentences, report, max_length, note, mapper, unsatisfiable)
            form_of_output = OUTPUT_FORMS[output_form or "trees"]
            try:
                total = count_sentences(source, form, reading, conventions)
                with opened_output(output) as file:
                    lines = (one.line for one in progress(trees, "parse", total, "sentence"))
                    ends = ([text] if text else [] for text in (form_of_output.header, form_of_output.footer))
                    write_lines(chain(next(ends), lines, next(ends)), file)
            except LpcfgError:
                note(f"parsed {counted(report.sentences, 'sentence')} before this error:")
                raise
    if as_json:
        print_json({**asdict(report), "statuses": dict(report.statuses)})
    for line in [*summary(report), *(named_places(report) if verbose else [])]:
        note(line)


def count_sentences(source: Path, form: str, reading: InputSettings, conventions: TextConventions | None) -> int | None:
    """The number of sentences of a file, for the progress bar; None if there is no bar or no file to count."""
    if not shows_progress() or is_live(source) or str(source) == STDIN:
        return None
    counting = replace(reading, on_error="skip")
    try:
        return sum(1 for _ in open_sentences(source, form, counting, conventions=conventions))
    except LpcfgError:
        return None  # parsing itself gives the error, after the sentences before it


def parse_folder(folder: Path, output: Path | None, like: Shard, report: ParseReport, mapper: Mapper) -> None:
    """Parse the files of a folder, each with the settings of the shard `like`."""
    if output is None:
        raise click.UsageError("INPUT is a folder, so name a folder for the trees with -o.")
    with directory_for_work(output):
        shards = find_shards(folder, output, lambda source, target: replace(like, source=source, target=target))
        outcomes = progress(parse_shards(shards, report, note, mapper), "parse", len(shards), "file")
        n_finished = sum(outcome.was_finished for outcome in outcomes)
    if shards.left_out:
        note(f"left out: {reasons(shards.left_out)}")
    were = "was" if n_finished == 1 else "were"
    note(f"{counted(len(shards), 'file')}, of which {n_finished:,} {were} finished before")


def named_places(report: ParseReport) -> Iterator[str]:
    """The places of the sentences of each status that is not the usual one, a line for each status."""
    for status, text in EXPLAINED.items():
        if places := report.places.get(status):
            yield f"{text}: {capped(places, NAMED_PLACES)}"


def summary(report: ParseReport) -> list[str]:
    """The report, line by line."""
    speed = report.words / report.seconds if report.seconds else 0
    lines = [
        f"parsed {counted(report.sentences, 'sentence')}, {counted(report.words, 'word')} "
        f"in {report.seconds:.1f} s ({speed:,.0f} words/s)"
    ]
    ways = [f"{report.statuses[status]:,} {text}" for status, text in EXPLAINED.items() if report.statuses[status]]
    lines.append(f"fallbacks: {report.fallbacks} ({', '.join(ways)})" if ways else f"fallbacks: {report.fallbacks}")
    lines[-1] += f"; negative totals: {report.negative_totals}"
    return lines
