"""Projections of inside and outside trees: a truncated SVD for each nonterminal (C13 §2.2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpcfg_cli.arrays.streams import Purpose, stream
from lpcfg_cli.config import SvdSettings
from lpcfg_cli.spectral.scaling import cross_moment

if TYPE_CHECKING:
    from scipy import sparse


DENSE_NUMBERS = 1 << 22
"""Largest number of entries of a matrix whose SVD is dense if Lanczos iteration fails: 32 MB, a few seconds."""

POWERS = 30
"""Number of power iterations of a sampled SVD, each a product with Ω and its transpose: error (σ_{2m+1} / σ_m)⁶¹."""


@dataclass(frozen=True)
class Projection:
    """The SVD of one nonterminal's Ω = ΦᵀΨ / M, truncated to its m states.

    Attributes
    ----------
    inside : ndarray of float64, shape (d, m)
        U; inside features φ are projected to Y = Uᵀφ.
    outside : ndarray of float64, shape (d', m)
        V; outside features ψ are projected to Z = Σ⁻¹Vᵀψ.
    singular_values : ndarray of float64, shape (m,)
        In decreasing order.
    discarded : ndarray of float64, shape (n_discarded,)
        Singular values that were computed but dropped as numerically zero; for the report.
    """

    inside: np.ndarray
    outside: np.ndarray
    singular_values: np.ndarray
    discarded: np.ndarray

    @property
    def n_states(self) -> int:
        """m of this nonterminal, at least 1."""
        return len(self.singular_values)


def project(
    phi: sparse.csr_array,
    psi: sparse.csr_array,
    settings: SvdSettings,
    rng: np.random.Generator,
    weight: np.ndarray | None = None,
) -> Projection:
    """Compute the truncated SVD of Ω = ΦᵀWΨ / Σw, of rank min(m, numerical rank of Ω, M) (C13 §2.2.1).

    The SVD is dense if the smaller side of Ω is small, else a Lanczos iteration on the sparse product, or, if that does
    not converge, `sampled_svd`.  Tiny, rank-deficient and zero matrices give at least one state.

    Parameters
    ----------
    phi : sparse array, shape (M, d)
        Inside features.
    psi : sparse array, shape (M, d')
        Outside features.
    settings : SvdSettings
    rng : Generator
        Draws the start vector of the Lanczos iteration.
    weight : ndarray of float64, shape (M,), optional
        How often each example counts; by default once.
    """
    n_examples = phi.shape[0]
    omega = cross_moment(phi, psi, np.ones(n_examples) if weight is None else weight)
    wanted = min(settings.states, n_examples, *omega.shape)
    if min(omega.shape) <= max(settings.dense_limit, wanted + 1):
        u, s, vt = dense_svd(omega.toarray())
    else:
        u, s, vt = sparse_svd(omega, wanted, rng)
    return _cut(u, s, vt.T, wanted, settings.tolerance)


def perturbed(
    pair: tuple[sparse.csr_array, sparse.csr_array], settings: SvdSettings, seed: int, symbol: int
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Inside and outside features, (M, d) and (M, d'), with dropout and multiplicative Gaussian noise.

    The values that remain after dropout are raised so that means do not change.  Narayan and Cohen (2015, "Diversity in
    Spectral Learning for Natural Language Parsing") perturb features to get models that make different errors; a single
    model gains too.  The result is determined by seed and symbol.
    """
    if settings.dropout == 0 and settings.noise == 0:
        return pair
    rng = stream(seed, Purpose.PERTURBATION, symbol)
    phi, psi = (_perturbed(side, settings, rng) for side in pair)
    return phi, psi


def _perturbed(features: sparse.csr_array, settings: SvdSettings, rng: np.random.Generator) -> sparse.csr_array:
    kept = rng.random(features.nnz) >= settings.dropout
    noise = 1 + settings.noise * rng.standard_normal(features.nnz)
    changed = features.copy()
    changed.data *= kept * noise / (1 - settings.dropout)
    return changed


def dense_svd(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Thin SVD u (p, k), s (k,), vt (k, q) of a finite matrix (p, q), k = min(p, q); O(p q k).

    If LAPACK's fast divide-and-conquer algorithm does not converge, the slower QR algorithm is used.  This happens: for
    instance on a 213 × 148 Ω of the Penn Treebank.
    """
    from scipy import linalg  # imported here because scipy is slow to import and parsing does not need it

    try:
        return linalg.svd(matrix, full_matrices=False, lapack_driver="gesdd")
    except np.linalg.LinAlgError:
        return linalg.svd(matrix, full_matrices=False, lapack_driver="gesvd")


def sparse_svd(
    omega: sparse.csr_array, wanted: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Truncated SVD of a sparse matrix by a Lanczos iteration; another method if it does not converge.

    Parameters and results are those of `sampled_svd`; `wanted` is less than both sides of the matrix.
    """
    from scipy.sparse.linalg import ArpackError, svds

    try:
        u, s, vt = svds(omega, wanted, v0=rng.standard_normal(min(omega.shape)), solver="arpack")
    except ArpackError:  # includes non-convergence; rare
        if omega.shape[0] * omega.shape[1] <= DENSE_NUMBERS:
            return dense_svd(omega.toarray())
        return sampled_svd(omega, wanted, rng)
    return u[:, ::-1], s[::-1], vt[::-1]


def sampled_svd(
    matrix: sparse.csr_array, wanted: int, rng: np.random.Generator, powers: int = POWERS, oversamples: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Truncated SVD of a large sparse matrix by its products with random vectors (Halko et al. 2009); never fails.

    It is less accurate than Lanczos iteration if singular values decrease slowly.  Memory is O((d + d') m).

    Parameters
    ----------
    matrix : sparse array, shape (d, d')
    wanted : int
        Number of singular values m.
    rng : Generator
    powers : int
        Number of power iterations.
    oversamples : int
        Number of random vectors besides m; 0 for as many again, and at least 10.

    Returns
    -------
    u, s, vt : ndarray of the matrix's dtype, shapes (d, m), (m,) and (m, d')
    """
    from sklearn.utils.extmath import randomized_svd  # imported here because it takes a second

    return randomized_svd(
        matrix,
        wanted,
        n_oversamples=oversamples or max(10, wanted),
        n_iter=powers,
        power_iteration_normalizer="QR",
        flip_sign=False,  # callers fix the signs
        random_state=int(rng.integers(2**31)),
    )


def _cut(u: np.ndarray, s: np.ndarray, v: np.ndarray, wanted: int, tolerance: float) -> Projection:
    rank = int(np.count_nonzero(s[:wanted] > tolerance * s[0])) if len(s) and s[0] > 0 else 0
    if rank == 0:
        # Ω is zero: one state, and the projection of every tree is zero
        return Projection(np.zeros((len(u), 1)), np.zeros((len(v), 1)), np.ones(1), s[1:wanted])
    sign = canonical_sign(u[:, :rank])
    return Projection(
        np.ascontiguousarray(u[:, :rank] * sign),
        np.ascontiguousarray(v[:, :rank] * sign),
        s[:rank].copy(),
        s[rank:wanted].copy(),
    )


def canonical_sign(u: np.ndarray) -> np.ndarray:
    """Signs, shape (m,), that make the largest entry of each column positive: an SVD is unique only up to signs."""
    largest = u[np.abs(u).argmax(0), np.arange(u.shape[1])]
    return np.where(largest < 0, -1.0, 1.0)
