"""Counts of words and contexts, transformed and whitened, and their truncated SVD with fixed signs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpcfg_cli.config import EmbedSettings
from lpcfg_cli.spectral.projection import canonical_sign, dense_svd, sampled_svd

if TYPE_CHECKING:
    from scipy import sparse

DENSE_SIDE = 300
"""Matrices whose smaller side is at most so long get a dense SVD."""

RANK = 1e-9
"""Singular values below this share of the largest are zero."""


def whitened(counts: sparse.csr_array, settings: EmbedSettings) -> sparse.csr_array:
    """R^(−½) f(C) K^(−½) for counts C of words and contexts, with R and K the sums of rows and columns.

    f is the square root if the settings say so, and R and K are then replaced by their square roots: the counts of a
    pair have variances in proportion to their means, their roots do not (Stratos et al. 2015, "Model-based Word
    Embeddings from Decompositions of Count Matrices").  With f(C) = C, κ = 0 and power 1 the SVD is the CCA of words
    and contexts, each as one-hot vectors.

    Parameters
    ----------
    counts : sparse array, shape (n_words, n_contexts)
    settings : EmbedSettings
    """
    from scipy import sparse

    rows, columns = np.asarray(counts.sum(1)).ravel(), np.asarray(counts.sum(0)).ravel()
    columns = np.where(columns > 0, columns, 1.0) ** settings.context_power
    if settings.root == "sqrt":
        counts, rows, columns = counts.sqrt(), np.sqrt(rows), np.sqrt(columns)
    scales = [1 / np.sqrt(np.where(sums > 0, sums, 1.0) + settings.kappa) for sums in (rows, columns)]
    return (sparse.diags_array(scales[0]) @ counts @ sparse.diags_array(scales[1])).tocsr()


def truncated_svd(
    matrix: sparse.csr_array | np.ndarray, wanted: int, powers: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The largest singular values and their vectors, at most `wanted` and none that is zero, with fixed signs.

    Parameters
    ----------
    matrix : array, sparse or dense, shape (p, q)
    wanted : int
    powers : int
        Number of power iterations if the SVD is randomised, which it is for large matrices.
    rng : Generator

    Returns
    -------
    u, s, vt : ndarray of float64, shapes (p, k), (k,) and (k, q)
    """
    if isinstance(matrix, np.ndarray) or min(matrix.shape) <= max(DENSE_SIDE, wanted + 1):
        u, s, vt = dense_svd(matrix if isinstance(matrix, np.ndarray) else matrix.toarray())
    else:
        # float32 halves the time, which goes by memory; the products of a power iteration need no more
        u, s, vt = sampled_svd(matrix.astype(np.float32), wanted, rng, powers, max(30, wanted // 4))
    rank = int(np.count_nonzero(s[:wanted] > RANK * s[0])) if len(s) and s[0] > 0 else 0
    u, s, vt = u[:, :rank].astype(float), s[:rank].astype(float), vt[:rank].astype(float)
    sign = canonical_sign(u) if rank else np.ones(0)
    return u * sign, s, vt * sign[:, None]


def shares(s: np.ndarray) -> np.ndarray:
    """Singular values as correlations between 0 and 1; see `Learnt`."""
    return np.clip(s / max(1.0, float(s[0])), 0.0, 1.0) if len(s) else s
