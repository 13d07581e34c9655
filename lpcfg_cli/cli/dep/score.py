"""``lpcfg dep score``."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import click
import numpy as np

from lpcfg_cli.cli.console import note, print_json, table
from lpcfg_cli.cli.options import resolve_settings
from lpcfg_cli.cli.output_options import CheckedCommand
from lpcfg_cli.cli.text_options import MODEL, TEXT, encoding_option, json_option
from lpcfg_cli.dependency.latent.archive import load_tree_model
from lpcfg_cli.dependency.latent.scoring import TreeScores, score_trees
from lpcfg_cli.dependency.latent.tree_arrays import TreeArrays
from lpcfg_cli.dependency.trees.files import read_dependency_files
from lpcfg_cli.text.vocabulary import UNKNOWN
from lpcfg_cli.wording import counted


@click.command("score", cls=CheckedCommand)
@click.argument("model", type=MODEL)
@click.argument("treebanks", nargs=-1, type=TEXT, metavar="[CONLL]...")
@click.option("--per-sentence", is_flag=True, help="Print ln p of each tree; --json: as JSON lines.")
@json_option
@encoding_option
def command(model: Path, treebanks: tuple[Path, ...], per_sentence: bool, as_json: bool, **options: Any) -> None:
    """Print the perplexity of the words of trees, given their structure.

    Reads files, or standard input.  Independent words have their frequencies in the treebank that the model was learnt
    from.  With --per-sentence, the summary goes to standard error.
    """
    encoding = resolve_settings(options).read.encoding
    loaded = load_tree_model(model)
    trees = loaded.arrays(read_dependency_files(treebanks or ("-",), encoding))
    found = score_trees(loaded, trees)
    if per_sentence:
        print_sentences(found, trees, as_json)
    if as_json and not per_sentence:
        print_json(as_dict(found, trees))
    else:
        click.echo(report(found, trees), err=per_sentence)
    tell_oddities(found)


def print_sentences(found: TreeScores, trees: TreeArrays, as_json: bool) -> None:
    """Print each tree: its number, words, ln p, and the sign of the estimate."""
    names = ("sentence", "words", "ln_p", "independent", "sign")
    if not as_json:
        click.echo("\t".join(names))
    signs = np.where(found.is_vanished, 0, np.where(found.is_negative, -1, 1))
    sizes = np.diff(trees.offsets).tolist()
    columns = (range(1, len(trees) + 1), sizes, found.logs.tolist(), found.independent.tolist(), signs.tolist())
    for row in zip(*columns, strict=True):
        number, size, log, independent, sign = row
        text = f"{number}\t{size}\t{log:.4f}\t{independent:.4f}\t{sign:+d}"
        click.echo(json.dumps(dict(zip(names, row, strict=True))) if as_json else text)


def report(found: TreeScores, trees: TreeArrays) -> str:
    """The figures as text."""
    words = len(trees.symbols)
    unknown = int((trees.symbols == UNKNOWN).sum())
    rows = [
        [name, f"{logs.sum():.4f}", f"{_bits(logs, words):.4f}", f"{2.0 ** _bits(logs, words):.4f}"]
        for name, logs in (("model", found.logs), ("independent words", found.independent))
    ]
    return "\n".join(
        [
            f"{counted(len(trees), 'sentence')}, {counted(words, 'word')}, {unknown:,} of them unknown",
            "",
            table(["", "ln p", "bits/word", "perplexity"], rows),
        ]
    )


def _bits(logs: np.ndarray, words: int) -> float:
    return -float(logs.sum()) / math.log(2) / max(words, 1)


def as_dict(found: TreeScores, trees: TreeArrays) -> dict[str, Any]:
    """The figures, JSON-ready."""
    words = len(trees.symbols)
    figures = {
        name: {"ln_p": float(logs.sum()), "bits": _bits(logs, words), "perplexity": 2.0 ** _bits(logs, words)}
        for name, logs in (("model", found.logs), ("independent", found.independent))
    }
    return {
        "sentences": len(trees),
        "words": words,
        "unknown": int((trees.symbols == UNKNOWN).sum()),
        "negative": int(found.is_negative.sum()),
        "vanished": int(found.is_vanished.sum()),
        **figures,
    }


def tell_oddities(found: TreeScores) -> None:
    """Print notes about what the figures may hide."""
    if not len(found.logs):
        note("there are no sentences: nothing to score")
    if negative := int(found.is_negative.sum()):
        note(f"of {counted(negative, 'tree')} the estimate is negative: its absolute value counts")
    if vanished := int(found.is_vanished.sum()):
        note(f"of {counted(vanished, 'tree')} the estimate vanishes: its words count as independent")
