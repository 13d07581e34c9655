"""``lpcfg surprisal``."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

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
    tree_format_option,
)
from lpcfg_cli.execution.read_ahead import ReadAhead
from lpcfg_cli.parsing.corpora import MAX_LENGTH, read_cleaning, read_conventions
from lpcfg_cli.parsing.prefix_words import Predicted
from lpcfg_cli.parsing.surprisal import (
    Surprisal,
    SurprisalModel,
    SurprisalOptions,
    SurprisalReport,
    open_surprisal,
    surprisals,
)
from lpcfg_cli.storage.inputs import is_live
from lpcfg_cli.storage.outputs import write_lines
from lpcfg_cli.tagging.sentence import InputSettings
from lpcfg_cli.tagging.sentences import SENTENCE_FORMATS, open_sentences
from lpcfg_cli.wording import counted

COLUMNS = ("sentence", "position", "word", "tag", "known", "states", "bits", "total")
"""The header of the table, and the names in JSON."""

ENTROPY = "entropy"
"""The column that --entropy adds."""

NOTHING = "_"
"""What the table has where there is no value."""


@click.command(cls=CheckedCommand)
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("source", metavar="[INPUT]", default="-", type=click.Path(path_type=Path, dir_okay=False))
@click.option("-o", "--output", type=OutputFile(), help="Write the table here; default standard output.")
@format_option("raw")
@raw_option
@text_option
@click.option(
    "--predict",
    type=click.Choice([str(one) for one in Predicted]),
    default=str(Predicted.WORDS),
    show_default=True,
    help="Predict words with any tags, tags with any words, or both together; tags are those of INPUT.",
)
@click.option(
    "--threshold",
    type=float,
    default=SurprisalOptions.threshold,
    show_default=True,
    metavar="P",
    help="Share of the prefix probability below which items are pruned.",
)
@click.option("--entropy", is_flag=True, help="Add a column: the entropy of what may stand at this place, in bits.")
@click.option("--exact", is_flag=True, help="Prune nothing: --threshold 0.  Slower, and takes much memory.")
@click.option("--signed", is_flag=True, help="Allow spectral models, whose prefix totals may be negative.")
@max_length_option(MAX_LENGTH, "A longer sentence gets no figures.")
@on_error_option("Stop at a line that cannot be read, or leave it out and continue.")
@input_encoding_option
@tree_format_option
@worker_options
@verbose_option
@click.option("--json", "as_json", is_flag=True, help="Write JSON lines, one for each word.")
def command(
    model: Path,
    source: Path,
    output: Path | None,
    form: str,
    predict: str,
    threshold: float,
    entropy: bool,
    exact: bool,
    signed: bool,
    max_length: int,
    on_error: str,
    encoding: str,
    tree_format: str,
    jobs: int,
    dask: str | None,
    verbose: bool,
    as_json: bool,
) -> None:
    """Print the surprisal of each word of INPUT, in bits, under MODEL, a model file, run directory or *.pcfg file.

    The surprisal of a word is -log2 of its probability after the words before it, summed over all trees, tags and
    latent states, by prefix probabilities.  INPUT has one sentence on each line, tokenised as in the treebank; - is
    standard input.  Writes a table with tabs: the end of a sentence, </s>, is predicted too, and the surprisals of a
    sentence sum to -log2 of its probability.

    The model must have been trained by a learner of probabilities, such as --learner em.  `lpcfg help
    reading-times` says more.
    """
    predicted = Predicted(predict)
    if predicted != Predicted.WORDS and not SENTENCE_FORMATS[form].has_tags:
        raise click.UsageError(f"--predict {predict} needs tags, which -f {form} does not have; name another format.")
    options = SurprisalOptions(predicted, 0.0 if exact else threshold, signed, entropy)
    with timed("model", verbose):
        kept = open_surprisal(model, options)
        conventions = None if SENTENCE_FORMATS[form].has_tags else read_conventions(model)
    tell_model(kept.get())
    reading = InputSettings(encoding, on_error, tree_format, clean=read_cleaning(model))
    sentences, report = open_sentences(source, form, reading, note, conventions), SurprisalReport()
    sentences = ReadAhead(sentences) if is_live(source) else sentences
    with timed("surprisal", verbose), open_workers(jobs, dask) as mapper, opened_output(output) as file:
        found = progress(surprisals(kept, sentences, report, max_length, note, mapper), "surprisal", unit="sentence")
        write_lines(lines_of(found, as_json, entropy), file)
    for line in summary(report):
        note(line)


def tell_model(model: SurprisalModel) -> None:
    """Print notes on the masses of the grammars and on grammars that are not used."""
    if model.n_left_out:
        note(f"left out: {counted(model.n_left_out, 'grammar')} of the ensemble without probabilities; see --signed")
    masses = ", ".join(f"{mass:.4f}" for mass in model.masses)
    note(f"all sentences together have probability {masses}, by which probabilities are divided")
    if not model.is_converged:
        note("this sum has not converged: the grammar is not consistent, and the figures are rough")


def lines_of(found: Iterable[Surprisal], as_json: bool, has_entropy: bool) -> Iterator[str]:
    """The lines of the output, without line ends."""
    if not as_json:
        yield "\t".join((*COLUMNS, *[ENTROPY] * has_entropy))
    for number, sentence in enumerate(found, 1):
        for row in rows_of(number, sentence):
            yield json.dumps(row, ensure_ascii=False) if as_json else "\t".join(map(shown, row.values()))


def rows_of(number: int, sentence: Surprisal) -> Iterator[dict[str, Any]]:
    """The values of each word of a sentence and of its end, JSON-ready; a sentence without words has none."""
    total = 0.0
    for position, row in enumerate(sentence.words(), 1):
        total += row.bits
        has_entropy = sentence.entropy is not None
        values = (row.bits, total, *[row.entropy or 0.0] * has_entropy)
        figures = (value if math.isfinite(value) else None for value in values)
        names = (*COLUMNS, *[ENTROPY] * has_entropy)
        yield dict(zip(names, (number, position, row.word, row.tag, row.known, row.states, *figures), strict=True))


def shown(value: Any) -> str:
    """A value as the table has it."""
    if value is None:
        return NOTHING
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def summary(report: SurprisalReport) -> Iterator[str]:
    """The report, line by line."""
    yield (
        f"{counted(report.sentences, 'sentence')}, {counted(report.words, 'word')}, {report.unknown:,} of them unknown"
        + f"; mean {report.mean_bits:.4f} bits over {report.events:,} words and ends" * (report.events > 0)
    )
    if report.left_out:
        yield f"{counted(report.left_out, 'sentence')} without figures"
    if report.impossible or report.undefined:
        yield (
            f"without a finite surprisal: {report.impossible:,} with probability 0, "
            f"{report.undefined:,} after one of these or a negative total"
        )
