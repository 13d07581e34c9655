"""``lpcfg embed eval``."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import capped, note, print_json, table
from lpcfg_cli.cli.text_options import MODEL, json_option
from lpcfg_cli.embeddings.archive import load_embeddings
from lpcfg_cli.embeddings.word_pairs import (
    HALVES,
    Analogies,
    Similarity,
    read_pairs,
    score_analogies,
    score_pairs,
)
from lpcfg_cli.storage.files import files_of

SUFFIX = "*.txt"


@click.command("eval")
@click.argument("vectors", type=MODEL)
@click.argument("sets", nargs=-1, type=MODEL, metavar="[SET]...")
@click.option("--analogies", "analogy_files", multiple=True, type=MODEL, help="A file of analogies; repeatable.")
@click.option("--half", type=click.Choice(HALVES), default="all", show_default=True, help="Which pairs to use.")
@click.option("--missed", is_flag=True, help="List the words without a vector, on standard error.")
@json_option
def command(
    vectors: Path,
    sets: tuple[Path, ...],
    analogy_files: tuple[Path, ...],
    half: str,
    missed: bool,
    as_json: bool,
) -> None:
    """Compare cosines with judgements of similarity: Spearman's rho on each SET.

    A set has lines of two words and a number; a folder stands for its *.txt files. Pairs with a word that has no vector
    are left out and counted. With --half first or second, every other pair is used: choose settings on one half, and
    report the other.
    """
    if not sets and not analogy_files:
        raise click.UsageError("Nothing to compare with: name sets of pairs, or --analogies FILE.")
    found = load_embeddings(vectors)
    files = files_of(sets, SUFFIX, "Name sets of pairs of words.")
    scored = [score_pairs(found, read_pairs(path).half(half)) for path in files]
    completed = [one for path in analogy_files for one in score_analogies(found, path)]
    if as_json:
        print_json({"similarity": [pairs_dict(one) for one in scored], "analogies": [vars(one) for one in completed]})
    else:
        click.echo("\n\n".join(report(scored, completed)))
    if missed:
        for one in scored:
            note(f"{one.name}: no vectors of {capped(one.missed_words, 20)}" if one.missed_words else f"{one.name}: -")


def pairs_dict(one: Similarity) -> dict[str, Any]:
    """The figures of a set, JSON-ready; rho is null where it is not defined."""
    return {
        "set": one.name,
        "rho": one.rho if math.isfinite(one.rho) else None,
        "found": one.found,
        "missed": one.missed,
        "missed_words": one.missed_words,
    }


def report(scored: list[Similarity], completed: list[Analogies]) -> list[str]:
    """The figures as tables."""
    tables = []
    if scored:
        rows = [
            [one.name, _rho(one.rho), f"{one.found:,}", f"{one.missed:,}", f"{len(one.missed_words):,}"]
            for one in scored
        ]
        tables.append(table(["set", "rho", "pairs found", "missed", "words missed"], rows))
    if completed:
        rows = [[one.name, _share(one), f"{one.right:,}", f"{one.found:,}", f"{one.missed:,}"] for one in completed]
        tables.append(table(["analogies", "%", "right", "found", "missed"], rows))
    return tables


def _rho(value: float) -> str:
    return f"{value:.3f}" if math.isfinite(value) else "-"


def _share(one: Analogies) -> str:
    return f"{100 * one.right / one.found:.1f}" if one.found else "-"
