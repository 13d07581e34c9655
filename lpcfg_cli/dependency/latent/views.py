"""Projections of words and of their neighbours to m dimensions, of which the first is the constant 1.

With the constant among the dimensions, c∞ of D12 is the first unit vector, whatever the sample; so the estimates of
the words of any tree sum to 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lpcfg_cli.arrays.streams import Purpose, stream
from lpcfg_cli.config import DependencyModelSettings
from lpcfg_cli.dependency.latent.moments import KINDS, Moments
from lpcfg_cli.embeddings.archive import load_embeddings
from lpcfg_cli.errors import ConfigError, InputError
from lpcfg_cli.spectral.scaling import inverse_deviations
from lpcfg_cli.spectral.truncation import RANK, truncated
from lpcfg_cli.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from scipy.sparse.linalg import LinearOperator


@dataclass(frozen=True)
class Views:
    """Projections of symbols.

    Attributes
    ----------
    words : ndarray of float64, shape (n_words, m)
        U.
    neighbours : ndarray of float64, shape (4, n_words, m)
        V, for each kind of neighbours.
    singular_values : ndarray of float64, shape (m - 1,)
        In decreasing order; empty if there was no SVD.
    chance : float
        Singular values up to this one could be due to chance.
    """

    words: np.ndarray
    neighbours: np.ndarray
    singular_values: np.ndarray
    chance: float


def views_of(moments: Moments, vocabulary: Vocabulary, settings: DependencyModelSettings, seed: int) -> Views:
    """The projections that the settings name.

    Raises
    ------
    ConfigError
        There are fewer symbols than dimensions.
    InputError, SyntaxProblem, ArtefactError
        The file of vectors cannot be read, or has none of the words.
    """
    known = int(np.count_nonzero(moments.neighbours.sum(1)))
    if settings.states > max(known, 1):
        raise ConfigError(
            f"dependency.states is {settings.states}, but the trees have only {known} different symbols. "
            f"Give -m {max(known, 1)} or less, or a lower --rare-below."
        )
    if settings.embeddings:
        return _by_vectors(moments, word_vectors(Path(settings.embeddings), vocabulary), settings.states)
    return _by_correlation(moments, settings, seed)


def _by_correlation(moments: Moments, settings: DependencyModelSettings, seed: int) -> Views:
    """Singular vectors of the counts of neighbours, scaled by 1 / √(count + κ) on both sides.

    What the frequencies of symbols explain of each kind is taken off: it is the constant's part.  The noise of counts
    is estimated as for HMMs.
    """
    n, m = len(moments.frequency), settings.states
    counts = [np.asarray(moments.neighbours.sum(axis)).ravel() for axis in (1, 0)]
    deviations = [inverse_deviations(np.where(c > 0, c, 1.0), 1, settings.kappa) for c in counts]
    words, neighbours = np.ones((n, 1)), np.ones((KINDS, n, 1))
    if m == 1 or not moments.pairs:
        return Views(words, neighbours, np.zeros(0), 0.0)
    u, values, v = truncated(_centred(moments, *deviations), m - 1, stream(seed, Purpose.TREE_PROJECTION))
    size = np.sqrt(moments.pairs)
    u, v = u * deviations[0][:, None] * size, v * deviations[1][:, None] * size
    sizes = [float((c / np.where(c > 0, c + settings.kappa, 1.0)).sum()) for c in counts]
    chance = float(np.sqrt(sizes).sum() / size)
    v = v.reshape(KINDS, n, -1)
    return Views(np.hstack([words, u]), np.concatenate([neighbours, v], 2), values, chance)


def _centred(moments: Moments, rows: np.ndarray, columns: np.ndarray) -> LinearOperator:
    """The scaled counts of neighbours, less their expectation from the frequencies in each kind."""
    from scipy import sparse
    from scipy.sparse.linalg import LinearOperator

    scaled = (sparse.diags_array(rows) @ moments.neighbours @ sparse.diags_array(columns)).tocsr()
    kinds = [moments.kind(k) for k in range(KINDS)]
    left = rows[:, None] * np.stack([np.asarray(kind.sum(1)).ravel() for kind in kinds], 1)
    right = np.stack([np.asarray(kind.sum(0)).ravel() / max(kind.sum(), RANK) for kind in kinds])
    right = right * columns.reshape(KINDS, -1)
    n = len(rows)

    def forward(x: np.ndarray) -> np.ndarray:
        parts = x.reshape(KINDS, n, -1)
        return (scaled @ x).reshape(n, -1) - left @ np.einsum("kn,knc->kc", right, parts)

    def backward(x: np.ndarray) -> np.ndarray:
        below = left.T @ x.reshape(n, -1)
        return (scaled.T @ x).reshape(KINDS * n, -1) - (right[:, :, None] * below[:, None]).reshape(KINDS * n, -1)

    return LinearOperator(
        scaled.shape, matvec=forward, rmatvec=backward, matmat=forward, rmatmat=backward, dtype=np.float64
    )


def _by_vectors(moments: Moments, vectors: np.ndarray, m: int) -> Views:
    """The m − 1 principal components of vectors of words, scaled to variance 1, for words and all neighbours."""
    centred = vectors - moments.frequency @ vectors
    values, axes = np.linalg.eigh((centred * moments.frequency[:, None]).T @ centred)
    kept = np.flatnonzero(values > RANK * values[-1])[::-1][: m - 1]
    words = np.hstack([np.ones((len(vectors), 1)), centred @ axes[:, kept] / np.sqrt(values[kept])])
    return Views(words, np.repeat(words[None], KINDS, 0), np.zeros(0), 0.0)


def word_vectors(path: Path, vocabulary: Vocabulary) -> np.ndarray:
    """The vector of each word, float64, shape (n_words, k); the mean for words that the file does not have.

    Raises
    ------
    InputError
        The file cannot be read, or has none of the words; else as `load_embeddings`.
    """
    found = load_embeddings(path)
    rows = [found.number_of(word) for word in vocabulary.words]
    known = [k for k, row in enumerate(rows) if row is not None]
    if not known:
        raise InputError(f"{path}: has none of the symbols of the trees. Give vectors of the same language.")
    own = found.vectors[[row for row in rows if row is not None]].astype(np.float64)
    result = np.repeat(own.mean(0)[None], len(rows), 0)
    result[known] = own
    return result
