"""``lpcfg embed``: the group of commands on embeddings of words.  A new one is a module and a line here."""

from __future__ import annotations

import click

from lpcfg_cli.cli import embed_eval, embed_export, embed_similar, embed_train


@click.group()
def command() -> None:
    """Embeddings of words: vectors by which words of like contexts are near.

    Texts have one sentence a line and words between blanks; they may be compressed by gzip, and - is standard input.
    The page `lpcfg help embeddings` has examples and figures.
    """


for part in (embed_train, embed_similar, embed_eval, embed_export):
    command.add_command(part.command)
