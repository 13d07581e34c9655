"""EM over a run directory: goes on from where it was ended, and may choose its iteration on a dev treebank."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.errors import LpcfgError
from lpcfg_cli.execution.stopwatch import NO_TIME, Spent, Stopwatch
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.learning.rule_table import Parameters, RuleTable
from lpcfg_cli.learning.tree_em import EmStep, divide_trees, steps
from lpcfg_cli.storage.artefacts import Array, Kind, check_parents, read_arrays, write_arrays
from lpcfg_cli.treebank.binary import BinaryTreebank

CHECKPOINT_FILE = "em.npz"
CHECKPOINT = Kind("lpcfg-em", 2, 2, "estimate")
CHECKPOINT_SECONDS = 5.0
"""How much work may be lost when the process is killed."""

CHECKPOINT_SHARE = 0.05
"""The largest part of the time that is spent on checkpoints: large models are written less often."""

NOT_SCORED = -1.0


@dataclass(frozen=True)
class EmRecord:
    """What is known of one iteration.

    Attributes
    ----------
    iteration : int
        0 before the first step.
    log_likelihood : float
    bound : float
        What EM raises: with a prior it is part of it.
    dev_f1 : float or None
        On the dev treebank, in percent, if it was scored.
    spent : Spent
        What the iteration took, without scoring.
    """

    iteration: int
    log_likelihood: float
    bound: float
    dev_f1: float | None
    spent: Spent = NO_TIME


@dataclass(frozen=True)
class EmState:
    """Where EM stands: enough to go on as if it had never stopped.

    Attributes
    ----------
    step : EmStep
    records : list of EmRecord
        One for each iteration so far.
    best : Parameters
        Those of the iteration with the highest dev F1; without a dev treebank the last.
    """

    step: EmStep
    records: list[EmRecord]
    best: Parameters

    @property
    def chosen(self) -> EmRecord:
        """The iteration whose parameters are `best`."""
        scored = [record for record in self.records if record.dev_f1 is not None]
        return max(scored, key=lambda record: record.dev_f1 or 0.0) if scored else self.records[-1]

    @property
    def training(self) -> Spent:
        """What it took to come to `best`; its own E-step, which is needed for its likelihood only, is left out.

        The M-step before it, a small part, is measured together with that E-step and left out too.
        """
        needed = self.records[: max(self.chosen.iteration, 1)]
        return sum((record.spent for record in needed), NO_TIME)

    def after(self, step: EmStep, dev_f1: float | None, has_dev: bool, spent: Spent = NO_TIME) -> EmState:
        """The state one iteration later."""
        record = EmRecord(step.iteration, step.log_likelihood, step.bound, dev_f1, spent)
        later = EmState(step, [*self.records, record], step.parameters)
        return later if not has_dev or later.chosen is record else replace(later, best=self.best)


@dataclass(frozen=True)
class EmPlan:
    """How EM goes.

    Attributes
    ----------
    iterations : int
        Steps at most.
    every : int
        Steps between two looks at the dev treebank.
    patience : int
        Looks without a better F1 after which EM ends.
    tolerance : float
        Without a dev treebank, EM ends when the bound rises by a smaller share of its size.
    prior : float
        As for `lpcfg_cli.learning.rule_table.maximise`.
    score : function of Parameters, optional
        F1 on the dev treebank.
    """

    iterations: int
    every: int
    patience: int
    tolerance: float
    prior: float
    score: Callable[[Parameters], float] | None = None

    def is_finished(self, state: EmState) -> bool:
        """Whether no more steps are wanted."""
        if state.step.iteration >= self.iterations:
            return True
        if self.score is not None:
            scored = [r.iteration for r in state.records if r.dev_f1 is not None]
            return sum(k > state.chosen.iteration for k in scored) >= self.patience
        if len(state.records) < 2:
            return False
        rise = state.records[-1].bound - state.records[-2].bound
        return rise < self.tolerance * abs(state.records[-1].bound)

    def look(self, step: EmStep) -> float | None:
        """F1 of a step, if it is to be scored."""
        is_due = step.iteration % self.every == 0 or step.iteration == self.iterations
        return self.score(step.parameters) if self.score is not None and is_due else None


@dataclass(frozen=True)
class Checkpoint:
    """A file that holds an `EmState`, good only for the same settings and inputs.

    Attributes
    ----------
    path : Path or None
        None for no file: then nothing is saved.
    settings : dict
        JSON-ready; all that shapes EM's course.
    seed : int
    inputs : dict of str to str
    """

    path: Path | None
    settings: dict[str, Any]
    seed: int
    inputs: dict[str, str]

    def save(self, state: EmState) -> None:
        """Write it whole or not at all."""
        if self.path is None:
            return
        records = state.records
        scores = [NOT_SCORED if r.dev_f1 is None else r.dev_f1 for r in records]
        last = state.step.parameters
        nothing = Parameters(np.zeros(0), np.zeros(0))
        best = nothing if state.best is last else state.best  # the same numbers are not written twice
        arrays = {
            "root": Array(last.root, ("state",)),
            "rules": Array(last.rules, ("number",)),
            "best_root": Array(best.root, ("best_state",)),
            "best_rules": Array(best.rules, ("best_number",)),
            "log_likelihood": Array(np.array([r.log_likelihood for r in records]), ("iteration",)),
            "bound": Array(np.array([r.bound for r in records]), ("iteration",)),
            "dev_f1": Array(np.array(scores), ("iteration",)),
            "seconds": Array(np.array([r.spent.seconds for r in records]), ("iteration",)),
            "cpu_seconds": Array(np.array([r.spent.cpu_seconds for r in records]), ("iteration",)),
        }
        write_arrays(self.path, CHECKPOINT, arrays, self.settings, self.seed, self.inputs)

    def load(self, table: RuleTable) -> EmState | None:
        """The state that was saved; None when there is none, or one of another run."""
        if self.path is None:
            return None
        try:
            header, arrays = read_arrays(self.path, CHECKPOINT)
            check_parents(self.path, CHECKPOINT, header)
        except LpcfgError:
            return None
        is_same = header.settings == self.settings and header.seed == self.seed and header.inputs == self.inputs
        if not is_same or len(arrays["rules"]) != table.start[-1]:
            return None
        names = ("log_likelihood", "bound", "dev_f1", "seconds", "cpu_seconds")
        columns = (arrays[name].tolist() for name in names)
        records = [
            EmRecord(k, likelihood, bound, None if f1 == NOT_SCORED else f1, Spent(*spent))
            for k, (likelihood, bound, f1, *spent) in enumerate(zip(*columns, strict=True))
        ]
        last = Parameters(arrays["root"], arrays["rules"])
        step = EmStep(records[-1].iteration, records[-1].log_likelihood, records[-1].bound, last)
        best = Parameters(arrays["best_root"], arrays["best_rules"])
        return EmState(step, records, best if len(best.root) else last)


def ignore_record(record: EmRecord) -> None:
    """Take no notice of an iteration."""


def run_em(
    trees: BinaryTreebank,
    table: RuleTable,
    start: Callable[[], Parameters],
    plan: EmPlan,
    checkpoint: Checkpoint,
    mapper: Mapper = map,
    on_step: Callable[[EmRecord], None] = ignore_record,
) -> EmState:
    """Climb from a start, or on from a checkpoint, to where the plan ends.

    Parameters
    ----------
    trees : BinaryTreebank
    table : RuleTable
    start : function
        Makes the parameters to begin with.
    plan : EmPlan
    checkpoint : Checkpoint
        Written every `CHECKPOINT_SECONDS` or less often; the caller removes it once the result is safe.
    mapper : callable like map
        Spreads parts of the trees over workers; results do not depend on it.
    on_step : function of EmRecord
        Told of each iteration.

    Raises
    ------
    NumericalError
        A tree has probability zero, or the bound fell.
    """
    saved = checkpoint.load(table)
    if saved is not None and plan.is_finished(saved):
        return saved
    state, written, pause, watch = saved, time.monotonic(), CHECKPOINT_SECONDS, Stopwatch()
    for step in steps(divide_trees(trees, table), table, saved.step if saved else start(), plan.prior, mapper):
        state, spent = state or EmState(step, [], step.parameters), watch.lap()
        state = state.after(step, plan.look(step), plan.score is not None, spent)
        on_step(state.records[-1])
        if plan.is_finished(state):
            break
        if (began := time.monotonic()) - written >= pause:
            checkpoint.save(state)
            written = time.monotonic()
            pause = max(CHECKPOINT_SECONDS, (written - began) / CHECKPOINT_SHARE)
        watch.lap()  # looks and checkpoints are no training
    assert state is not None
    return state
