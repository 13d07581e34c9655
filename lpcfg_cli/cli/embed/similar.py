"""``lpcfg embed similar``."""

from __future__ import annotations

from pathlib import Path

import click

from lpcfg_cli.cli.console import note, print_json
from lpcfg_cli.cli.groups import nearest
from lpcfg_cli.cli.text_options import MODEL, json_option
from lpcfg_cli.embeddings.archive import load_embeddings
from lpcfg_cli.embeddings.vectors import Embeddings
from lpcfg_cli.errors import InputError

MOST_SUGGESTED = 20_000
"""Words among which a similar spelling is looked for: the search takes a second for more."""


@click.command("similar")
@click.argument("vectors", type=MODEL)
@click.argument("words", nargs=-1, required=True, metavar="WORD...")
@click.option("--top", type=click.IntRange(min=1), default=10, show_default=True, help="Number of neighbours.")
@click.option("--analogy", is_flag=True, help="Of three words A B C, what is to C as B is to A.")
@json_option
def command(vectors: Path, words: tuple[str, ...], top: int, analogy: bool, as_json: bool) -> None:
    """List the words nearest to each word, with cosines."""
    if analogy and len(words) != 3:
        raise click.UsageError(f"--analogy takes three words, A B C; found {len(words)}.")
    found = load_embeddings(vectors)
    known = [word for word in words if found.number_of(word) is not None]
    for word in words:
        if word not in known:
            note(f"{word}: no vector.{nearest(word, found.words[:MOST_SUGGESTED])}")
    if not known or (analogy and len(known) < 3):
        raise InputError(f"{vectors}: has no vectors of these words, but {len(found):,} others.")
    lists = analogies(found, words, top) if analogy else [(word, found.nearest(word, top)) for word in known]
    if as_json:
        print_json([{"word": word, "similar": [{"word": w, "cosine": c} for w, c in near]} for word, near in lists])
    else:
        click.echo("\n".join(line for word, near in lists for line in lines(word, near, len(lists) > 1)))


def analogies(found: Embeddings, words: tuple[str, ...], top: int) -> list[tuple[str, list[tuple[str, float]]]]:
    """The list of one analogy, under its name."""
    a, b, c = words
    return [(f"{a} : {b} = {c} : ?", found.analogy(a, b, c, top))]


def lines(word: str, near: list[tuple[str, float]], has_title: bool) -> list[str]:
    """One line for each neighbour, after the word if there are several."""
    title, indent = ([word], "  ") if has_title else ([], "")
    return [*title, *(f"{indent}{cosine:6.3f}  {other}" for other, cosine in near)]
