"""``lpcfg lm``: the group of commands on language models.  A new one is a module in ``cli/lm/`` and a line here."""

from __future__ import annotations

import click

from lpcfg_cli.cli.groups import LazyGroup

COMMANDS = {
    "train": ("lm.train", "Learn a language model from text."),
    "score": ("lm.score", "Print the perplexity of texts."),
    "sample": ("lm.sample", "Write sentences drawn from a model."),
    "info": ("lm.info", "Show the states of a model, or of a word."),
    "experiment": ("lm.experiment", "Compare learners on a text, as CC14's table does."),
}
"""Subcommand → (module in ``cli/``, one line of help)."""


@click.group(cls=LazyGroup, table=COMMANDS)
def command() -> None:
    """Language models with latent states: p(w₂ | w₁) = Σ_h r(h | w₁) s(w₂ | h).

    Texts have one sentence a line and words between blanks; they may be compressed by gzip, and - is standard input.
    The page `lpcfg help language-model` has examples and figures.
    """
