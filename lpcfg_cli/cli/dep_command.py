"""``lpcfg dep``: the group of commands on dependency trees.  A new one is a module in ``cli/dep/`` and a line here."""

from __future__ import annotations

import click

from lpcfg_cli.cli.groups import LazyGroup

COMMANDS = {
    "train": ("dep.train", "Learn a latent-variable model of trees (D12)."),
    "score": ("dep.score", "Print the probabilities of trees under a model."),
    "info": ("dep.info", "Show what a model has learnt."),
}
"""Subcommand → (module in ``cli/``, one line of help)."""


@click.group(cls=LazyGroup, table=COMMANDS)
def command() -> None:
    """Dependency trees: models, a parser, reranking, scores.

    Files are in CoNLL-X or CoNLL-U, which `lpcfg help formats` describes; they may be compressed, and - is standard
    input.  The page `lpcfg help dependency` has examples and figures.
    """
