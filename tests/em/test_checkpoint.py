"""Checkpoints: loading returns what was saved, and only to the run that saved it."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import pytest
from toy_models import Weights

from lpcfg_cli.em.checkpoint import Checkpoint
from lpcfg_cli.em.loop import EmStep
from lpcfg_cli.em.monitor import EmRecord, EmState
from lpcfg_cli.execution.stopwatch import Spent

SIZES = {"first": 2, "second": 3}


def weights(k):
    return Weights(np.array([k, 1.0]), np.array([0.5, -k, 2.0]))


def state(best):
    """Three iterations: the first has the score 0, the second none; with `best` None the last one's is used."""
    records = [
        EmRecord(0, -9.5, -10.0, 0.0, Spent(1.0, 2.0)),
        EmRecord(1, -8.5, -9.0, None, Spent(0.5, 0.25)),
        EmRecord(2, -7.5, -8.0, 81.5, Spent(0.125, 4.0)),
    ]
    last = weights(2.0)
    return EmState(EmStep(2, -7.5, -8.0, last), records, last if best is None else best)


@pytest.fixture
def checkpoint(tmp_path):
    (tmp_path / "trees").write_text("trees")
    inputs = {"trees": hashlib.sha256(b"trees").hexdigest()}
    return Checkpoint(tmp_path / "em.npz", Weights, SIZES, {"em": {"prior": 0.5}}, 7, inputs)


@pytest.mark.parametrize("best", [None, weights(5.0)])
def test_a_state_comes_back_as_it_was(checkpoint, best):
    saved = state(best)
    checkpoint.save(saved)
    found = checkpoint.load()
    assert found.records == saved.records
    assert (found.step.iteration, found.step.log_likelihood, found.step.bound) == (2, -7.5, -8.0)
    for ours, theirs in ((found.step.parameters, saved.step.parameters), (found.best, saved.best)):
        np.testing.assert_array_equal(ours.first, theirs.first)
        np.testing.assert_array_equal(ours.second, theirs.second)
    assert (found.best is found.step.parameters) == (best is None)


def test_parameters_that_are_last_and_best_are_written_once(checkpoint):
    sizes = []
    for best in (None, weights(5.0)):
        checkpoint.save(state(best))
        with np.load(checkpoint.path) as arrays:
            sizes.append([arrays[f"best_{name}"].size for name in SIZES])
    assert sizes == [[0, 0], [2, 3]]


@pytest.mark.parametrize(
    "change",
    [
        {"settings": {"em": {"prior": 0.25}}},
        {"seed": 8},
        {"inputs": {}},
        {"inputs": {"trees": "0" * 64}},
        {"sizes": {"first": 2, "second": 4}},
        {"sizes": {"first": 1, "second": 3}},
    ],
)
def test_another_run_does_not_take_it(checkpoint, change):
    checkpoint.save(state(None))
    assert checkpoint.load() is not None
    assert replace(checkpoint, **change).load() is None


def test_there_is_none_where_none_was_saved(checkpoint):
    assert checkpoint.load() is None
    nowhere = replace(checkpoint, path=None)
    nowhere.save(state(None))
    assert nowhere.load() is None
    assert not checkpoint.path.exists()
