"""Anchors against all choices, weights on the simplex against SciPy, the decomposition against known factors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, sparse

from lpcfg_cli.em.mixture import Convex
from lpcfg_cli.spectral.anchor_factorization import Side, align, decompose, find_anchors
from lpcfg_cli.spectral.anchors import greedy_anchors, hull_weights

EXACT = Convex(10_000, 1e-12)
SEEDS = st.integers(0, 10**6)


def simplex_points(rng, n, k):
    return rng.dirichlet(np.ones(k), n)


@given(SEEDS, st.integers(2, 5))
def test_greedy_anchors_are_the_vertices_all_points_are_mixtures_of(seed, k):
    rng = np.random.default_rng(seed)
    vertices = rng.normal(size=(k, k + 1)) + 3 * np.eye(k, k + 1)
    points = np.concatenate([vertices, simplex_points(rng, 30, k) @ vertices])
    where = rng.permutation(len(points))
    chosen = greedy_anchors(points[where], k)
    assert sorted(where[chosen]) == list(range(k))


@given(SEEDS)
def test_two_greedy_anchors_are_those_farthest_from_origin_and_from_each_other(seed):
    points = np.random.default_rng(seed).normal(size=(12, 3))
    first, second = greedy_anchors(points, 2)
    assert np.linalg.norm(points[first]) == max(map(np.linalg.norm, points))
    assert np.linalg.norm(points[second] - points[first]) == max(np.linalg.norm(p - points[first]) for p in points)


def test_points_that_span_little_give_few_anchors():
    line = np.outer(np.linspace(-1, 2, 7), [1.0, 2.0, 3.0])
    assert len(greedy_anchors(line, 5)) == 2
    assert len(greedy_anchors(np.ones((4, 3)), 5)) == 1
    assert len(greedy_anchors(np.zeros((4, 3)), 2)) == 1


def test_only_frequent_features_are_anchors_unless_none_is_frequent():
    points = np.array([[9.0, 0], [1, 0], [0, 1], [0, 9], [0.5, 0.5]])
    side = Side(points, np.array([1.0, 5, 5, 4, 9]), np.zeros(5, int))
    assert sorted(find_anchors(side, 2, 5.0)) == [1, 2]
    assert sorted(find_anchors(side, 2, 4.0)) == [1, 3]
    assert sorted(find_anchors(side, 2, 0.0)) == [0, 3]
    assert find_anchors(side, 2, 10.0).tolist() == [4]


def constrained_least_squares(point, vertices):
    """Non-negative least squares with a heavy row that makes weights sum to 1."""
    weights, _ = optimize.nnls(np.vstack([vertices.T, np.full(len(vertices), 1e5)]), np.append(point, 1e5))
    return weights


@given(SEEDS, st.integers(1, 6), st.integers(1, 4))
def test_hull_weights_are_those_of_constrained_least_squares(seed, k, dimension):
    rng = np.random.default_rng(seed)
    vertices, points = rng.normal(size=(k, dimension)), 2 * rng.normal(size=(9, dimension))
    weights = hull_weights(points, vertices)
    assert weights.min() >= 0
    np.testing.assert_allclose(weights.sum(1), 1, rtol=1e-12)
    for point, row in zip(points, weights, strict=True):
        best = constrained_least_squares(point, vertices)
        np.testing.assert_allclose(row @ vertices, best @ vertices, atol=1e-4)


def known_factors(rng, m, d, other):
    """π, r and s in which each state has a feature of its own on both sides."""
    states = rng.dirichlet(np.full(m, 5.0))
    r, s = (np.vstack([np.diag(rng.uniform(0.2, 1, m)), rng.uniform(0, 1, (n - m, m))]) for n in (d, other))
    return states, r / r.sum(0), s / s.sum(0)


def canonical_sides(q):
    """Both sides with the representations that exact canonical correlation analysis gives."""
    rows, columns = q.sum(1), q.sum(0)
    u, singular, vt = np.linalg.svd(q / np.sqrt(np.outer(rows, columns)))
    m = int((singular > 1e-10).sum())
    inside, outside = u[:, :m] / np.sqrt(rows)[:, None], vt[:m].T / np.sqrt(columns)[:, None]
    points = (q / rows[:, None]) @ outside, (q / columns).T @ inside
    sides = [Side(p, n, np.zeros(len(n), int)) for p, n in zip(points, (rows, columns), strict=True)]
    return sides[0], sides[1], m


@pytest.mark.parametrize("m", [1, 2, 4])
@pytest.mark.parametrize("seed", range(3))
def test_a_separable_matrix_is_decomposed_exactly(m, seed):
    """CC14 Theorem 2: π, r and s up to one permutation of the states."""
    states, r, s = known_factors(np.random.default_rng(seed), m, 9, 7)
    q = np.einsum("h,fh,gh->fg", states, r, s)
    inside, outside, rank = canonical_sides(q)
    assert rank == m
    found = decompose(sparse.csr_array(q), inside, outside, m, 0.0, EXACT)
    r_found, s_found = found.inside * inside.count[:, None], found.outside * outside.count[:, None]
    np.testing.assert_allclose([r_found.sum(0), s_found.sum(0)], 1, atol=1e-5)

    def error(order):
        order = list(order)
        parts = ((found.states[order], states), (r_found[:, order], r), (s_found[:, order], s))
        return max(np.abs(a - b).max() for a, b in parts)

    assert min(map(error, itertools.permutations(range(m)))) < 1e-4


def test_no_state_is_ruled_out_for_sure():
    """An anchor of one state has the others with a millionth of their prior probability."""
    _, r, s = known_factors(np.random.default_rng(0), 3, 9, 7)
    q = np.einsum("h,fh,gh->fg", np.full(3, 1 / 3), r, s)
    inside, outside, _ = canonical_sides(q)
    found = decompose(sparse.csr_array(q), inside, outside, 3, 0.0, EXACT)
    posterior = np.sort((found.inside * found.states)[:3], 1)
    np.testing.assert_allclose(posterior[:, :2], 1e-6 / 3, rtol=1e-3)
    np.testing.assert_allclose(posterior[:, 2], 1, rtol=1e-5)


def test_templates_have_distributions_of_their_own():
    states, r, s = known_factors(np.random.default_rng(1), 3, 8, 6)
    q = np.einsum("h,fh,gh->fg", states, r, s)
    coarse = np.zeros((4, 8))
    coarse[np.arange(8) // 2, np.arange(8)] = 1
    both = np.vstack([q, coarse @ q])
    inside, outside, _ = canonical_sides(q)
    rows = both.sum(1)
    points = both @ np.linalg.lstsq(q, inside.points * inside.count[:, None], rcond=None)[0] / rows[:, None]
    side = Side(points, rows, np.repeat([0, 1], [8, 4]))
    found = decompose(sparse.csr_array(both), side, outside, 3, 0.0, EXACT)
    np.testing.assert_allclose(found.states, found.states / found.states.sum(), rtol=1e-9)
    r_found = found.inside * rows[:, None]
    np.testing.assert_allclose([r_found[:8].sum(0), r_found[8:].sum(0)], 1, atol=1e-5)
    np.testing.assert_allclose(r_found[8:], coarse @ r_found[:8], atol=1e-3)


def test_alignment_never_lowers_its_objective():
    rng = np.random.default_rng(0)
    q = rng.integers(0, 9, (6, 5)).astype(float)
    posterior, columns = simplex_points(rng, 6, 3), simplex_points(rng, 5, 4)
    objectives = []
    for steps in range(12):
        t = align(sparse.csr_array(q), posterior, columns, Convex(steps, 0.0))
        np.testing.assert_allclose(t.sum(1), 1)
        objectives.append(float((q * np.log(posterior @ t @ columns.T)).sum()))
    assert (np.diff(objectives) > -1e-9).all()
    assert objectives[-1] > objectives[0] + 0.1
