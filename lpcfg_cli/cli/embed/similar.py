"""``lpcfg embed similar``."""

from __future__ import annotations

from pathlib import Path

import click

from lpcfg_cli.cli.console import note, print_json
from lpcfg_cli.cli.groups import nearest
from lpcfg_cli.cli.text_options import MODEL, json_option
from lpcfg_cli.embeddings.archive import load_embeddings
from lpcfg_cli.errors import InputError

MOST_SUGGESTED = 20_000
"""Words among which a similar spelling is looked for: the search takes a second for more."""


@click.command("similar")
@click.argument("vectors", type=MODEL)
@click.argument("words", nargs=-1, metavar="[WORD]...")
@click.option(
    "--analogy",
    "analogies",
    nargs=3,
    multiple=True,
    metavar="A B C",
    help="List what is to C as B is to A; repeatable.",
)
@click.option("--top", type=click.IntRange(min=1), default=10, show_default=True, help="Number of neighbours.")
@json_option
def command(
    vectors: Path, words: tuple[str, ...], analogies: tuple[tuple[str, str, str], ...], top: int, as_json: bool
) -> None:
    """List the words nearest to each WORD, with cosines.

    With --analogy, list the words that complete an analogy:

    \b
    lpcfg embed similar x.embed.npz --analogy man king woman

    asks what is to woman as king is to man, and may answer queen.
    """
    if not words and not analogies:
        raise click.UsageError("Nothing to look for: name words, or --analogy A B C.")
    found = load_embeddings(vectors)
    asked = dict.fromkeys([*words, *(word for three in analogies for word in three)])
    unknown = {word for word in asked if found.number_of(word) is None}
    for word in asked:
        if word in unknown:
            note(f"{word}: no vector.{nearest(word, found.words[:MOST_SUGGESTED])}")
    lists = [(word, found.nearest(word, top)) for word in words if word not in unknown]
    lists += [(analogy_name(three), found.analogy(*three, top)) for three in analogies if not unknown & set(three)]
    if not lists:
        raise InputError(f"{vectors}: has no vectors of these words, but {len(found):,} others.")
    if as_json:
        print_json([{"word": word, "similar": [{"word": w, "cosine": c} for w, c in near]} for word, near in lists])
    else:
        click.echo("\n".join(line for word, near in lists for line in lines(word, near, len(lists) > 1)))


def analogy_name(three: tuple[str, str, str]) -> str:
    """How an analogy is written."""
    return "{} : {} = {} : ?".format(*three)


def lines(word: str, near: list[tuple[str, float]], has_title: bool) -> list[str]:
    """One line for each neighbour, after the word if there are several."""
    title, indent = ([word], "  ") if has_title else ([], "")
    return [*title, *(f"{indent}{cosine:6.3f}  {other}" for other, cosine in near)]
