"""The concave mixture EM: compared with a general optimiser, and its guarantees."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from lpcfg_cli.em.mixture import Convex, conditional_weights

EXACT = Convex(20_000, 1e-15)


def problem(seed, n=40, m=2, k=3):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.ones(m), n), rng.gamma(0.5, size=(n, k)), rng.integers(1, 9, n).astype(float)


def objective(weights, given, component, count):
    return float(count @ np.log(np.einsum("nh,hk,nk->n", given, weights, component)))


@pytest.mark.parametrize("seed", range(4))
def test_it_ends_at_the_maximum_that_a_general_optimiser_finds(seed):
    given, component, count = problem(seed)
    found = conditional_weights(given, component, count, EXACT)

    def loss(free):
        weights = np.exp(free.reshape(2, 3))
        return -objective(weights / weights.sum(1, keepdims=True), given, component, count)

    best = min(minimize(loss, start, tol=1e-12).fun for start in np.random.default_rng(9).normal(size=(4, 6)))
    assert objective(found, given, component, count) == pytest.approx(-best, abs=1e-5)
    np.testing.assert_allclose(found.sum(1), 1)


def test_each_step_raises_the_likelihood_and_the_tolerance_ends_it():
    given, component, count = problem(7)
    values = [
        objective(conditional_weights(given, component, count, Convex(steps, 0.0)), given, component, count)
        for steps in range(1, 30)
    ]
    assert (np.diff(values) > 0).all()
    rises = np.diff(values) / count.sum()
    few = conditional_weights(given, component, count, Convex(30, rises[5] * 1.01))
    assert objective(few, given, component, count) == pytest.approx(
        values[6], rel=1e-14
    )  # the step that rose too little is kept


def test_known_weights_come_back_from_exact_counts():
    """With counts proportional to the model's own probabilities, the maximum is at the true weights."""
    given, component, _ = problem(3, n=60)
    component /= component.sum(0)
    truth = np.array([[0.7, 0.2, 0.1], [0.1, 0.1, 0.8]])
    pairs = np.array([(g, c) for g in range(60) for c in range(60)])
    count = np.einsum("nh,hk,nk->n", given[pairs[:, 0]], truth, component[pairs[:, 1]])
    found = conditional_weights(given[pairs[:, 0]], component[pairs[:, 1]], count, EXACT)
    np.testing.assert_allclose(found, truth, atol=1e-4)


def test_shapes_are_checked():
    given, component, count = problem(0)
    with pytest.raises(ValueError, match="different numbers of rows"):
        conditional_weights(given[1:], component, count, EXACT)


def test_rows_that_no_observation_can_have_stay_even():
    given = np.array([[1.0, 0.0], [1.0, 0.0]])
    found = conditional_weights(given, np.array([[0.9, 0.1], [0.8, 0.1]]), np.ones(2), Convex(50, 0.0))
    assert found[0, 0] > 0.99
    np.testing.assert_array_equal(found[1], [0.5, 0.5])
