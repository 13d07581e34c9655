"""``lpcfg embed train``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import note, note_time, print_json, progress, timed
from lpcfg_cli.cli.options import open_workers, resolve_settings, setting_options, verbose_option, worker_options
from lpcfg_cli.cli.output_options import CheckedCommand, OutputFile
from lpcfg_cli.cli.text_options import TEXT, encoding_option, json_option
from lpcfg_cli.embeddings.archive import ARCHIVE_SUFFIX, save_embeddings
from lpcfg_cli.embeddings.methods import EMBEDDING_METHODS
from lpcfg_cli.embeddings.training import ReadText, learn_embeddings, read_text
from lpcfg_cli.embeddings.vectors import Embeddings
from lpcfg_cli.errors import OutputError
from lpcfg_cli.execution.stopwatch import Stopwatch
from lpcfg_cli.text.reading import hashes_of

assert EMBEDDING_METHODS, "the table that the option names is imported first"


@click.command("train", cls=CheckedCommand)
@click.argument("texts", nargs=-1, required=True, type=TEXT, metavar="TEXT...")
@click.option("-o", "--output", required=True, type=OutputFile(), help="File of the vectors: NAME.embed.npz.")
@json_option
@encoding_option
@worker_options
@verbose_option
@setting_options("embed")
def command(
    texts: tuple[Path, ...], output: Path, as_json: bool, jobs: int, dask: str | None, verbose: bool, **options: Any
) -> None:
    """Learn vectors of words from text."""
    settings = resolve_settings(options)
    if output.suffix != ARCHIVE_SUFFIX:
        raise OutputError(
            f"{output}: the name of an archive ends in {ARCHIVE_SUFFIX}. Give such a name, and make other forms of it "
            "with `lpcfg embed export`."
        )
    watch = Stopwatch()
    with open_workers(jobs, dask) as mapper:
        with timed("read", verbose):
            text = read_text(texts, settings, mapper, progress)
        tell_text(text)
        with timed("learn", verbose):
            found = learn_embeddings(text.rows, settings.embed, settings.seed, mapper, progress)
    tell_dimensions(found, settings.embed.dimensions)
    told = {"embed": settings.as_dict()["embed"]}
    save_embeddings(found, output, told, settings.seed, hashes_of(texts))
    spent = watch.lap()
    if verbose:
        note_time("in all", spent.seconds, spent.cpu_seconds)
    note(f"trained in {spent.seconds:.1f} s: {output}")
    if as_json:
        print_json(as_dict(text, found, spent.seconds))


def tell_text(text: ReadText) -> None:
    """Print the size of the text."""
    found = text.numbered
    note(f"text: {found.words:,} words, {found.n_rare + len(found.vocabulary) - 3:,} different ones")
    covered = int(text.rows.count.sum()) / found.words
    note(f"      {len(text.rows.words):,} of them get vectors, {covered:.1%} of the text")


def tell_dimensions(found: Embeddings, wanted: int) -> None:
    """Print the number of dimensions, and whether the text has fewer than were asked for."""
    note(f"vectors: {found.dimensions} dimensions, correlations {_range(found)}")
    if found.dimensions < wanted:
        note(f"the text has only {found.dimensions} dimensions, fewer than the {wanted} asked for: so many are kept")


def _range(found: Embeddings) -> str:
    return f"{found.correlations[0]:.3f} to {found.correlations[-1]:.3f}"


def as_dict(text: ReadText, found: Embeddings, seconds: float) -> dict[str, Any]:
    """What was read and learnt, JSON-ready."""
    return {
        "words": text.numbered.words,
        "different_words": text.numbered.n_rare + len(text.numbered.vocabulary) - 3,
        "vectors": len(found),
        "dimensions": found.dimensions,
        "correlations": found.correlations.tolist(),
        "seconds": seconds,
    }
