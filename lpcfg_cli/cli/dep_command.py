"""``lpcfg dep``: the group of commands on dependency trees.  A new one is a module in ``cli/dep/`` and a line here."""

from __future__ import annotations

import click

from lpcfg_cli.cli.groups import LazyGroup

COMMANDS = {
    "eval": ("dep.eval", "Score dependency trees against gold trees."),
}
"""Subcommand → (module in ``cli/``, one line of help)."""


@click.group(cls=LazyGroup, table=COMMANDS)
def command() -> None:
    """Dependency trees: models, a parser, reranking, scores.

    Files are in CoNLL-X or CoNLL-U, which `lpcfg help formats` describes; they may be compressed, and - is standard
    input.  The page `lpcfg help dependency` has examples and figures.
    """
