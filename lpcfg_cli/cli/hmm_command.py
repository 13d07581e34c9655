"""``lpcfg hmm``: the group of commands on hidden Markov models.  A new one is a module and a line here."""

from __future__ import annotations

import click

from lpcfg_cli.cli import hmm_info, hmm_predict, hmm_score, hmm_train


@click.group()
def command() -> None:
    """Hidden Markov models of text, or of any sequences of symbols, by spectral learning or by EM.

    Texts have one sequence a line and symbols between blanks; they may be compressed by gzip, and - is standard input.
    The page `lpcfg help hidden-markov` has examples and figures.
    """


for part in (hmm_train, hmm_score, hmm_predict, hmm_info):
    command.add_command(part.command)
