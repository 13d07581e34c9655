"""Correlations over sets, and tests of their differences."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lpcfg_cli.sts.correlation import (
    all_rows,
    bootstrap_difference,
    correlate,
    fitted_line,
    mean_rows,
    pearson,
    williams_p,
)


def sets(seed, noise, sizes=(50, 30, 80)):
    rng = np.random.default_rng(seed)
    gold = [rng.random(size) * 5 for size in sizes]
    return [y * (k + 1) + k + rng.normal(size=len(y)) * noise for k, y in enumerate(gold)], gold


def test_pearson_is_that_of_numpy_and_not_defined_for_constants_and_two_values():
    (x, *_), (y, *_) = sets(0, 1.0)
    assert pearson(x, y) == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert math.isnan(pearson(x[:2], y[:2])) and math.isnan(pearson(np.full(50, 0.1), y))


def test_the_three_totals_are_those_of_the_task():
    found, gold = sets(1, 2.0)
    result = correlate(found, gold)
    r = [np.corrcoef(x, y)[0, 1] for x, y in zip(found, gold, strict=True)]
    assert result.by_set == pytest.approx(r)
    assert result.mean == pytest.approx((50 * r[0] + 30 * r[1] + 80 * r[2]) / 160)
    assert result.all_pairs == pytest.approx(np.corrcoef(np.concatenate(found), np.concatenate(gold))[0, 1])
    lines = [np.polyval(np.polyfit(x, y, 1), x) for x, y in zip(found, gold, strict=True)]
    np.testing.assert_allclose(fitted_line(found[2], gold[2]), lines[2])
    assert result.all_fitted == pytest.approx(np.corrcoef(np.concatenate(lines), np.concatenate(gold))[0, 1])
    assert result.all_fitted > result.all_pairs + 0.05, "each set has a scale of its own"
    assert fitted_line(np.ones(4), np.arange(4.0)).tolist() == [1.5] * 4


def test_williams_test_has_the_value_of_the_formula():
    """r₁ = .4, r₂ = .5, r₁₂ = .1, n = 103, the example of Steiger's case A: t = −0.89, p = 0.37."""
    determinant, mean = 1 - 0.16 - 0.25 - 0.01 + 2 * 0.4 * 0.5 * 0.1, 0.45
    t = 0.1 * math.sqrt(102 * 1.1 / (2 * 102 / 100 * determinant + mean**2 * 0.9**3))
    assert round(t, 2) == 0.89
    assert williams_p(0.4, 0.5, 0.1, 103) == pytest.approx(0.375, abs=0.001)
    assert williams_p(0.5, 0.4, 0.1, 103) == williams_p(0.4, 0.5, 0.1, 103)
    assert williams_p(0.5, 0.5, 0.9, 103) == 1 == williams_p(0.4, 0.5, 1.0, 103) == williams_p(math.nan, 0.5, 0.9, 103)


def test_williams_test_rejects_as_often_as_it_says_when_systems_are_equal():
    rng = np.random.default_rng(2)
    found = []
    for _ in range(800):
        y, common, *own = rng.normal(size=(4, 60))
        a, b = (y + common + error for error in own)
        found.append(williams_p(pearson(a, y), pearson(b, y), pearson(a, b), 60))
    assert np.mean(np.array(found) < 0.05) == pytest.approx(0.05, abs=0.02)
    assert np.mean(np.array(found) < 0.5) == pytest.approx(0.5, abs=0.06)


@pytest.mark.parametrize("figure", [mean_rows, all_rows])
def test_the_bootstrap_tells_equal_from_different_systems(figure):
    noisy, gold = sets(3, 3.0)
    better = [(x + y * (k + 1) + k) / 2 for k, (x, y) in enumerate(zip(noisy, gold, strict=True))]
    same = bootstrap_difference(noisy, noisy, gold, 500, np.random.default_rng(0), figure)
    assert (same.value, same.low, same.high, same.p_value) == (0, 0, 0, 1)
    found = bootstrap_difference(noisy, better, gold, 500, np.random.default_rng(0), figure)
    results = correlate(better, gold), correlate(noisy, gold)
    name = "mean" if figure is mean_rows else "all_pairs"
    assert found.value == pytest.approx(getattr(results[0], name) - getattr(results[1], name))
    assert 0 < found.low < found.value < found.high and found.p_value == pytest.approx(2 / 501)
    back = bootstrap_difference(better, noisy, gold, 500, np.random.default_rng(0), figure)
    assert (back.value, back.low, back.high) == pytest.approx((-found.value, -found.high, -found.low))
