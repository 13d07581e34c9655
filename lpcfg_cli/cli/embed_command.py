"""``lpcfg embed``: the group of commands on embeddings.  A new one is a module in ``cli/embed/`` and a line here."""

from __future__ import annotations

import click

from lpcfg_cli.cli.groups import LazyGroup

COMMANDS = {
    "train": ("embed.train", "Learn vectors of words from text."),
    "similar": ("embed.similar", "List the words nearest to a word."),
    "eval": ("embed.eval", "Compare cosines with judgements of similarity."),
    "export": ("embed.export", "Write vectors in another form."),
}
"""Subcommand → (module in ``cli/``, one line of help)."""


@click.group(cls=LazyGroup, table=COMMANDS)
def command() -> None:
    """Embeddings of words: vectors by which words of like contexts are near.

    Texts have one sentence a line and words between blanks; they may be compressed by gzip, and - is standard input.
    The page `lpcfg help embeddings` has examples and figures.
    """
