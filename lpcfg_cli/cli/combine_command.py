"""``lpcfg combine``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import note, opened_output, progress
from lpcfg_cli.cli.convert_command import tell_skipped
from lpcfg_cli.cli.options import resolve_settings, setting_options
from lpcfg_cli.cli.output_options import CheckedCommand, OutputFile
from lpcfg_cli.errors import InputError
from lpcfg_cli.parsing.combination import combined
from lpcfg_cli.treebank.clean import with_named_roots
from lpcfg_cli.treebank.files import TreeFiles, read_tree_files
from lpcfg_cli.treebank.sources import source_name
from lpcfg_cli.wording import counted


@click.command(cls=CheckedCommand)
@click.argument("trees", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--output", type=OutputFile(), help="File to write; default standard output.")
@click.option("--weights", metavar="W,W,…", help="A positive weight for each file; default all equal.")
@click.option(
    "--threshold", type=click.FloatRange(0, 1), default=0.5, show_default=True,
    help="Share of the weights above which a bracket pays; more gives fewer brackets.",
)  # fmt: skip
@setting_options("read", has_short_config=False)
def command(
    trees: tuple[Path, ...], output: Path | None, weights: str | None, threshold: float, **options: Any
) -> None:
    """Make one tree of each sentence from several parsers' TREES.

    \b
    lpcfg combine a.mrg b.mrg c.mrg -o best.mrg     brackets of most files
    lpcfg combine a.mrg b.mrg --weights 2,1         those of a.mrg count twice

    The files have trees of the same sentences in the same order, of any parsers. The tree is made of the brackets
    that have more than half of the weights, or, with another threshold, of those that nest and gain most: each gains
    its share less the threshold. Each word gets the tag with most weight. A tree (()) does not vote.
    """
    if len(trees) < 2:
        raise click.UsageError("Give at least two files of trees of the same sentences.")
    of_files = _weights(weights, len(trees))
    settings = resolve_settings(options).read
    files = [read_tree_files([path], settings, progress) for path in trees]
    for part in files:
        tell_skipped(part)
    _check_numbers(trees, files)
    with opened_output(output) as file:
        named = [with_named_roots(part.trees) for part in files]
        for line in combined(named, of_files, threshold, [source_name(path) for path in trees]):
            file.write(f"{line}\n".encode())
    note(f"combined {counted(files[0].trees.n_trees, 'tree')} of {counted(len(trees), 'file')}")


def _weights(text: str | None, n_files: int) -> list[float]:
    if text is None:
        return [1.0] * n_files
    try:
        weights = [float(part) for part in text.split(",")]
    except ValueError:
        raise click.UsageError(f"--weights {text}: expected numbers joined by commas, such as 2,1,1.") from None
    if len(weights) != n_files or not all(0 < weight < float("inf") for weight in weights):
        raise click.UsageError(f"--weights {text}: expected {n_files} positive numbers, one for each file.")
    return weights


def _check_numbers(paths: tuple[Path, ...], files: list[TreeFiles]) -> None:
    expected = files[0].trees.n_trees
    for path, part in zip(paths, files, strict=True):
        if part.trees.n_trees != expected:
            raise InputError(
                f"{path}: {counted(part.trees.n_trees, 'tree')}, but {paths[0]} has {expected:,}. "
                "The files must have trees of the same sentences in the same order."
            )
