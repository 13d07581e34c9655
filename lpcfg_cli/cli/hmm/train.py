"""``lpcfg hmm train``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import note, note_time, progress, timed
from lpcfg_cli.cli.learning_notes import tell_counts, tell_iteration, tell_learnt
from lpcfg_cli.cli.options import open_workers, resolve_settings, setting_options, verbose_option, worker_options
from lpcfg_cli.cli.output_options import CheckedCommand, OutputFile
from lpcfg_cli.cli.text_options import TEXT, encoding_option
from lpcfg_cli.em.monitor import ignore_record
from lpcfg_cli.execution.stopwatch import Stopwatch
from lpcfg_cli.hmm.archive import save_hmm
from lpcfg_cli.hmm.learners import learn_hmm
from lpcfg_cli.hmm.operators import SpectralModel
from lpcfg_cli.hmm.training import read_data
from lpcfg_cli.storage.files import make_directory
from lpcfg_cli.text.reading import hashes_of


@click.command("train", cls=CheckedCommand)
@click.argument("texts", nargs=-1, required=True, type=TEXT, metavar="TEXT...")
@click.option("-o", "--output", required=True, type=OutputFile(makes_folder=True), help="Model file: NAME.hmm.npz.")
@encoding_option
@worker_options
@verbose_option
@setting_options("hmm")
def command(texts: tuple[Path, ...], output: Path, jobs: int, dask: str | None, verbose: bool, **options: Any) -> None:
    """Learn a model from sequences of symbols, such as sentences, one a line."""
    settings = resolve_settings(options)
    watch = Stopwatch()
    with open_workers(jobs, dask) as mapper, timed("count", verbose):
        data = read_data(texts, settings, mapper, progress)
    tell_counts(data.counts)
    learnt = learn_hmm(data, settings.hmm, settings.seed, tell_iteration if verbose else ignore_record)
    spectrum = learnt.model.observable if isinstance(learnt.model, SpectralModel) else None
    tell_learnt(learnt, settings.hmm.states, spectrum, "bigrams")
    make_directory(output.parent)
    save_hmm(learnt.model, output, {"hmm": settings.as_dict()["hmm"]}, settings.seed, hashes_of(texts))
    spent = watch.lap()
    if verbose:
        note_time("in all", spent.seconds, spent.cpu_seconds)
    note(f"trained in {spent.seconds:.1f} s: {output}")
