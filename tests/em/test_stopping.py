"""When EM scores on the dev treebank, which parameters it keeps, and when it stops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lpcfg_cli.em.loop import EmStep
from lpcfg_cli.em.monitor import EmState, Stopping
from lpcfg_cli.execution.stopwatch import Spent
from lpcfg_cli.learning.rule_table import RuleParameters

PLAN = Stopping(iterations=20, every=2, patience=2, tolerance=1e-3)


def step(iteration, bound):
    return EmStep(iteration, bound, bound, RuleParameters(np.full(1, iteration), np.full(1, iteration)))


def climb(plan, bounds):
    """The state at which EM stops, or the state after all bounds."""
    state = EmState(step(0, bounds[0]), [], step(0, bounds[0]).parameters)
    for iteration, bound in enumerate(bounds):
        now = step(iteration, bound)
        state = state.after(now, plan.dev_score(now), plan.score is not None)
        if plan.is_finished(state):
            break
    return state


def test_without_a_dev_treebank_the_last_step_is_kept_and_small_rises_end_it():
    state = climb(PLAN, [-1000.0, -900.0, -800.0, -799.5, -799.4])
    assert (state.step.iteration, state.chosen.iteration, state.best.rules[0]) == (3, 3, 3)


@pytest.mark.parametrize(
    ("bounds", "tolerance", "last"),
    [
        ([-4.0, -2.0, -1.5], 1.0, 2),  # a rise of just the tolerance goes on
        ([-4.0, -2.0, -1.5], 1.25, 1),
        ([-3.0, -2.0, -1.9], 0.4, 2),  # of the new bound's size, not of the old one's
        ([-2.0, -2.0, -2.0, -1.0], 0.0, 3),
    ],
)
def test_the_tolerance_is_a_share_of_the_new_bound(bounds, tolerance, last):
    assert climb(replace(PLAN, tolerance=tolerance), bounds).step.iteration == last


@pytest.mark.parametrize("iterations", [0, 1, 5])
def test_the_number_of_steps_is_an_upper_bound(iterations):
    state = climb(replace(PLAN, iterations=iterations), np.linspace(-1000, -1, 30))
    assert state.step.iteration == iterations


@pytest.mark.parametrize(
    ("scores", "last", "chosen"),
    [
        ({0: 10, 2: 30, 4: 20, 6: 25, 8: 90}, 6, 2),  # two looks without a better one
        ({0: 10, 2: 30, 4: 20, 6: 31, 8: 5, 10: 6}, 10, 6),
        ({0: 10, 2: 30, 4: 30, 6: 30, 8: 90}, 6, 2),  # equals: the first is kept
    ],
)
def test_a_dev_treebank_chooses_the_step_and_patience_ends_it(scores, last, chosen):
    plan = replace(PLAN, score=lambda parameters: scores[int(parameters.rules[0])])
    state = climb(plan, np.linspace(-1000, -999.9, 30))  # the bound does not matter then
    assert (state.step.iteration, state.chosen.iteration, state.best.rules[0]) == (last, chosen, chosen)


def test_the_last_step_is_looked_at_even_when_it_is_not_due():
    plan = replace(PLAN, iterations=3, score=lambda parameters: float(parameters.rules[0]))
    state = climb(plan, [-4.0, -3.0, -2.0, -1.0])
    assert [record.dev_score for record in state.records] == [0.0, None, 2.0, 3.0]
    assert state.chosen.iteration == 3


@pytest.mark.parametrize(("best", "needed"), [(0, 0.5), (2, 1.0), (4, 3.5)])
def test_training_time_is_that_of_the_steps_before_the_chosen_one(best, needed):
    state = EmState(step(0, -5.0), [], step(0, -5.0).parameters)
    for iteration in range(6):
        f1 = 50.0 - abs(iteration - best) if iteration % 2 == 0 else None
        state = state.after(step(iteration, -5.0), f1, True, Spent(max(0.5, iteration / 2.0), 1.0))
    assert state.chosen.iteration == best
    assert state.training.cpu_seconds == max(best, 1)
    assert state.training.seconds == needed
