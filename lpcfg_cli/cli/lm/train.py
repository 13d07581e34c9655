"""``lpcfg lm train``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import note, note_time, progress, timed
from lpcfg_cli.cli.learning_notes import tell_chosen, tell_counts, tell_iteration
from lpcfg_cli.cli.options import open_workers, resolve_settings, setting_options, verbose_option, worker_options
from lpcfg_cli.cli.output_options import CheckedCommand, OutputFile
from lpcfg_cli.cli.text_options import MODEL, TEXT, encoding_option
from lpcfg_cli.em.monitor import ignore_record
from lpcfg_cli.execution.stopwatch import Stopwatch
from lpcfg_cli.lm.archive import load_lm, save_lm
from lpcfg_cli.lm.description import parts_of
from lpcfg_cli.lm.latent import LatentBigram
from lpcfg_cli.lm.learner import LmLearnt
from lpcfg_cli.lm.training import check_output, learn_and_mix, read_data
from lpcfg_cli.storage.files import make_directory
from lpcfg_cli.text.reading import hashes_of
from lpcfg_cli.wording import counted


@click.command("train", cls=CheckedCommand)
@click.argument("texts", nargs=-1, required=True, type=TEXT, metavar="TEXT...")
@click.option(
    "-o",
    "--output",
    required=True,
    type=OutputFile(makes_folder=True),
    help="Model file: NAME.lm.npz, NAME.arpa or NAME.arpa.gz.",
)
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
    check_output(output, settings.lm, others)
    watch = Stopwatch()
    mixed_with = [load_lm(path)[1] for path in others]
    with open_workers(jobs, dask) as mapper, timed("count", verbose):
        data = read_data(texts, settings, mixed_with, mapper, progress)
    tell_counts(data.counts)
    learnt = learn_and_mix(data, settings, mixed_with, tell_iteration if verbose else ignore_record)
    tell_learnt(learnt, settings.lm.states)
    make_directory(output.parent)
    told = {"lm": settings.as_dict()["lm"]}
    save_lm(learnt.model, output, told, settings.seed, hashes_of(texts))
    spent = watch.lap()
    if verbose:
        note_time("in all", spent.seconds, spent.cpu_seconds)
    note(f"trained in {spent.seconds:.1f} s: {output}")


def tell_learnt(learnt: LmLearnt, wanted: int) -> None:
    """Print the states, of which so many were wanted, and the chosen iteration."""
    first = parts_of(learnt.model)[0]
    if isinstance(first, LatentBigram):
        fewer = f"; {wanted} were asked for, but the text has no more" if first.n_states < wanted else ""
        note(f"model: {counted(first.n_states, 'state')}{fewer}")
    tell_chosen(learnt.records, learnt.chosen)
