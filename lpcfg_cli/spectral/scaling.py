"""Sparse cross-moments, and the scaling of the features in them (C13 §2.2.1, §3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from scipy import sparse


def inverse_deviations(count: np.ndarray, n_examples: int, kappa: float) -> np.ndarray:
    """√(M / (count + κ)) for each binary feature: about 1 / standard deviation, and less for rare features.

    With this scaling the SVD of a cross-moment is close to a canonical correlation analysis (C13 §3.1).

    Parameters
    ----------
    count : ndarray of int, shape (d,)
        Number of examples with each feature.
    n_examples : int
        M.
    kappa : float
        κ: pseudo-counts that limit the weight of rare features.

    Returns
    -------
    ndarray of float64, shape (d,)
    """
    return np.sqrt(n_examples / (count + kappa))


def cross_moment(phi: sparse.csr_array, psi: sparse.csr_array) -> sparse.csr_array:
    """Ω = ΦᵀΨ / M, shape (d, d'), from the features of M examples, shapes (M, d) and (M, d')."""
    return (phi.T @ psi) / phi.shape[0]
