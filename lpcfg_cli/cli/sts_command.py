"""``lpcfg sts``: the group of commands on similarity.  A new one is a module in ``cli/sts/`` and a line here."""

from __future__ import annotations

import click

from lpcfg_cli.cli.groups import LazyGroup

COMMANDS = {
    "train": ("sts.train", "Learn from judged pairs of sentences."),
    "score": ("sts.score", "Print how similar pairs of sentences are."),
    "experiment": ("sts.experiment", "Compare systems on judged sets, as J12's tables do."),
}
"""Subcommand → (module in ``cli/``, one line of help)."""


@click.group(cls=LazyGroup, table=COMMANDS)
def command() -> None:
    """Similarity of sentences: metrics of what they have in common, weighted by ridge regression (J12).

    Pairs are lines of two sentences between tabs, after a score where there is one. The page `lpcfg help similarity`
    has examples and figures.
    """
