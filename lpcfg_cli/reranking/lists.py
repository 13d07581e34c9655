"""Numbers of the candidates of lists: those of list s are ``first[s]:first[s + 1]`` of flat arrays."""

from __future__ import annotations

import numpy as np


def owners(first: np.ndarray) -> np.ndarray:
    """The list of each candidate, int64, shape (C,)."""
    return np.repeat(np.arange(len(first) - 1), np.diff(first))


def largest(first: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """The candidate of each list with the largest score, the first of equal ones.

    Parameters
    ----------
    first : ndarray of int64, shape (S + 1,)
    scores : ndarray of float64 or int, shape (C,)

    Returns
    -------
    ndarray of int64, shape (S,)
        Positions among all candidates.
    """
    return np.lexsort([-scores, owners(first)])[first[:-1]]


def relative(first: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The values of candidates beyond that of the first of their list, which makes lists comparable; (C,)."""
    return values - np.repeat(values[first[:-1]], np.diff(first))


def spread(first: np.ndarray, values: np.ndarray) -> float:
    """Standard deviation of `relative` values; 1 if all are equal."""
    return float(relative(first, values).std()) or 1.0
