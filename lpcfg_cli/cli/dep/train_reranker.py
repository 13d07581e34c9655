"""``lpcfg dep train-reranker``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import note
from lpcfg_cli.cli.options import no_tagger_option, open_workers, resolve_settings, setting_options, worker_options
from lpcfg_cli.cli.output_options import CheckedCommand, OutputFolder
from lpcfg_cli.cli.text_options import TEXT, encoding_option
from lpcfg_cli.dependency.parser.orders import ORDERS
from lpcfg_cli.dependency.reranking.archive import save_reranking_parser
from lpcfg_cli.dependency.reranking.jackknife import RerankPlan, with_words
from lpcfg_cli.dependency.reranking.reranking_parser import RerankingParser, train_reranking_parser
from lpcfg_cli.dependency.trees.files import read_dependency_files
from lpcfg_cli.execution.stopwatch import Stopwatch
from lpcfg_cli.text.reading import hashes_of
from lpcfg_cli.wording import counted


@click.command("train-reranker", cls=CheckedCommand)
@click.argument("treebanks", nargs=-1, required=True, type=TEXT, metavar="CONLL...")
@click.option("-o", "--output", required=True, type=OutputFolder(), help="Folder of the three models.")
@encoding_option
@no_tagger_option
@worker_options
@click.option(
    "--order", "dependency_parser__order", type=click.Choice(list(ORDERS)), help="Which parts of a tree have scores."
)
@setting_options("dependency_rerank", "dependency")
def command(treebanks: tuple[Path, ...], output: Path, jobs: int, dask: str | None, **options: Any) -> None:
    """Train a parser, a latent-variable model, and a reranker of the parser's lists of trees (D12 §4).

    The reranker learns from lists of the treebank itself: each part of it is parsed by models of the other parts.
    Further settings of the parser are read from --config, section dependency_parser.
    """
    settings = resolve_settings(options)
    watch = Stopwatch()
    sentences = with_words(read_dependency_files(treebanks, settings.read.encoding))
    note(f"trees: {counted(len(sentences), 'sentence')}, {counted(sum(map(len, sentences)), 'word')}")
    plan = RerankPlan(
        sentences, settings.dependency_parser, settings.dependency, settings.dependency_rerank, settings.seed
    )
    with open_workers(jobs, dask) as mapper:
        parser = train_reranking_parser(plan, settings.tagger, mapper)
    told = {
        name: settings.as_dict()[name] for name in ("dependency_rerank", "dependency_parser", "dependency", "tagger")
    }
    save_reranking_parser(parser, output, told, settings.seed, hashes_of(treebanks))
    tell_model(parser)
    note(f"trained in {watch.lap().seconds:.1f} s: {output}")


def tell_model(parser: RerankingParser) -> None:
    """Print the size of the reranker."""
    own = parser.linear
    bins = f", {counted(len(own.space.edges) + 1, 'bin')} of ln p" if len(own.space.edges) else ""
    note(
        f"reranker: {counted(len(own.space.triples), 'triple')} of tags{bins}; weights {own.score_weight:.3g} of the "
        f"parser's score, {own.log_weight:.3g} of ln p"
    )
