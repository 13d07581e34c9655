"""``lpcfg sts train``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import note, progress, table
from lpcfg_cli.cli.options import resolve_settings, setting_options
from lpcfg_cli.cli.output_options import CheckedCommand, OutputFile
from lpcfg_cli.cli.text_options import MODEL, encoding_option
from lpcfg_cli.config import SimilaritySettings
from lpcfg_cli.embeddings.archive import load_embeddings
from lpcfg_cli.execution.stopwatch import Stopwatch
from lpcfg_cli.sts.archive import save_similarity
from lpcfg_cli.sts.comparison import Resources
from lpcfg_cli.sts.metrics import METRIC_GROUPS
from lpcfg_cli.sts.model import SimilarityModel
from lpcfg_cli.sts.sentence_pairs import PairSet, pair_files, read_judged_sets
from lpcfg_cli.sts.training import resources_of, train_similarity
from lpcfg_cli.sts.wordnet import INSTALL
from lpcfg_cli.text.reading import hashes_of
from lpcfg_cli.wording import counted

assert METRIC_GROUPS, "the table that the option names is imported first"


@click.command("train", cls=CheckedCommand)
@click.argument("sets", nargs=-1, required=True, type=MODEL, metavar="PAIRS...")
@click.option("-o", "--output", required=True, type=OutputFile(), help="Model file: NAME.sts.npz.")
@click.option("--embeddings", type=MODEL, help="Vectors of words, of `lpcfg embed train` or word2vec.")
@encoding_option
@setting_options("sts")
def command(sets: tuple[Path, ...], output: Path, embeddings: Path | None, **options: Any) -> None:
    """Learn from judged pairs of sentences: lines of a score and two sentences between tabs.

    A folder stands for its *.tsv files. Each file is a set of its own, with a regression of its own and one for all
    sets together. The vectors are stored in the model.
    """
    settings = resolve_settings(options)
    watch = Stopwatch()
    read = read_judged_sets(sets, settings.read.encoding)
    resources = resources_of(read, settings.sts, load_embeddings(embeddings) if embeddings else None)
    tell_resources(resources, settings.sts)
    model = train_similarity(read, settings.sts, resources, progress)
    note(report(model, read))
    inputs = hashes_of([*pair_files(sets), *([embeddings] if embeddings else [])])
    save_similarity(model, output, {"sts": settings.as_dict()["sts"]}, settings.seed, inputs)
    note(f"trained in {watch.lap().seconds:.1f} s: {output}")


def tell_resources(resources: Resources, settings: SimilaritySettings) -> None:
    """Say which metrics are left out."""
    if "wordnet" in settings.groups and resources.wordnet is None:
        note(f"WordNet is not installed: its metrics are left out. {INSTALL}")
    if "vectors" in settings.groups and resources.embeddings is None:
        note("no --embeddings: metrics from vectors of words are left out")


def report(model: SimilarityModel, sets: list[PairSet]) -> str:
    """The size of the model, and a line for each regression."""
    sizes = {one.name: len(one) for one in sets}
    rows = [
        [name, f"{sizes.get(name, sum(sizes.values())):,}", f"{one.strength:.3g}", f"{one.error:.3f}"]
        for name, one in model.regressions.items()
    ]
    first = next(iter(model.regressions.values()))
    title = f"model: {counted(len(model.metrics), 'metric')}, {counted(len(first.weights), 'term')}"
    if model.resources.embeddings is not None:
        title += f"; negative cosines {'count as 0' if model.resources.cut else 'count as they are'}"
    return f"{title}\n{table(['set', 'pairs', 'ridge', 'error'], rows)}"
