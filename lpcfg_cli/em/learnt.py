"""What learners that may use EM give back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeVar

from lpcfg_cli.em.monitor import EmRecord
from lpcfg_cli.execution.stopwatch import Spent

M = TypeVar("M")


@dataclass(frozen=True)
class LearntModel(Generic[M]):
    """A model and how it was learnt.

    Attributes
    ----------
    model : M
    records : list of EmRecord
        The iterations of EM; empty if the learner does not use EM.
    chosen : int or None
        The iteration whose parameters the model has.
    training : Spent or None
        Time needed for this model, if it is less than the time passed: it excludes scoring the dev text and the
        iterations after the chosen one.
    """

    model: M
    records: list[EmRecord] = field(default_factory=list)
    chosen: int | None = None
    training: Spent | None = None
