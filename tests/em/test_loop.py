"""EM's loop on models with known answers: bounds, decreases, and resuming from a step."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from toy_models import Script, even_weights, numbered, two_mixtures

from lpcfg_cli.em.loop import steps
from lpcfg_cli.errors import NumericalError


def test_the_bound_is_likelihood_plus_prior_and_rises_to_the_maximum():
    model = two_mixtures()
    found = list(islice(steps(model, even_weights()), 400))
    for step in found[:5]:
        assert step.log_likelihood == model.expect(step.parameters).log_likelihood
        assert step.bound == step.log_likelihood + model.log_prior(step.parameters)
    assert [step.iteration for step in found] == list(range(400))
    assert (np.diff([step.bound for step in found]) > -1e-12).all()
    best = found[-1].parameters
    rng = np.random.default_rng(1)
    for _ in range(50):  # nothing near the end is better
        other = type(best)(*(part * rng.uniform(0.99, 1.01, part.shape) for part in (best.first, best.second)))
        other = type(best)(other.first / other.first.sum(), other.second / other.second.sum())
        assert model.expect(other).log_likelihood + model.log_prior(other) < found[-1].bound


@pytest.mark.parametrize("prior_falls", [False, True])
@pytest.mark.parametrize(("fall", "is_rounding"), [(0.9e-6, True), (1.1e-6, False)])
def test_a_fall_of_a_millionth_of_the_bound_is_rounding_and_more_is_an_error(fall, is_rounding, prior_falls):
    lower = [-500.0, -500.0 - 1000.0 * fall]
    script = Script([-500.0] * 2, lower) if prior_falls else Script(lower, [-500.0] * 2)
    if is_rounding:
        assert [step.bound for step in islice(steps(script, numbered(0)), 2)] == pytest.approx([-1000, -1000])
    else:
        with pytest.raises(NumericalError, match="step 1 lowered its bound"):
            list(islice(steps(script, numbered(0)), 2))


def test_going_on_compares_with_the_bound_of_the_step_before():
    script = Script([-900.0, -800.0, -850.0], [0.0] * 3)
    first = list(islice(steps(script, numbered(0)), 2))
    with pytest.raises(NumericalError, match=r"step 2 lowered its bound from -800.0 to -850.0"):
        next(steps(script, first[-1]))
