"""``lpcfg lm train``."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import note, note_time, progress, timed
from lpcfg_cli.cli.lm_options import MODEL, TEXT, encoding_option
from lpcfg_cli.cli.options import open_workers, resolve_settings, setting_options, verbose_option, worker_options
from lpcfg_cli.em.monitor import EmRecord, ignore_record
from lpcfg_cli.execution.stopwatch import Stopwatch
from lpcfg_cli.lm.archive import load_lm, save_lm
from lpcfg_cli.lm.description import parts_of
from lpcfg_cli.lm.latent import LatentBigram
from lpcfg_cli.lm.learner import LmLearnt
from lpcfg_cli.lm.training import learn_and_mix, read_data
from lpcfg_cli.storage.files import make_directory
from lpcfg_cli.text.counts import NgramCounts
from lpcfg_cli.text.reading import hashes_of


@click.command("train")
@click.argument("texts", nargs=-1, required=True, type=TEXT, metavar="TEXT...")
@click.option("-o", "--output", required=True, type=MODEL, help="Model file: NAME.lm.npz, NAME.arpa or NAME.arpa.gz.")
@click.option("--mix", "others", multiple=True, type=MODEL, help="A model of the same text to mix with; repeatable.")
@encoding_option
@worker_options
@verbose_option
@setting_options("lm")
def command(
    texts: tuple[Path, ...],
    output: Path,
    others: tuple[Path, ...],
    jobs: int,
    dask: str | None,
    verbose: bool,
    **options: Any,
) -> None:
    """Learn a language model from text, one sentence a line."""
    settings = resolve_settings(options)
    watch = Stopwatch()
    mixed_with = [load_lm(path)[1] for path in others]
    with open_workers(jobs, dask) as mapper, timed("count", verbose):
        data = read_data(texts, settings, mixed_with, mapper, progress)
    tell_counts(data.counts)
    learnt = learn_and_mix(data, settings, mixed_with, tell_iteration if verbose else ignore_record)
    tell_learnt(learnt)
    make_directory(output.parent)
    told = {"lm": settings.as_dict()["lm"]}
    save_lm(learnt.model, output, told, settings.seed, hashes_of(texts))
    spent = watch.lap()
    if verbose:
        note_time("in all", spent.seconds, spent.cpu_seconds)
    note(f"trained in {spent.seconds:.1f} s: {output}")


def tell_counts(counts: NgramCounts) -> None:
    """Print the size of the text."""
    note(f"text: {counts.sentences:,} sentences, {counts.words:,} words")
    rare = f"; {counts.n_rare:,} rare words, {counts.unknown:,} times, are <unk>" if counts.n_rare else ""
    note(f"      {len(counts.vocabulary):,} different words with <unk>, <s> and </s>{rare}")
    note(f"      {len(counts.rows):,} different {counts.order}-grams")


def tell_iteration(record: EmRecord) -> None:
    """Print an iteration of EM."""
    events = "" if record.dev_score is None else f", dev perplexity {math.exp(-record.dev_score):.1f}"
    note(f"EM {record.iteration:3}: log-likelihood {record.log_likelihood:,.1f}{events}, {record.spent.seconds:.2f} s")


def tell_learnt(learnt: LmLearnt) -> None:
    """Print the states and the chosen iteration."""
    for part in parts_of(learnt.model):
        if isinstance(part, LatentBigram):
            note(f"model: {part.n_states} states")
    if learnt.chosen is not None:
        last = learnt.records[-1].iteration
        how = "by the dev text" if learnt.records[-1].dev_score is not None else "when its bound stopped rising"
        note(f"EM: iteration {learnt.chosen} of {last}, chosen {how}")
