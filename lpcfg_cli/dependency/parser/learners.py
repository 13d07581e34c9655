"""The table of learners: how far the weights go when a tree that was found is wrong."""

from __future__ import annotations

from dataclasses import dataclass

from lpcfg_cli.config import Table


@dataclass(frozen=True)
class StepRule:
    """How long a step is.

    Attributes
    ----------
    name : str
        Value of ``--learner``.
    summary : str
        One line for help pages.
    meets_loss : bool
        Whether a step is as long as the loss demands, up to a largest one, or 1.
    """

    name: str
    summary: str
    meets_loss: bool


LEARNERS: Table[StepRule] = Table(
    "dependency learner",
    StepRule("mira", "steps that make up for the loss (McDonald, Crammer and Pereira 2005)", meets_loss=True),
    StepRule("perceptron", "steps of one length (Collins 2002)", meets_loss=False),
)
