"""``lpcfg dep train-parser``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import note, progress
from lpcfg_cli.cli.options import (
    no_tagger_option,
    open_workers,
    resolve_settings,
    setting_options,
    verbose_option,
    worker_options,
)
from lpcfg_cli.cli.output_options import CheckedCommand, OutputFile
from lpcfg_cli.cli.text_options import TEXT, encoding_option
from lpcfg_cli.config import TaggerSettings
from lpcfg_cli.dependency.parser.archive import save_parser
from lpcfg_cli.dependency.parser.dependency_parser import DependencyParser
from lpcfg_cli.dependency.parser.learners import LEARNERS
from lpcfg_cli.dependency.parser.orders import ORDERS
from lpcfg_cli.dependency.parser.training import train_parser
from lpcfg_cli.dependency.parser.weights import PassRecord, ignore_pass
from lpcfg_cli.dependency.trees.files import read_dependency_files
from lpcfg_cli.execution.stopwatch import Stopwatch
from lpcfg_cli.storage.files import make_directory
from lpcfg_cli.text.reading import hashes_of
from lpcfg_cli.wording import counted

assert ORDERS and LEARNERS, "tables that options name are imported first"


@click.command("train-parser", cls=CheckedCommand)
@click.argument("treebanks", nargs=-1, required=True, type=TEXT, metavar="CONLL...")
@click.option(
    "-o", "--output", required=True, type=OutputFile(makes_folder=True), help="Model file: NAME.depparser.npz."
)
@encoding_option
@no_tagger_option
@worker_options
@verbose_option
@setting_options("dependency_parser")
def command(
    treebanks: tuple[Path, ...], output: Path, jobs: int, dask: str | None, verbose: bool, **options: Any
) -> None:
    """Train a parser on dependency trees in CoNLL-X or CoNLL-U.

    With --jobs, as many of the --shards are learnt at the same time.
    """
    settings = resolve_settings(options)
    watch = Stopwatch()
    sentences = read_dependency_files(treebanks, settings.read.encoding)
    note(f"trees: {counted(len(sentences), 'sentence')}, {counted(sum(map(len, sentences)), 'word')}")
    with open_workers(jobs, dask) as mapper:
        parser = train_parser(
            sentences,
            settings.dependency_parser,
            seed=settings.seed,
            workers=mapper,
            progress=progress,
            tagger=settings.tagger,
            tell=note,
            tell_pass=tell_pass if verbose else ignore_pass,
        )
    make_directory(output.parent)
    told = {name: settings.as_dict()[name] for name in ("dependency_parser", "tagger")}
    save_parser(parser, output, told, settings.seed, hashes_of(treebanks))
    tell_model(parser, settings.tagger)
    spent = watch.lap()
    note(f"trained in {spent.seconds:.1f} s: {output}")


def tell_pass(record: PassRecord) -> None:
    """Print how many heads were right in a pass."""
    right = 1 - record.n_wrong / max(record.n_words, 1)
    note(f"pass {record.number}: {right:.1%} of the heads right, each before learning from its sentence")


def tell_model(parser: DependencyParser, tagger: TaggerSettings) -> None:
    """Print the size of the parser."""
    n_weights = int((parser.weight != 0).sum())
    relations = counted(len(parser.relations.labels), "relation")
    tags = f", {len(parser.tagger.tags):,} tags of the tagger" if parser.tagger else ", no tagger"
    note(f"model: {parser.order} order, {counted(n_weights, 'weight')}, {relations}{tags}")
