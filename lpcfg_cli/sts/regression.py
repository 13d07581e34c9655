"""Ridge regression of judgements on metrics, their squares, square roots and products (J12 §3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lpcfg_cli.config import SimilaritySettings


@dataclass(frozen=True)
class Regression:
    """A fitted regression.

    Attributes
    ----------
    terms : str
        What it sees; see `SimilaritySettings`.
    largest : ndarray of float64, shape (n_metrics,)
        Metrics are divided by these first.
    centre, spread, weights : ndarray of float64, shape (n_terms,)
        Mean and standard deviation of each term in the training pairs, and its weight.
    intercept : float
    low, high : float
        Range of the training judgements, to which predictions are clipped.
    strength : float
        Of the ridge.
    error : float
        Root of the mean squared error of predictions of each training pair from the others, not clipped.
    """

    terms: str
    largest: np.ndarray
    centre: np.ndarray
    spread: np.ndarray
    weights: np.ndarray
    intercept: float
    low: float
    high: float
    strength: float
    error: float

    def predict(self, values: np.ndarray) -> np.ndarray:
        """Similarities, float64, shape (n,), of pairs with these values of metrics, float64, shape (n, n_metrics)."""
        terms = (expanded(values / self.largest, self.terms) - self.centre) / self.spread
        return np.clip(terms @ self.weights + self.intercept, self.low, self.high)


def n_terms(n_metrics: int, terms: str) -> int:
    """Number of terms of so many metrics."""
    products = n_metrics * (n_metrics - 1) // 2
    return {"linear": n_metrics, "squares": 3 * n_metrics, "interactions": 3 * n_metrics + products}[terms]


def expanded(values: np.ndarray, terms: str) -> np.ndarray:
    """The terms that the regression sees, float64, shape (n, n_terms).

    Parameters
    ----------
    values : ndarray of float64, shape (n, n_metrics)
    terms : {"linear", "squares", "interactions"}
        The values; also their squares and the square roots of their absolute values; also all products of two.
    """
    parts = [values]
    if terms != "linear":
        parts += [values**2, np.sqrt(np.abs(values))]
    if terms == "interactions":
        first, second = np.triu_indices(values.shape[1], 1)
        parts.append(values[:, first] * values[:, second])
    return np.hstack(parts)


def fit(values: np.ndarray, score: np.ndarray, settings: SimilaritySettings) -> Regression:
    """Fit a ridge regression, whose strength leave-one-out cross-validation chooses.

    Parameters
    ----------
    values : ndarray of float64, shape (n, n_metrics)
        n is at least 2.
    score : ndarray of float64, shape (n,)
    settings : SimilaritySettings
    """
    from sklearn.linear_model import RidgeCV  # here, since it is slow to import

    largest = np.abs(values).max(0)
    largest[largest == 0] = 1.0
    terms = expanded(values / largest, settings.terms)
    centre, spread = terms.mean(0), terms.std(0)
    spread[spread < 1e-12] = 1.0
    strengths = np.geomspace(settings.weakest, settings.strongest, settings.strengths)
    ridge = RidgeCV(strengths).fit((terms - centre) / spread, score)
    return Regression(
        settings.terms,
        largest,
        centre,
        spread,
        ridge.coef_,
        float(ridge.intercept_),
        float(score.min()),
        float(score.max()),
        float(ridge.alpha_),
        float(np.sqrt(max(-ridge.best_score_, 0.0))),
    )
