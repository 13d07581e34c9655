"""M-steps for distributions with Dirichlet priors, and the logarithms of the priors' densities."""

from __future__ import annotations

import numpy as np


def normalised_rows(counts: np.ndarray, prior: float) -> np.ndarray:
    """Distributions of m states from expected counts with a prior of κ / m counts of each state.

    Parameters
    ----------
    counts : ndarray of float64, shape (n, m)
        Overwritten with the result; rows without counts become even.
    prior : float
        κ.
    """
    counts += prior / counts.shape[1]
    total = counts.sum(1, keepdims=True)
    counts[total[:, 0] == 0] = 1 / counts.shape[1]
    counts /= np.where(total > 0, total, 1.0)
    return counts


def log_row_prior(rows: np.ndarray, prior: float) -> float:
    """Logarithm of the density of the prior of `normalised_rows`, up to a constant."""
    return 0.0 if prior == 0 else prior / rows.shape[1] * float(np.log(rows).sum())


def normalised_columns(counts: np.ndarray, prior: float, frequency: np.ndarray) -> np.ndarray:
    """Distributions of words from expected counts with a prior of κ p(w) counts of each word.

    Parameters
    ----------
    counts : ndarray of float64, shape (n_words, m)
        Overwritten with the result; a state without counts gets the words' frequencies, which change nothing.
    prior : float
        κ.
    frequency : ndarray of float64, shape (n_words,)
        p(w).
    """
    if prior > 0:
        counts += prior * frequency[:, None]
    total = counts.sum(0)
    counts[:, total == 0] = frequency[:, None]
    counts /= np.where(total > 0, total, frequency.sum())
    return counts


def log_column_prior(columns: np.ndarray, prior: float, frequency: np.ndarray) -> float:
    """Logarithm of the density of the prior of `normalised_columns`, up to a constant."""
    if prior == 0:
        return 0.0
    occurs = frequency > 0
    return prior * float((frequency[occurs] @ np.log(columns[occurs])).sum())
