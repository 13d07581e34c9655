"""``lpcfg lm``: the group of commands on language models.  A new one is a module and a line here."""

from __future__ import annotations

import click

from lpcfg_cli.cli import lm_experiment, lm_info, lm_sample, lm_score, lm_train


@click.group()
def command() -> None:
    """Language models with latent states: p(w₂ | w₁) = Σ_h r(h | w₁) s(w₂ | h).

    Texts have one sentence a line and words between blanks; they may be compressed by gzip, and - is standard input.
    The page `lpcfg help language-model` has examples and figures.
    """


for part in (lm_train, lm_score, lm_sample, lm_info, lm_experiment):
    command.add_command(part.command)
