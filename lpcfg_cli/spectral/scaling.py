"""Sparse cross-moments, and the scaling of the features in them (C13 §2.2.1, §3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from scipy import sparse


def inverse_deviations(count: np.ndarray, n_examples: float, kappa: float) -> np.ndarray:
    """√(M / (count + κ)) for each binary feature: about 1 / standard deviation, and less for rare features.

    With this scaling the SVD of a cross-moment is close to a canonical correlation analysis (C13 §3.1).

    Parameters
    ----------
    count : ndarray of int or float, shape (d,)
        Number of examples with each feature, or the sum of their weights.
    n_examples : float
        M, or the sum of all weights.
    kappa : float
        κ: pseudo-counts that limit the weight of rare features.

    Returns
    -------
    ndarray of float64, shape (d,)
    """
    return np.sqrt(n_examples / (count + kappa))


def cross_moment(phi: sparse.csr_array, psi: sparse.csr_array, weight: np.ndarray) -> sparse.csr_array:
    """Ω = ΦᵀWΨ / Σw, shape (d, d'), from the features of M examples, shapes (M, d) and (M, d'), and their weights."""
    return (weighted(phi, weight).T @ psi) / weight.sum()


def weighted(features: sparse.csr_array, weight: np.ndarray) -> sparse.csr_array:
    """The rows of a matrix, shape (M, d), times their weights, float64, (M,)."""
    scaled = features.copy()
    scaled.data *= np.repeat(weight, np.diff(features.indptr))
    return scaled
