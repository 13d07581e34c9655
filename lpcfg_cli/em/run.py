"""EM from a start, or from a checkpoint, until the stopping criterion holds."""

from __future__ import annotations

import time
from collections.abc import Callable

from lpcfg_cli.em.checkpoint import Checkpoint
from lpcfg_cli.em.loop import Model, P, steps
from lpcfg_cli.em.monitor import EmState, OnStep, Stopping, ignore_record
from lpcfg_cli.execution.stopwatch import Stopwatch

CHECKPOINT_SECONDS = 5.0
"""Shortest time between two checkpoints: the work that is lost if the process is killed."""

CHECKPOINT_SHARE = 0.05
"""Largest share of the time that is spent on checkpoints: those of large models are written less often."""


def run_em(
    model: Model[P],
    start: Callable[[], P],
    stopping: Stopping[P],
    checkpoint: Checkpoint[P],
    on_step: OnStep = ignore_record,
) -> EmState[P]:
    """Take steps of EM until the stopping criterion holds.

    Parameters
    ----------
    model : Model
    start : function
        Returns the initial parameters; not called if there is a valid checkpoint.
    stopping : Stopping
    checkpoint : Checkpoint
        Written every `CHECKPOINT_SECONDS` or less often; the caller removes it once the result is saved.
    on_step : function of EmRecord
        Called after each iteration.

    Returns
    -------
    EmState
        The state after the last step.

    Raises
    ------
    NumericalError
        An observation has probability zero, or a step lowered the bound.
    """
    saved = checkpoint.load()
    if saved is not None and stopping.is_finished(saved):
        return saved
    state, written, pause, watch = saved, time.monotonic(), CHECKPOINT_SECONDS, Stopwatch()
    for step in steps(model, saved.step if saved else start()):
        state, spent = state or EmState(step, [], step.parameters), watch.lap()
        state = state.after(step, stopping.dev_score(step), stopping.score is not None, spent)
        on_step(state.records[-1])
        if stopping.is_finished(state):
            break
        if (began := time.monotonic()) - written >= pause:
            checkpoint.save(state)
            written = time.monotonic()
            pause = max(CHECKPOINT_SECONDS, (written - began) / CHECKPOINT_SHARE)
        watch.lap()  # the time of scores and checkpoints is not training time
    assert state is not None
    return state
