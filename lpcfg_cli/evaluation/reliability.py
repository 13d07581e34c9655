"""Reliability: of the brackets to which a parser gives a probability near p, how many are right?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

EDGES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
"""Bounds of the bins; finer near 1, where most brackets are."""


@dataclass(frozen=True)
class ReliabilityBin:
    """The brackets with a posterior from `low` up to, but not including, `high`; 1 is in the last bin.

    Attributes
    ----------
    low, high : float
    count : int
    mean : float
        Mean posterior.
    right : float
        Share of them in the gold trees.
    """

    low: float
    high: float
    count: int
    mean: float
    right: float


@dataclass(frozen=True)
class Reliability:
    """A table of bins without empty ones, and figures of all brackets.

    Attributes
    ----------
    bins : list of ReliabilityBin
    count : int
    mean, right : float
        Mean posterior and share that is right.
    calibration_error : float
        Expected calibration error: mean over all brackets of the difference between `mean` and `right` of their bin.
    brier : float
        Mean squared difference between the posterior and 1 or 0, for right or wrong.
    """

    bins: list[ReliabilityBin]
    count: int
    mean: float
    right: float
    calibration_error: float
    brier: float


def reliability(posterior: np.ndarray, is_right: np.ndarray) -> Reliability:
    """The reliability of posteriors.

    Parameters
    ----------
    posterior : ndarray of float64, shape (n,)
        At least one.
    is_right : ndarray of bool, shape (n,)
    """
    place = np.minimum(np.searchsorted(EDGES, posterior, "right") - 1, len(EDGES) - 2)
    bins = []
    for k in np.unique(place).tolist():
        here = place == k
        mean, right = float(posterior[here].mean()), float(is_right[here].mean())
        bins.append(ReliabilityBin(EDGES[k], EDGES[k + 1], int(here.sum()), mean, right))
    error = sum(one.count * abs(one.mean - one.right) for one in bins) / len(posterior)
    brier = float(np.mean((posterior - is_right) ** 2))
    return Reliability(bins, len(posterior), float(posterior.mean()), float(is_right.mean()), error, brier)
