"""``lpcfg hmm``: the group of commands on HMMs.  A new one is a module in ``cli/hmm/`` and a line here."""

from __future__ import annotations

import click

from lpcfg_cli.cli.groups import LazyGroup

COMMANDS = {
    "train": ("hmm.train", "Learn a model from sequences of symbols."),
    "score": ("hmm.score", "Print the perplexity of sequences."),
    "predict": ("hmm.predict", "Print the likeliest next symbols."),
    "info": ("hmm.info", "Show the states of a model, and their words."),
}
"""Subcommand → (module in ``cli/``, one line of help)."""


@click.group(cls=LazyGroup, table=COMMANDS)
def command() -> None:
    """Hidden Markov models of text, or of any sequences of symbols, by spectral learning or by EM.

    Texts have one sequence a line and symbols between blanks; they may be compressed by gzip, and - is standard input.
    The page `lpcfg help hidden-markov` has examples and figures.
    """
