"""Ridge regression of judgements: against the closed form, and a loop that leaves each pair out."""

from __future__ import annotations

import numpy as np
import pytest

from lpcfg_cli.config import SimilaritySettings
from lpcfg_cli.sts.regression import expanded, fit, n_terms


def data(seed, n=40, n_metrics=3):
    rng = np.random.default_rng(seed)
    values = rng.random((n, n_metrics)) * [1, 10, 100][:n_metrics]
    return values, rng


def ridge(terms, score, strength):
    """Weights and intercept in closed form; the intercept has no penalty."""
    centred = terms - terms.mean(0)
    gram = centred.T @ centred + strength * np.eye(terms.shape[1])
    weights = np.linalg.solve(gram, centred.T @ (score - score.mean()))
    return weights, score.mean() - terms.mean(0) @ weights


def test_terms_are_values_squares_roots_and_products():
    row = np.array([[2.0, -3.0, 5.0]])
    assert expanded(row, "linear").tolist() == [[2, -3, 5]]
    squares = [2, -3, 5, 4, 9, 25, *np.sqrt([2, 3, 5])]
    np.testing.assert_allclose(expanded(row, "squares"), [squares])
    np.testing.assert_allclose(expanded(row, "interactions"), [[*squares, -6, 10, -15]])
    for terms in ("linear", "squares", "interactions"):
        assert expanded(np.zeros((2, 7)), terms).shape == (2, n_terms(7, terms))


@pytest.mark.parametrize("terms", ["linear", "squares", "interactions"])
def test_the_fit_is_the_closed_form_at_the_strength_with_the_least_error_left_out(terms):
    values, rng = data(1)
    score = values @ [1.0, 0.1, 0.0] + rng.normal(size=len(values)) * 0.3
    settings = SimilaritySettings(terms=terms, weakest=0.01, strongest=100.0, strengths=5)
    found = fit(values, score, settings)
    seen = (expanded(values / np.abs(values).max(0), terms) - found.centre) / found.spread
    errors = {}
    for strength in (0.01, 0.1, 1.0, 10.0, 100.0):
        left_out = []
        for k in range(len(score)):
            others = np.arange(len(score)) != k
            weights, intercept = ridge(seen[others], score[others], strength)
            left_out.append(seen[k] @ weights + intercept - score[k])
        errors[strength] = np.sqrt(np.mean(np.square(left_out)))
    best = min(errors, key=errors.get)
    assert found.strength == pytest.approx(best)
    assert found.error == pytest.approx(errors[best], rel=1e-6)
    weights, intercept = ridge(seen, score, best)
    np.testing.assert_allclose(found.weights, weights, rtol=1e-6, atol=1e-9)
    expected = np.clip(seen @ weights + intercept, score.min(), score.max())
    np.testing.assert_allclose(found.predict(values), expected, rtol=1e-6)


def test_predictions_stay_in_the_range_of_the_training_scores():
    values, _ = data(2)
    found = fit(values, values[:, 0], SimilaritySettings(terms="linear"))
    far = found.predict(np.array([[100.0, 5.0, 50.0], [-100.0, 5.0, 50.0]]))
    assert far.tolist() == [values[:, 0].max(), values[:, 0].min()]


def test_products_are_learnt_with_interactions_only():
    values, _ = data(3, 200, 2)
    values -= values.mean(0)
    score = values[:, 0] * values[:, 1]
    errors = [
        fit(values, score, SimilaritySettings(terms=terms, weakest=1e-6)).error for terms in ("squares", "interactions")
    ]
    assert errors[1] < 0.01 * errors[0]


def test_constant_metrics_and_scores_are_no_trouble():
    values, _ = data(4)
    values[:, 1], values[:, 2] = 0.0, 7.0
    found = fit(values, np.full(len(values), 2.5), SimilaritySettings())
    assert found.predict(values) == pytest.approx(2.5) and found.error == pytest.approx(0, abs=1e-9)
