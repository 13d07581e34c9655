"""A run of EM: its records, when it writes checkpoints, and that an interruption changes nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from toy_models import Weights, even_weights, two_mixtures

from lpcfg_cli.em import run as em
from lpcfg_cli.em.checkpoint import Checkpoint
from lpcfg_cli.em.monitor import Stopping
from lpcfg_cli.em.run import run_em

TEN_STEPS = Stopping(iterations=10, every=3, patience=9, tolerance=0.0)


@pytest.fixture
def checkpoint(tmp_path):
    return Checkpoint(tmp_path / "em.npz", Weights, {"first": 2, "second": 3}, {}, 0, {})


def never():
    raise AssertionError("there is a checkpoint to go on from")


def test_each_iteration_is_told_once_and_kept(checkpoint):
    told = []
    state = run_em(two_mixtures(), even_weights, TEN_STEPS, replace(checkpoint, path=None), told.append)
    assert told == state.records
    assert [record.iteration for record in told] == list(range(11))
    assert state.step.iteration == 10
    assert state.best is state.step.parameters


def first_weight(parameters):
    return float(parameters.first[0])


def test_the_best_score_is_kept_while_later_ones_are_worse(checkpoint):
    plan = replace(TEN_STEPS, score=lambda parameters: -abs(first_weight(parameters) - 0.8))
    state = run_em(two_mixtures(), even_weights, plan, checkpoint)
    scores = {r.iteration: r.dev_score for r in state.records if r.dev_score is not None}
    assert list(scores) == [0, 3, 6, 9, 10]
    assert scores[state.chosen.iteration] == max(scores.values())
    assert -abs(first_weight(state.best) - 0.8) == max(scores.values())
    assert 0 < state.chosen.iteration < 10


@pytest.mark.parametrize("score", [None, first_weight])
def test_a_run_that_was_ended_anywhere_goes_on_to_the_same_end(checkpoint, score, monkeypatch):
    monkeypatch.setattr(em, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(em, "CHECKPOINT_SHARE", np.inf)
    plan, model = replace(TEN_STEPS, score=score), two_mixtures()
    whole = run_em(model, even_weights, plan, replace(checkpoint, path=None))
    for last in (0, 4, 9):

        def end(record, last=last):
            if record.iteration > last:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            run_em(model, even_weights, plan, checkpoint, end)
        assert checkpoint.load().step.iteration == last
        found = run_em(model, never, plan, checkpoint)
        assert [(r.bound, r.dev_score) for r in found.records] == [(r.bound, r.dev_score) for r in whole.records]
        np.testing.assert_array_equal(found.best.second, whole.best.second)
        checkpoint.path.unlink()


def test_a_checkpoint_at_the_end_is_the_result(checkpoint):
    state = run_em(two_mixtures(), even_weights, TEN_STEPS, replace(checkpoint, path=None))
    checkpoint.save(state)
    told = []
    found = run_em(two_mixtures(), never, TEN_STEPS, checkpoint, told.append)
    assert (found.records, told) == (state.records, [])


@pytest.mark.parametrize(
    ("write_seconds", "written"),
    [
        (0.0, [3, 6, 9]),  # a step takes 2 s, and 5 s must have passed
        (0.25, [3, 6, 9]),  # 0.25 / 0.05 = 5
        (0.5, [3, 8, 13]),  # 0.5 / 0.05 = 10, five steps
        (1.5, [3, 18]),
    ],
)
def test_checkpoints_are_no_more_than_a_twentieth_of_the_time(checkpoint, monkeypatch, write_seconds, written):
    clock, saved = [100.0], []

    def step(record):
        clock[0] += 2.0

    def save(self, state):
        clock[0] += write_seconds
        saved.append(state.step.iteration + 1)

    monkeypatch.setattr(em.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(Checkpoint, "save", save)
    plan = replace(TEN_STEPS, iterations=written[-1] + 1)
    run_em(two_mixtures(), even_weights, plan, checkpoint, step)
    assert saved == written
