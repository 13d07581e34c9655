"""The largest singular triples of one matrix, dense or sparse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpcfg_cli.spectral.projection import canonical_sign, dense_svd, sparse_svd

if TYPE_CHECKING:
    from scipy import sparse
    from scipy.sparse.linalg import LinearOperator

DENSE_ROWS = 300
"""Matrices with at most so many rows or columns get a dense SVD."""

RANK = 1e-9
"""Singular values below this share of the largest are zero."""


def truncated(
    matrix: sparse.csr_array | LinearOperator, m: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The m largest singular triples: U (n, m), σ (m,), V (n', m), without those that are numerically zero.

    The signs are fixed: the largest entry of each column of U is positive.

    Parameters
    ----------
    matrix : sparse array or LinearOperator, shape (n, n')
    m : int
    rng : Generator
        Draws the start vector of the Lanczos iteration.
    """
    if min(matrix.shape) <= max(DENSE_ROWS, m + 1):
        u, s, vt = dense_svd((matrix.T @ np.eye(matrix.shape[0])).T)
    else:
        u, s, vt = sparse_svd(matrix, m, rng)
    rank = int(np.count_nonzero(s[:m] > RANK * s[0]))
    sign = canonical_sign(u[:, :rank])
    return u[:, :rank] * sign, s[:rank], vt[:rank].T * sign
