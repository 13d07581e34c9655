"""Sums over nested constituents against all of them, and steps of learning against their twin and differences."""

from __future__ import annotations

import numpy as np
import pytest
import span_twin

from lpcfg_cli.parsing.spans.span_kernels import constituent_scores, learn_from, nested_posteriors

SEEDS = range(12)


def random_constituents(rng, n, most):
    """Constituents over n words, ordered by span; some share one."""
    spans = [(i, j) for i in range(n) for j in range(i + 1, n + 1)]
    chosen = sorted(rng.integers(len(spans), size=rng.integers(1, most + 1)).tolist())
    start, stop = np.array([spans[k] for k in chosen], np.int64).T.copy()
    return start, stop, rng.normal(0, 2, len(chosen))


def summed(n, start, stop, score):
    posterior = np.empty(len(score))
    return nested_posteriors(n, start, stop, score, posterior), posterior


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_sums_are_those_over_all_trees(n, seed):
    start, stop, score = random_constituents(np.random.default_rng(seed), n, 10)
    trees = list(span_twin.nestings(start, stop))
    weights = np.array([np.exp(score[list(tree)].sum()) for tree in trees])
    expected = [sum(w for w, tree in zip(weights, trees, strict=True) if c in tree) for c in range(len(score))]
    total, posterior = summed(n, start, stop, score)
    assert total == pytest.approx(np.log(weights.sum()), rel=1e-12, abs=1e-12)
    np.testing.assert_allclose(posterior, np.array(expected) / weights.sum(), rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("seed", SEEDS)
def test_sums_of_longer_sentences_are_those_of_their_twin(seed):
    start, stop, score = random_constituents(np.random.default_rng(seed), 14, 60)
    total, posterior = summed(14, start, stop, score)
    assert total == pytest.approx(span_twin.log_total(14, start, stop, score), rel=1e-12)
    np.testing.assert_allclose(posterior, span_twin.posteriors(14, start, stop, score), atol=1e-11)


def test_without_constituents_there_is_one_tree():
    nothing = np.zeros(0, np.int64)
    assert summed(3, nothing, nothing, np.zeros(0))[0] == pytest.approx(np.log(1), abs=1e-15)


def test_scores_far_beyond_the_range_of_exponentials_are_summed():
    start, stop = np.array([0, 0, 1]), np.array([2, 3, 3])
    total, posterior = summed(3, start, stop, np.array([2000.0, -2000.0, 1999.0]))
    assert total == pytest.approx(2000 + np.log1p(np.exp(-1)))
    np.testing.assert_allclose(posterior, [1 / (1 + np.exp(-1)), 0, 1 / (1 + np.exp(1))], atol=1e-12)


def problem(seed, n=5, n_slots=1 << 12):
    """A sentence with random features, weights, chains and tree, as arguments of `learn_from`."""
    rng = np.random.default_rng(seed)
    start, stop, odds = random_constituents(rng, n, 8)
    is_new = np.append(True, (np.diff(start) != 0) | (np.diff(stop) != 0))
    span = np.cumsum(is_new) - 1
    first = np.append(0, np.cumsum(rng.integers(1, 4, span[-1] + 1)))
    key = rng.integers(1 << 63, size=first[-1], dtype=np.uint64)
    chain = rng.integers(1 << 63, size=len(span), dtype=np.uint64)
    trees = list(span_twin.nestings(start, stop))
    is_gold = np.isin(np.arange(len(span)), trees[rng.integers(len(trees))])
    weight = rng.normal(size=n_slots).astype(np.float32)
    return n, start, stop, chain, odds, is_gold, span, first, key, weight


def learnt(n, start, stop, chain, odds, is_gold, span, first, key, weight, rate, trust):
    """One step; returns likelihood, trust, weights and squares."""
    one, squares = np.zeros(1, np.int64), np.ones(len(weight), np.float32)
    weight, trust = weight.copy(), np.array(trust)
    sentence = np.array([0, len(start)])
    likelihood = learn_from(
        one, np.array([n]), sentence, start, stop, chain, odds, is_gold, span, first, key, rate, trust, weight, squares
    )
    return likelihood, trust, weight, squares


def likelihood_of(n, start, stop, chain, odds, is_gold, span, first, key, weight, trust):
    score = np.empty(len(start))
    constituent_scores(span, chain, odds, trust, first, key, weight, score)
    return score[is_gold].sum() - span_twin.log_total(n, start, stop, score)


@pytest.mark.parametrize("seed", SEEDS)
def test_scores_and_steps_are_those_of_their_twin(seed):
    *given, weight = problem(seed, n_slots=1 << 4)  # so few that features share them
    likelihood, trust, changed, squares = learnt(*given, weight, 0.05, [0.7, 3.0])
    own_trust, own, own_squares = np.array([0.7, 3.0]), weight.copy(), np.ones_like(weight)
    expected = span_twin.learn(*given, 0.05, own_trust, own, own_squares)
    assert likelihood == pytest.approx(expected, rel=1e-10)
    np.testing.assert_allclose(trust, own_trust, rtol=1e-10)
    np.testing.assert_allclose(changed, own, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(squares, own_squares, rtol=1e-5)
    assert likelihood == pytest.approx(likelihood_of(*given, weight, 0.7), rel=1e-10)


@pytest.mark.parametrize("seed", SEEDS)
def test_steps_go_up_the_gradient_of_the_likelihood(seed):
    *given, weight = problem(seed)
    weight = np.round(weight * 64) / 64  # so that small differences are exact
    _, trust, changed, _ = learnt(*given, weight, 1.0, [1.0, 1e12])
    step = 2.0**-7
    for place in np.flatnonzero(changed != weight):
        above, below = weight.copy(), weight.copy()
        above[place] += step
        below[place] -= step
        slope = (likelihood_of(*given, above, 1.0) - likelihood_of(*given, below, 1.0)) / (2 * step)
        taken = float(changed[place]) - float(weight[place])
        assert taken == pytest.approx(slope / np.sqrt(1 + slope**2), abs=2e-3)
    slope = (likelihood_of(*given, weight, 1 + 1e-5) - likelihood_of(*given, weight, 1 - 1e-5)) / 2e-5
    assert (trust[0] - 1) * 1e6 == pytest.approx(slope, abs=0.03)


def test_what_is_nearly_right_changes_nothing():
    one = np.zeros(1, np.int64)
    given = (1, one, one + 1, np.ones(1, np.uint64), np.array([8.0]), np.ones(1, bool), one, np.array([0, 1]))
    weight = np.zeros(16, np.float32)
    _, trust, changed, _ = learnt(*given, np.ones(1, np.uint64), weight, 0.1, [1.0, 1.0])
    assert (trust.tolist(), changed.any()) == ([1.0, 1.0], False)
    _, trust, changed, _ = learnt(*given, np.ones(1, np.uint64), weight, 0.1, [0.8, 1.0])
    assert trust[0] > 0.8
    assert changed.max() > 0


def test_each_kernel_is_compiled_once():
    """Parsing and learning call the kernels with the same types, so that first runs compile no more than they need."""
    *given, weight = problem(0)
    learnt(*given, weight, 0.05, [1.0, 1.0])
    likelihood_of(*given, weight, 1.0)
    for kernel in (constituent_scores, nested_posteriors, learn_from):
        assert len(getattr(kernel, "signatures", [1])) == 1
