"""States from k-means over projected nodes."""

from __future__ import annotations

import numpy as np
import pytest
from em_trees import TREES, binarized, tabulate
from threadpoolctl import threadpool_info, threadpool_limits

from lpcfg_cli.learning.clusters import cluster_nodes, count_states
from lpcfg_cli.learning.projected_nodes import ProjectedNodes
from lpcfg_cli.spectral.k_means import k_means


def test_k_means_finds_groups_that_lie_apart():
    rng = np.random.default_rng(0)
    middle = np.array([[0.0, 0], [10, 0], [0, 10]])
    truth = rng.integers(0, 3, 90)
    number = k_means(middle[truth] + rng.normal(size=(90, 2)), 3, 0)
    pairs = {(int(t), int(n)) for t, n in zip(truth, number, strict=True)}
    assert len(pairs) == 3
    assert len({n for _, n in pairs}) == 3


@pytest.mark.parametrize("k", [1, 3, 7])
def test_k_means_takes_points_that_coincide_and_few_points(k):
    assert set(k_means(np.ones((5, 2)), k, 0)) == {0}
    assert set(k_means(np.zeros((1, 2)), k, 0)) == {0}
    number = k_means(np.array([[0.0], [1.0]]), k, 0)
    assert len(set(number)) == min(k, 2)
    twice = k_means(np.repeat(np.eye(4), 3, axis=0), k, 0)
    assert len(set(twice)) == min(k, 4)
    assert (twice.reshape(4, 3) == twice[::3, None]).all()


def spread(points, number):
    """Sum of squared distances from the centres of their groups."""
    groups = (points[number == n] for n in np.unique(number))
    return sum(((group - group.mean(0)) ** 2).sum() for group in groups)


def test_no_point_would_be_nearer_to_another_centre():
    points = np.random.default_rng(3).normal(size=(300, 4))
    number = k_means(points, 5, 1)
    centres = np.stack([points[number == n].mean(0) for n in range(5)])
    nearest = ((points[:, None] - centres) ** 2).sum(2).argmin(1)
    assert np.array_equal(nearest, number)
    assert spread(points, number) < 0.7 * spread(points, np.zeros(300))


def test_threads_make_no_difference():
    """With several threads the order of summation would differ between runs."""
    points = np.random.default_rng(3).normal(size=(20_000, 6)) ** 3
    one = k_means(points, 8, 1)
    with threadpool_limits(2):
        before = threadpool_info()
        many = k_means(points, 8, 1)
        assert threadpool_info() == before
    assert one.tobytes() == many.tobytes()


def test_k_means_has_one_thread(monkeypatch):
    from sklearn.cluster import KMeans

    seen, fit = [], KMeans.fit_predict

    def spy(self, points, sample_weight=None):
        seen.extend(library["num_threads"] for library in threadpool_info())
        return fit(self, points, sample_weight=sample_weight)

    monkeypatch.setattr(KMeans, "fit_predict", spy)
    with threadpool_limits(2):
        k_means(np.eye(5), 2, 0)
    assert set(seen) == {1}


def projections_of(trees, m, rng):
    n_states = np.full(len(trees.symbols), m, np.int32)
    return ProjectedNodes(rng.normal(size=(trees.n_nodes, m)), rng.normal(size=(trees.n_nodes, m)), n_states)


def test_every_state_of_a_symbol_has_a_node_and_counts_are_those_of_the_trees():
    rng = np.random.default_rng(1)
    trees = binarized(TREES * 2)
    state, n_states = cluster_nodes(trees.symbol, projections_of(trees, 3, rng), seed=4)
    for a in range(len(trees.symbols)):
        assert set(state[trees.symbol == a]) == set(range(n_states[a]))
    table, _ = tabulate(trees, n_states)
    counts = count_states(trees, table, state)
    assert counts.root.sum() == trees.n_trees
    for rule, block in enumerate(table.blocks(counts.rules)):
        assert block.sum() == table.count[rule]
    for a in range(len(trees.symbols)):
        own = sum(
            block.sum((1, 2)) for b, block in zip(table.parent, table.blocks(counts.rules), strict=True) if b == a
        )
        np.testing.assert_array_equal(own, np.bincount(state[trees.symbol == a]))


def unit_points(projected, nodes, m):
    """What is clustered: both sides of each node, each of length 1."""
    sides = (projected.inside[nodes, :m], projected.outside[nodes, :m])
    return np.hstack([side / np.linalg.norm(side, axis=1, keepdims=True) for side in sides])


def means_of(points, number):
    return np.stack([points[number == k].mean(0) for k in range(number.max() + 1)])


def distances(points, centres):
    """Squared distance of each point from each centre."""
    return ((points[:, None] - centres) ** 2).sum(2)


def inertia(points, number):
    """Sum of squared distances from the means of the clusters."""
    return distances(points, means_of(points, number))[np.arange(len(points)), number].sum()


@pytest.mark.parametrize("seed", range(4))
def test_every_node_is_nearest_to_the_mean_of_its_own_state(seed):
    """Rounds of k-means end there; and are then better than most divisions by points drawn at random."""
    rng = np.random.default_rng(seed)
    symbol = np.repeat([0, 1], [60, 150])
    projected = ProjectedNodes(rng.normal(size=(210, 4)), rng.normal(size=(210, 4)), np.array([3, 4], np.int32))
    state, n_states = cluster_nodes(symbol, projected, seed)
    np.testing.assert_array_equal(n_states, [3, 4])
    for a, m in enumerate(n_states):
        nodes = np.flatnonzero(symbol == a)
        points, number = unit_points(projected, nodes, m), state[nodes]
        np.testing.assert_array_equal(distances(points, means_of(points, number)).argmin(1), number)
        starts = (points[rng.choice(len(points), m, replace=False)] for _ in range(50))
        by_start = [inertia(points, distances(points, start).argmin(1)) for start in starts]
        assert inertia(points, number) < np.median(by_start)


def test_states_depend_on_the_seed_alone():
    trees = binarized(TREES * 2)
    projected = projections_of(trees, 3, np.random.default_rng(1))
    one, again, other = (cluster_nodes(trees.symbol, projected, seed)[0] for seed in (4, 4, 5))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def test_projections_of_zero_give_one_state():
    trees = binarized(TREES)
    zero = np.zeros((trees.n_nodes, 3))
    state, n_states = cluster_nodes(
        trees.symbol, ProjectedNodes(zero, zero, np.full(len(trees.symbols), 3, np.int32)), seed=0
    )
    assert set(n_states) == {1}
    assert set(state) == {0}
