"""The table of projections of symbols to m dimensions.  A new one is a function and an entry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lpcfg_cli.arrays.streams import Purpose, stream
from lpcfg_cli.config import HmmSettings, Table
from lpcfg_cli.embeddings.archive import load_embeddings
from lpcfg_cli.errors import ConfigError, InputError
from lpcfg_cli.hmm.moments import Moments
from lpcfg_cli.spectral.scaling import inverse_deviations
from lpcfg_cli.spectral.truncation import truncated
from lpcfg_cli.text.vocabulary import END, MARKS, Vocabulary

if TYPE_CHECKING:
    from scipy import sparse

INVERSE = 1e-12
"""Singular values of Σ below this share of the largest count as zero."""


@dataclass(frozen=True)
class Sides:
    """Projections of future, past and present symbols.

    Attributes
    ----------
    future, past : ndarray of float64, shape (n_words, m)
        U and V.
    middle, vectors : ndarray of float64, shape (n_words, m)
        W and y, with O = y WᵀO for the emissions O of the hidden states without the end, which is never in the middle.
    singular_values : ndarray of float64, shape (m,)
        Of the scaled bigrams, in decreasing order; empty if there was no SVD.
    chance : float
        Singular values up to this one could be due to chance.
    """

    future: np.ndarray
    past: np.ndarray
    middle: np.ndarray
    vectors: np.ndarray
    singular_values: np.ndarray
    chance: float


@dataclass(frozen=True)
class SymbolProjection:
    """A way to project symbols.

    Attributes
    ----------
    name : str
        Value of ``hmm.projection``.
    summary : str
        One line for help pages.
    fit : function of (Moments, HmmSettings, seed) to Sides
    """

    name: str
    summary: str
    fit: Callable[[Moments, HmmSettings, int], Sides]


def _by_svd(moments: Moments, settings: HmmSettings, seed: int) -> Sides:
    """The singular vectors of P₂₁ (Hsu et al.); its sampling error has a norm of at most 1 / √events in the mean."""
    u, s, v = _truncated(moments.bigrams, settings.states, seed)
    middle = _truncated(without_end(moments.bigrams), settings.states, seed)[0]
    return Sides(u, v, middle, middle, s, 1 / np.sqrt(moments.events))


def _by_cca(moments: Moments, settings: HmmSettings, seed: int) -> Sides:
    """The singular vectors of P₂₁ scaled by 1 / √(count + κ) on both sides, so that frequent symbols do not prevail.

    If next symbols did not depend on those before, the scaled matrix would, but for one singular value, be noise of
    variance 1 / events.  The largest singular value of that is about (√n + √n') / √events, where a rare symbol counts
    as less than 1 of the n and n' symbols.
    """
    from scipy import sparse

    n = moments.events
    counts = [n * np.asarray(moments.bigrams.sum(axis)).ravel() for axis in (1, 0)]
    future, past = (inverse_deviations(np.where(c > 0, c, 1.0), round(n), settings.kappa) for c in counts)
    scaled = (sparse.diags_array(future) @ moments.bigrams @ sparse.diags_array(past)).tocsr()
    u, s, v = _truncated(scaled, settings.states, seed)
    middle = _truncated(without_end(scaled), settings.states, seed)[0]
    sizes = [float((c / np.where(c > 0, c + settings.kappa, 1.0)).sum()) for c in counts]
    chance = float(np.sqrt(sizes).sum() / np.sqrt(n))
    sides = (u * future[:, None], v * past[:, None], middle * future[:, None], middle / future[:, None])
    return Sides(*sides, s, chance)


def _truncated(matrix: sparse.csr_array, m: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return truncated(matrix, m, stream(seed, Purpose.HMM_PROJECTION))


def without_end(matrix: sparse.csr_array) -> sparse.csr_array:
    """A matrix without the row of the end, (n_words, n_words)."""
    from scipy import sparse

    return (sparse.diags_array((np.arange(matrix.shape[0]) != END).astype(float)) @ matrix).tocsr()


def by_vectors(moments: Moments, vectors: np.ndarray) -> Sides:
    """The same vectors of words, (n_words, m), for all three, as in the paper."""
    middle = vectors * (np.arange(len(vectors)) != END)[:, None]
    past = without_end(moments.bigrams) @ vectors
    return Sides(vectors, vectors, middle, past @ np.linalg.pinv(middle.T @ past, rcond=INVERSE), np.zeros(0), 0.0)


def check_states(moments: Moments, states: int) -> None:
    """Raise a `ConfigError` if there are fewer different symbols than dimensions."""
    known = min(int(np.count_nonzero(np.asarray(moments.bigrams.sum(axis)))) for axis in (0, 1))
    if states > known:
        raise ConfigError(
            f"hmm.states is {states}, but the text has only {known} different symbols, the end included. "
            f"Give -m {known} or less, or a lower --rare-below."
        )


PROJECTIONS: Table[SymbolProjection] = Table(
    "hmm projection",
    SymbolProjection("cca", "canonical correlation of a symbol and the one before", _by_cca),
    SymbolProjection("svd", "SVD of the bigrams (Hsu et al.)", _by_svd),
)


def projected_sides(moments: Moments, vocabulary: Vocabulary, settings: HmmSettings, seed: int) -> Sides:
    """The projections that the settings name: an entry of `PROJECTIONS`, or the vectors of a file.

    Raises
    ------
    ConfigError
        There are fewer symbols than dimensions.
    InputError, SyntaxProblem, ArtefactError
        The file of vectors cannot be read, or has none of the symbols.
    """
    if settings.embeddings:
        return by_vectors(moments, read_vectors(Path(settings.embeddings), vocabulary))
    check_states(moments, settings.states)
    return PROJECTIONS.named(settings.projection, "hmm.projection").fit(moments, settings, seed)


def read_vectors(path: Path, vocabulary: Vocabulary) -> np.ndarray:
    """The vectors that a file of embeddings has for the symbols, float64, shape (n_words, m); zeros for others.

    Raises
    ------
    InputError, SyntaxProblem, ArtefactError
        The file cannot be read, or has none of the symbols.
    """
    vectors = load_embeddings(path).rows_of(vocabulary.words).astype(float)
    if not vectors[len(MARKS) :].any():
        raise InputError(f"{path}: has none of the symbols of the text. Give vectors of the same language and case.")
    return vectors
