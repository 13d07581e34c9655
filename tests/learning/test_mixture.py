"""The convex EM of rules: the kernel against its twin, its twin against what a concave objective promises."""

from __future__ import annotations

import numpy as np
import pytest

from lpcfg_cli.learning.mixture_kernels import fit_mixtures
from lpcfg_cli.learning.mixture_reference import reference_mixture

SHAPES = np.array([[2, 3, 2], [3, 1, 2], [1, 1, 1]])


def example_tables(rng):
    """Examples of three rules: rows of feature distributions and weights."""
    first = np.array([0, 9, 16, 18])
    rows = np.stack([rng.integers(0, 5, 18), rng.integers(0, 6, 18), rng.integers(0, 6, 18)], 1).astype(np.int32)
    return first, rows, rng.uniform(0.5, 3, 18), rng.uniform(0.01, 2, (5, 3)), rng.uniform(0.01, 2, (6, 3))


def random_start(rng):
    return [rng.dirichlet(np.ones(np.prod(shape))).reshape(shape) for shape in SHAPES]


def fit(tables, blocks, prior, steps, tolerance=-1.0):
    first, rows, weight, outside, inside = tables
    start = np.concatenate([[0], np.cumsum(SHAPES.prod(1))])
    values = np.concatenate([block.ravel() for block in blocks])
    taken = fit_mixtures(SHAPES, start, first, rows, weight, outside, inside, prior, steps, tolerance, values)
    return taken, [part.reshape(shape) for part, shape in zip(np.split(values, start[1:-1]), SHAPES, strict=True)]


def twin(tables, blocks, prior, steps):
    first, rows, weight, outside, inside = tables
    for rule, (m_a, m_b, m_c) in enumerate(SHAPES):
        own = slice(first[rule], first[rule + 1])
        s, r2, r3 = outside[rows[own, 0], :m_a], inside[rows[own, 1], :m_b], inside[rows[own, 2], :m_c]
        yield reference_mixture(blocks[rule], weight[own], s, r2, r3, prior, steps)


@pytest.mark.parametrize("prior", [0.0, 0.7])
@pytest.mark.parametrize("steps", [1, 5])
def test_the_kernel_does_what_its_twin_does(prior, steps):
    rng = np.random.default_rng(0)
    tables, blocks = example_tables(rng), random_start(rng)
    taken, found = fit(tables, blocks, prior, steps)
    assert taken == steps * len(SHAPES)
    for block, (expected, _) in zip(found, twin(tables, blocks, prior, steps), strict=True):
        np.testing.assert_allclose(block, expected, rtol=1e-10)
        assert block.sum() == pytest.approx(1)


@pytest.mark.parametrize("prior", [0.0, 0.7])
def test_the_objective_never_falls(prior):
    rng = np.random.default_rng(1)
    for _, objective in twin(example_tables(rng), random_start(rng), prior, 60):
        assert (np.diff(objective) > -1e-9).all()


def test_every_start_ends_at_the_same_likelihood():
    """The objective is concave: there is one maximum, whatever EM starts from."""
    tables = example_tables(np.random.default_rng(2))
    ends = []
    for seed in range(4):
        blocks = random_start(np.random.default_rng(seed))
        ends.append([objective[-1] for _, objective in twin(tables, blocks, 0.0, 3000)])
    np.testing.assert_allclose(ends, np.tile(ends[0], (4, 1)), rtol=1e-4)


def test_a_rule_stops_when_it_changes_little():
    rng = np.random.default_rng(3)
    tables, blocks = example_tables(rng), random_start(rng)
    few, _ = fit(tables, blocks, 0.0, 1000, tolerance=1e-2)
    many, _ = fit(tables, blocks, 0.0, 1000, tolerance=1e-5)
    assert 3 < few < many < 3000
