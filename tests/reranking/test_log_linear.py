"""The log-linear model over lists against its definition, list by list, and its gradient against differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.reranking.lists import largest, owners, relative, spread
from lpcfg_cli.reranking.log_linear import HeldOut, LogLinearObjective, best_of_each, best_strength, shares_by

SIZES = [3, 1, 5, 2, 4]


def random_objective(rng, is_shares, n_free=1):
    """Lists of unequal lengths with four features, the last of which nobody has."""
    first = starts(SIZES)
    rows = rng.normal(size=(first[-1], 4)) * (rng.random((first[-1], 4)) < 0.6)
    rows[:, 3] = 0
    worth = rng.integers(0, 3, first[-1]).astype(float)
    wanted = shares_by(first, worth) if is_shares else best_of_each(first, worth)
    return LogLinearObjective(first, wanted, sparse.csr_matrix(rows), n_free), rows


@pytest.mark.parametrize("is_shares", [False, True])
def test_the_value_is_its_definition(is_shares):
    rng = np.random.default_rng(1)
    objective, rows = random_objective(rng, is_shares)
    weights = rng.normal(size=4)
    total = 0.0
    for begin, end in zip(objective.first[:-1], objective.first[1:], strict=True):
        p = np.exp(rows[begin:end] @ weights) / np.exp(rows[begin:end] @ weights).sum()
        wanted = objective.wanted[begin:end]
        total -= (wanted * np.log(p)).sum() if is_shares else np.log(p[wanted].sum())
    assert objective.value(weights, 0.3)[0] == pytest.approx(total + 0.15 * (weights[1:] ** 2).sum())


@pytest.mark.parametrize("n_free", [0, 2])
@pytest.mark.parametrize("is_shares", [False, True])
def test_the_gradient_is_the_slope(is_shares, n_free):
    rng = np.random.default_rng(2)
    objective, _ = random_objective(rng, is_shares, n_free)
    weights, step = rng.normal(size=4), 1e-5
    gradient = objective.value(weights, 0.7)[1]
    for k, move in enumerate(step * np.eye(4)):
        slope = (objective.value(weights + move, 0.7)[0] - objective.value(weights - move, 0.7)[0]) / (2 * step)
        assert slope == pytest.approx(gradient[k], abs=1e-6)


@pytest.mark.parametrize("is_shares", [False, True])
def test_the_minimum_has_no_slope_from_any_start(is_shares):
    objective, _ = random_objective(np.random.default_rng(3), is_shares)
    found = objective.minimum(1.0)
    assert np.abs(objective.value(found, 1.0)[1]).max() < 1e-3
    assert np.allclose(objective.minimum(1.0, np.array([5.0])), found, atol=1e-2)
    assert found[3] == 0  # of a feature that nobody has


def test_scores_of_any_size_give_finite_values():
    first, rows = starts([2, 2]), sparse.csr_matrix(np.array([[1e4], [0.0], [0.0], [1e4]]))
    objective = LogLinearObjective(first, np.array([False, True, False, True]), rows, 0)
    value, gradient = objective.value(np.ones(1), 1.0)
    assert np.isfinite(value) and value > 100 and np.isfinite(gradient).all()
    shares = LogLinearObjective(first, shares_by(first, np.array([1e4, 0, 0, 0])), rows, 0)
    assert shares.value(np.ones(1), 0.0)[0] == pytest.approx(5e3)  # the second list is half and half


def test_shares_sum_to_one_and_follow_the_worth():
    first, worth = starts(SIZES), np.random.default_rng(4).normal(size=sum(SIZES)) * 300
    shares = shares_by(first, worth)
    assert np.allclose(np.add.reduceat(shares, first[:-1]), 1)
    assert shares_by(starts([2]), np.log([3.0, 1.0])) == pytest.approx([0.75, 0.25])


def test_the_chosen_strength_loses_least_on_held_out_lists():
    """A feature that is always right in training, and wrong elsewhere: only a strong penalty leaves it alone."""
    first, wanted = starts([2] * 10), np.tile([False, True], 10)
    useful = np.where(np.repeat(np.arange(10) < 7, 2), wanted, ~wanted)  # seven times of ten
    training = LogLinearObjective(first, wanted, sparse.csr_matrix(np.stack([useful, wanted], 1).astype(float)), 1)
    elsewhere = sparse.csr_matrix(np.stack([wanted, ~wanted], 1).astype(float))
    part = HeldOut(training, first, elsewhere, (~wanted).astype(float))
    losses = {
        strength: (~wanted)[largest(first, elsewhere @ training.minimum(strength))].sum() for strength in (1e-3, 1e3)
    }
    assert losses == {1e-3: 10, 1e3: 0}
    assert best_strength([part], [1e-3, 1e3]) == best_strength([part], [1e3, 1e-3]) == 1e3
    assert best_strength([part, part], [1e-3, 2e-3]) == 1e-3, "the first of equal ones"


def test_numbers_of_lists():
    first, values = starts([3, 1, 2]), np.array([1.0, 4.0, 4.0, 7.0, 2.0, 1.0])
    assert owners(first).tolist() == [0, 0, 0, 1, 2, 2]
    assert largest(first, values).tolist() == [1, 3, 4]
    assert relative(first, values).tolist() == [0, 3, 3, 0, 0, -1]
    assert spread(first, values) == pytest.approx(np.std([0, 3, 3, 0, 0, -1]))
    assert spread(first, np.ones(6)) == 1
    assert best_of_each(first, values).tolist() == [False, True, True, True, True, False]
