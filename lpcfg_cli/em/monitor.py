"""The record of EM's iterations, the choice of the best one, and the stopping criterion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic

from lpcfg_cli.em.loop import EmStep, P
from lpcfg_cli.execution.stopwatch import NO_TIME, Spent


@dataclass(frozen=True)
class EmRecord:
    """The figures of one iteration.

    Attributes
    ----------
    iteration : int
        0 before the first step.
    log_likelihood : float
    bound : float
        `log_likelihood` plus the logarithm of the prior: every step raises it.
    dev_score : float or None
        Score on held-out data, larger is better; None if the iteration was not scored.
    spent : Spent
        Time of the iteration, without scoring.
    """

    iteration: int
    log_likelihood: float
    bound: float
    dev_score: float | None
    spent: Spent = NO_TIME


OnStep = Callable[[EmRecord], None]
"""Called after each iteration."""


def ignore_record(record: EmRecord) -> None:
    """Do nothing: the default callback."""


@dataclass(frozen=True)
class EmState(Generic[P]):
    """The state of EM: enough to resume it with the same results.

    Attributes
    ----------
    step : EmStep
    records : list of EmRecord
        One for each iteration so far.
    best : P
        The parameters of the iteration with the best score, or of the last iteration if none was scored.
    """

    step: EmStep[P]
    records: list[EmRecord]
    best: P

    @property
    def chosen(self) -> EmRecord:
        """The iteration whose parameters are `best`."""
        scored = [record for record in self.records if record.dev_score is not None]
        return max(scored, key=lambda record: record.dev_score or 0.0) if scored else self.records[-1]

    @property
    def training(self) -> Spent:
        """Time needed to compute `best`, without its own E-step, which only its likelihood needs.

        The M-step that gives `best`, a small part, is measured together with that E-step and is therefore missing too.
        """
        needed = self.records[: max(self.chosen.iteration, 1)]
        return sum((record.spent for record in needed), NO_TIME)

    def after(self, step: EmStep[P], dev_score: float | None, is_scored: bool, spent: Spent = NO_TIME) -> EmState[P]:
        """The state one iteration later; `is_scored` is whether any iterations are scored."""
        record = EmRecord(step.iteration, step.log_likelihood, step.bound, dev_score, spent)
        later = EmState(step, [*self.records, record], step.parameters)
        return later if not is_scored or later.chosen is record else replace(later, best=self.best)


@dataclass(frozen=True)
class Stopping(Generic[P]):
    """When iterations are scored, and when EM stops.

    Attributes
    ----------
    iterations : int
        Largest number of steps.
    every : int
        Steps between two scores.
    patience : int
        EM stops after so many scores without a new best one.
    tolerance : float
        Without scores, EM stops when the bound rises by a smaller share of its absolute value.
    score : function of P, optional
        Score of parameters on held-out data; larger is better.
    """

    iterations: int
    every: int
    patience: int
    tolerance: float
    score: Callable[[P], float] | None = None

    def is_finished(self, state: EmState[P]) -> bool:
        """Whether EM stops here."""
        if state.step.iteration >= self.iterations:
            return True
        if self.score is not None:
            scored = [r.iteration for r in state.records if r.dev_score is not None]
            return sum(k > state.chosen.iteration for k in scored) >= self.patience
        if len(state.records) < 2:
            return False
        rise = state.records[-1].bound - state.records[-2].bound
        return rise < self.tolerance * abs(state.records[-1].bound)

    def dev_score(self, step: EmStep[P]) -> float | None:
        """The score of a step; None if it is not to be scored."""
        is_due = step.iteration % self.every == 0 or step.iteration == self.iterations
        return self.score(step.parameters) if self.score is not None and is_due else None
