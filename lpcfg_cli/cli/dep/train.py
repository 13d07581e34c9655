"""``lpcfg dep train``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import note, note_time, timed
from lpcfg_cli.cli.learning_notes import tell_iteration, tell_learnt
from lpcfg_cli.cli.options import resolve_settings, setting_options, verbose_option
from lpcfg_cli.cli.output_options import CheckedCommand, OutputFile
from lpcfg_cli.cli.text_options import TEXT, encoding_option
from lpcfg_cli.dependency.latent.archive import save_tree_model
from lpcfg_cli.dependency.latent.learner import TreeData
from lpcfg_cli.dependency.latent.learners import learn_trees
from lpcfg_cli.dependency.latent.observable import SpectralTreeModel
from lpcfg_cli.dependency.latent.training import tree_data
from lpcfg_cli.dependency.trees.files import read_dependency_files
from lpcfg_cli.em.monitor import ignore_record
from lpcfg_cli.execution.stopwatch import Stopwatch
from lpcfg_cli.storage.files import make_directory
from lpcfg_cli.text.reading import hashes_of
from lpcfg_cli.text.vocabulary import MARKS, UNKNOWN
from lpcfg_cli.wording import counted


@click.command("train", cls=CheckedCommand)
@click.argument("treebanks", nargs=-1, required=True, type=TEXT, metavar="CONLL...")
@click.option("-o", "--output", required=True, type=OutputFile(makes_folder=True), help="Model file: NAME.dep.npz.")
@encoding_option
@verbose_option
@setting_options("dependency")
def command(treebanks: tuple[Path, ...], output: Path, verbose: bool, **options: Any) -> None:
    """Learn a latent-variable model of dependency trees, in which each word has a hidden state (D12)."""
    settings = resolve_settings(options)
    wanted, encoding, watch = settings.dependency, settings.read.encoding, Stopwatch()
    with timed("read", verbose):
        dev = read_dependency_files([wanted.dev], encoding) if wanted.dev else []
        data = tree_data(read_dependency_files(treebanks, encoding), wanted, dev)
    tell_trees(data)
    reading = watch.lap()
    learnt = learn_trees(data, wanted, settings.seed, tell_iteration if verbose else ignore_record)
    spectrum = learnt.model.observable if isinstance(learnt.model, SpectralTreeModel) else None
    tell_learnt(learnt, wanted.states, spectrum, "neighbours")
    spent = watch.lap()
    make_directory(output.parent)
    recorded = {"dependency": settings.as_dict()["dependency"]}
    save_tree_model(learnt.model, output, recorded, settings.seed, hashes_of(treebanks))
    if verbose:
        note_time("learn", spent.seconds, spent.cpu_seconds)
    note(f"trained in {reading.seconds + spent.seconds:.1f} s: {output}")


def tell_trees(data: TreeData) -> None:
    """Print the size of the treebank."""
    unknown = int((data.trees.symbols == UNKNOWN).sum())
    rare = f"; {counted(data.n_rare, 'rare one')}, {counted(unknown, 'time')}, <unk>" if data.n_rare else ""
    note(f"treebank: {counted(len(data.trees), 'sentence')}, {counted(len(data.trees.symbols), 'word')}")
    note(f"          {counted(len(data.vocabulary) - len(MARKS), 'different symbol')}{rare}")
