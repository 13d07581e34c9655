"""CCA of words with states of their left and right contexts, sums of vectors of the words there.

All moments of the states come from counts of pairs of words, over all positions of the text and those around it, so
that no pass over the text is needed for new vectors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpcfg_cli.config import EmbedSettings
from lpcfg_cli.embeddings.contexts import both_sides, same_side
from lpcfg_cli.embeddings.method import EmbedData
from lpcfg_cli.embeddings.pairs import Pairs, pair_counts
from lpcfg_cli.embeddings.scaling import truncated_svd

if TYPE_CHECKING:
    from scipy import sparse

RIDGE = 1e-9
"""Eigenvalues of a covariance below this share of the largest are taken for zero."""


@dataclass(frozen=True)
class SideCounts:
    """The moments of a word w, the bag l of words to its left and the bag r to its right, as sparse counts.

    Attributes
    ----------
    word_left, word_right : sparse array, shape (n_words, n_contexts)
        Σ w lᵀ and Σ w rᵀ.
    left_left, right_left : sparse array, shape (n_contexts, n_contexts)
        Σ l lᵀ, which is Σ r rᵀ as well, and Σ r lᵀ.
    """

    word_left: sparse.csr_array
    word_right: sparse.csr_array
    left_left: sparse.csr_array
    right_left: sparse.csr_array


@dataclass(frozen=True)
class Moments:
    """Moments of a word and the state of its context, d numbers.

    Attributes
    ----------
    cross : ndarray of float64, shape (n_words, d)
    covariance : ndarray of float64, shape (d, d)
    """

    cross: np.ndarray
    covariance: np.ndarray


def count_sides(data: EmbedData, weights: np.ndarray, n_contexts: int) -> SideCounts:
    """Count the moments of bags in which the word at distance d has weight d."""
    from scipy import sparse

    text = data.text
    n_words = len(text.words)

    def counted(weights: np.ndarray, rows: int, both: bool) -> list[sparse.csr_array]:
        if not len(weights):
            return [sparse.csr_array((rows, n_contexts))]
        pairs = Pairs(tuple(weights.tolist()), n_words, n_contexts, both)
        return [found[:rows] for found in pair_counts(text.parts, pairs, data.mapper, data.progress)]

    own, others = same_side(weights)
    (apart,) = counted(others, n_contexts, False)
    left_left = sparse.diags_array(own * text.count[:n_contexts].astype(float)) + apart + apart.T
    (right_left,) = counted(both_sides(weights), n_contexts, False)
    word_left, word_right = counted(weights, n_words, True)
    return SideCounts(word_left, word_right, left_left.tocsr(), right_left)


def moments(counts: SideCounts, left: np.ndarray, right: np.ndarray) -> Moments:
    """Moments of words and the states (leftᵀ l, rightᵀ r), for vectors left and right of shape (n_contexts, d)."""
    cross = np.hstack([counts.word_left @ left, counts.word_right @ right])
    mixed = left.T @ (counts.right_left.T @ right)
    own = [side.T @ (counts.left_left @ side) for side in (left, right)]
    return Moments(cross, np.block([[own[0], mixed], [mixed.T, own[1]]]))


def inverse_root(covariance: np.ndarray) -> np.ndarray:
    """A^(−½) of a symmetric positive semidefinite matrix, (d, d); zero where the matrix is; d may be 0."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    kept = values > RIDGE * values.max(initial=0.0)
    roots = np.where(kept, 1 / np.sqrt(np.where(kept, values, 1.0)), 0.0)
    return (vectors * roots) @ vectors.T


def words_with_states(
    found: Moments, count: np.ndarray, wanted: int, settings: EmbedSettings, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """CCA of words, as one-hot vectors, and states.

    Parameters
    ----------
    found : Moments
    count : ndarray, shape (n_words,)
        How often each word occurs.
    wanted : int
        Largest number of dimensions.
    settings : EmbedSettings
    rng : Generator

    Returns
    -------
    u : ndarray of float64, shape (n_words, ≤ wanted)
        Orthonormal columns; a word's projection is its row divided by the root of its count.
    correlations : ndarray of float64, shape (≤ wanted,)
    """
    scale = 1 / np.sqrt(np.maximum(count, 1) + settings.kappa)
    u, s, _ = truncated_svd((scale[:, None] * found.cross) @ inverse_root(found.covariance), wanted, 0, rng)
    return u, s
