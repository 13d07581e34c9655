"""Scaled sparse moments: what is decomposed, and how features are weighed in it (C13 §2.2.1, §3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from scipy import sparse


def inverse_deviations(count: np.ndarray, n_examples: int, kappa: float) -> np.ndarray:
    """√(M / (count + κ)) for each binary feature: near one over its standard deviation, less for rare ones.

    With features so scaled the SVD of a cross-moment comes near a canonical correlation analysis (C13 §3.1).

    Parameters
    ----------
    count : ndarray of int, shape (d,)
        How many of the examples have each feature.
    n_examples : int
        M.
    kappa : float
        κ: pseudo-counts that keep rare features from weighing too much.

    Returns
    -------
    ndarray of float64, shape (d,)
    """
    return np.sqrt(n_examples / (count + kappa))


def cross_moment(phi: sparse.csr_array, psi: sparse.csr_array) -> sparse.csr_array:
    """Ω = ΦᵀΨ / M, shape (d, d'), from the features of M examples, shapes (M, d) and (M, d')."""
    return (phi.T @ psi) / phi.shape[0]
