"""Sums over nested constituents against all of them, and the other kernels of span models against their twins."""

from __future__ import annotations

import numpy as np
import pytest
import span_twin

from lpcfg_cli.parsing.spans.batches import span_numbers
from lpcfg_cli.parsing.spans.gate_kernels import fill_cells, fill_gate_slopes
from lpcfg_cli.parsing.spans.span_kernels import nested_shares
from lpcfg_cli.parsing.spans.step_kernels import ascend
from lpcfg_cli.parsing.spans.vector_kernels import add_vector_gradient, fill_vectors

SEEDS = range(12)


def random_constituents(rng, n, most):
    """Constituents over n words, ordered by span; some share one."""
    spans = [(i, j) for i in range(n) for j in range(i + 1, n + 1)]
    chosen = sorted(rng.integers(len(spans), size=rng.integers(1, most + 1)).tolist())
    start, stop = np.array([spans[k] for k in chosen], np.int64).T.copy()
    return start, stop, rng.normal(0, 2, len(chosen))


def summed(n, start, stop, score):
    """Sums by the kernel, which takes one weight of each span, for all constituents over it."""
    weight = np.full(n * (n + 1) // 2, -np.inf)
    number = span_numbers(start, stop, n)
    np.logaddexp.at(weight, number, score)
    share, total = np.empty(len(weight)), np.empty(1)
    nested_shares(np.array([n]), weight, share, total)
    return total[0], share[number] * np.exp(score - weight[number])


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


def test_sentences_are_summed_by_themselves():
    rng = np.random.default_rng(3)
    sizes = np.array([4, 1, 6])
    weights = [rng.normal(0, 2, n * (n + 1) // 2) for n in sizes]
    together, totals = np.empty(sum(map(len, weights))), np.empty(3)
    nested_shares(sizes, np.concatenate(weights), together, totals)
    alone = [np.empty(len(weight)) for weight in weights]
    for k, weight in enumerate(weights):
        total = np.empty(1)
        nested_shares(sizes[k : k + 1], weight, alone[k], total)
        assert total[0] == totals[k]
    np.testing.assert_array_equal(together, np.concatenate(alone))


def random_vectors(seed, share=0.0):
    """Arguments of `fill_vectors` but for the room, and factors of what is kept."""
    rng = np.random.default_rng(seed)
    gaps = rng.normal(size=(6, 9)).astype(np.float32)
    left, right = np.array([0, 1, 0, 4]), np.array([3, 2, 5, 5])
    gain, bias = rng.normal(1, 0.2, 9).astype(np.float32), rng.normal(0, 0.3, 9).astype(np.float32)
    kept = (rng.random((4, 9)) >= share).astype(np.uint8) if share else np.empty((0, 0), np.uint8)
    return (gaps, left, right, gain, bias, kept, np.float32(1 / (1 - share))), kept if share else np.ones((4, 9))


def filled(given):
    vectors, scale = np.empty((4, 9), np.float32), np.empty(4, np.float32)
    fill_vectors(*given, vectors, scale)
    return vectors, scale


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("share", [0.0, 0.25])
def test_vectors_are_those_of_their_twin(seed, share):
    given, kept = random_vectors(seed, share)
    gaps, left, right, gain, bias, _, factor = given
    expected = span_twin.vectors(gaps[right].astype(float) - gaps[left], gain, bias) * kept * factor
    vectors, scale = filled(given)
    np.testing.assert_allclose(vectors, expected, atol=1e-5)
    np.testing.assert_allclose(scale, 1 / np.sqrt((gaps[right] - gaps[left]).var(axis=1) + 1e-5), rtol=1e-5)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_gradient_of_vectors_is_that_of_differences(seed):
    (gaps, left, right, gain, bias, kept, factor), factors = random_vectors(seed, 0.25)
    target, step = np.random.default_rng(seed).normal(size=(4, 9)), 1e-6
    arrays = [part.astype(float) for part in (gaps, gain, bias)]

    def worth(gaps, gain, bias):
        return (span_twin.vectors(gaps[right] - gaps[left], gain, bias) * factors * float(factor) * target).sum()

    vectors, scale = filled((gaps, left, right, gain, bias, kept, factor))
    found = [np.zeros(part.shape, np.float32) for part in arrays]
    room = np.empty(9, np.float32)
    add_vector_gradient(target.astype(np.float32), vectors, scale, gaps, left, right, gain, factor, *found, room)
    for part, slope in zip(arrays, found, strict=True):
        for place in np.ndindex(part.shape):
            own = part[place]
            part[place] = own + step
            above = worth(*arrays)
            part[place] = own - step
            expected = (above - worth(*arrays)) / (2 * step)
            part[place] = own
            assert slope[place] == pytest.approx(expected, abs=2e-4)


def one_place(seed, dtype, n_before):
    """Of four sentences, `n_before` of which have a place before: half sums of gates, cells before, and two slopes."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(4, 12)).astype(dtype), rng.normal(size=(n_before, 3)), rng.normal(size=(2, 4, 3))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("n_before", [0, 6])
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 1e-5), (np.float64, 1e-12)])
def test_gates_and_their_slopes_are_those_of_their_twins(seed, n_before, dtype, tolerance):
    halves, earlier, slope = one_place(seed, dtype, n_before)
    gates, cells = np.tanh(halves), np.empty((4, 3), dtype)
    fill_cells(gates, earlier.astype(dtype), cells)
    before = earlier[:4] if n_before else np.zeros((4, 3))
    sums = 2.0 * halves.astype(float)
    expected = np.hstack([span_twin.logistic(sums[:, :9]), np.tanh(sums[:, 9:] / 2)])
    np.testing.assert_allclose(gates, expected, rtol=tolerance)
    np.testing.assert_allclose(
        cells, expected[:, :3] * expected[:, 9:] + expected[:, 3:6] * before, rtol=tolerance, atol=tolerance
    )
    of_hidden, of_cell, found = (np.ones((5, 3), dtype), np.zeros((5, 3), dtype), np.empty((4, 12), dtype))
    of_cell[:4] = slope[1]
    squashed, own = np.tanh(cells), slope[0].astype(dtype)
    fill_gate_slopes(own, gates, squashed, earlier.astype(dtype), of_hidden, of_cell, found)
    for s in range(4):
        given = np.stack([slope[0, s] + 1.0, slope[1, s]])
        of_gates, of_earlier = span_twin.gate_slopes(given, expected[s], cells[s].astype(float), before[s])
        np.testing.assert_allclose(found[s], of_gates, rtol=10 * tolerance, atol=tolerance)
        np.testing.assert_allclose(of_cell[s], of_earlier, rtol=10 * tolerance, atol=tolerance)
    assert not of_cell[4].any()


def test_steps_are_those_of_their_twin():
    rng = np.random.default_rng(0)
    value = rng.normal(size=20).astype(np.float32)
    own, means = value.astype(float), (np.zeros(20), np.zeros(20))
    mean, square = np.zeros(20, np.float32), np.zeros(20, np.float32)
    for step in range(1, 6):
        slope = rng.normal(size=20).astype(np.float32)
        ascend(value, slope, mean, square, 0.5, 0.1, step)
        own, *means = span_twin.ascend(own, 0.5 * slope.astype(float), *means, 0.1, step)
        np.testing.assert_allclose(value, own, rtol=1e-5, atol=1e-6)


def test_the_kernel_of_parsing_is_compiled_once():
    """Parsing and learning call it with the same types, so that first runs compile no more than they need."""
    summed(3, np.array([0]), np.array([2]), np.array([1.0]))
    filled(random_vectors(0)[0])
    filled(random_vectors(0, 0.25)[0])
    for kernel in (nested_shares, fill_vectors):
        assert len(getattr(kernel, "signatures", [1])) == 1
