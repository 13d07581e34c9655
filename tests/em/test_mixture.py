"""The convex EM of rules: the kernel equals its twin, and the twin has the properties of a concave objective."""

from __future__ import annotations

import numpy as np
import pytest
from mixture_twin import reference_mixture

from lpcfg_cli.em.mixture_kernels import fit_mixture

SHAPES = [(2, 3, 2), (3, 1, 2), (1, 1, 1)]
N_EXAMPLES = 9


def random_problem(rng, shape):
    """A start, and examples: rows of feature distributions and weights."""
    t = rng.dirichlet(np.ones(np.prod(shape))).reshape(shape)
    rows = np.stack([rng.integers(0, k, N_EXAMPLES) for k in (5, 6, 6)], 1).astype(np.int32)
    return t, rows, rng.uniform(0.5, 3, N_EXAMPLES), rng.uniform(0.01, 2, (5, 3)), rng.uniform(0.01, 2, (6, 3))


def twin(problem, prior, steps):
    t, rows, weight, outside, inside = problem
    sides = (side[rows[:, k], :m] for k, (side, m) in enumerate(zip((outside, inside, inside), t.shape, strict=True)))
    return reference_mixture(t, weight, *sides, prior, steps)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("prior", [0.0, 0.7])
@pytest.mark.parametrize("steps", [1, 5])
def test_the_kernel_does_what_its_twin_does(shape, prior, steps):
    problem = random_problem(np.random.default_rng(0), shape)
    expected, _ = twin(problem, prior, steps)
    t = problem[0].copy()
    assert fit_mixture(t, *problem[1:], prior, steps, -1.0) == steps
    np.testing.assert_allclose(t, expected, rtol=1e-10)
    assert t.sum() == pytest.approx(1)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("prior", [0.0, 0.7])
def test_the_objective_never_falls(shape, prior):
    _, objective = twin(random_problem(np.random.default_rng(1), shape), prior, 60)
    assert (np.diff(objective) > -1e-9).all()


def test_every_start_ends_at_the_same_likelihood():
    """The objective is concave: EM reaches the same maximum from every start."""
    _, *problem = random_problem(np.random.default_rng(2), SHAPES[0])
    starts = (np.random.default_rng(seed).dirichlet(np.ones(12)).reshape(SHAPES[0]) for seed in range(4))
    ends = [twin((start, *problem), 0.0, 3000)[1][-1] for start in starts]
    np.testing.assert_allclose(ends, ends[0], atol=1e-3)


@pytest.mark.parametrize("tolerance", [1e-1, 1e-3, 1e-5])
def test_it_stops_at_the_step_that_raises_the_mean_by_less(tolerance):
    t, *problem = random_problem(np.random.default_rng(3), SHAPES[0])
    likelihood = np.array(twin((t, *problem), 0.0, 1000)[1])
    small = np.flatnonzero(np.diff(likelihood) < tolerance * problem[1].sum())
    assert fit_mixture(t.copy(), *problem, 0.0, 1000, tolerance) == small[0] + 2


def test_a_rule_stops_when_it_changes_little():
    t, *problem = random_problem(np.random.default_rng(3), SHAPES[0])
    few, many = (fit_mixture(t.copy(), *problem, 0.0, 1000, tolerance) for tolerance in (1e-2, 1e-5))
    assert 1 < few < many < 1000
