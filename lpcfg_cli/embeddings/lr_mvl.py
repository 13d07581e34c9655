"""LR-MVL (Dhillon et al. 2011): two-step CCA of vectors that are found in rounds, with smoothed states of the sides.

The state of a side is the exponentially smoothed vector of its words.  In each round left and right states are
correlated, and words with the projected states, which gives new vectors.
"""

from __future__ import annotations

import numpy as np

from lpcfg_cli.config import EmbedSettings
from lpcfg_cli.embeddings.contexts import geometric_weights
from lpcfg_cli.embeddings.method import EmbedData, EmbeddingMethod, Learnt
from lpcfg_cli.embeddings.scaling import shares, truncated_svd
from lpcfg_cli.embeddings.side_states import Moments, count_sides, inverse_root, moments, words_with_states


def correlated_sides(found: Moments, wanted: int, rng: np.random.Generator) -> Moments:
    """The moments after CCA of the left with the right states, each of half of the d numbers."""
    half = len(found.covariance) // 2
    left, right = inverse_root(found.covariance[:half, :half]), inverse_root(found.covariance[half:, half:])
    u, _, vt = truncated_svd(left @ found.covariance[:half, half:] @ right, wanted, 0, rng)
    k = u.shape[1]
    projection = np.zeros((2 * half, 2 * k))
    projection[:half, :k], projection[half:, k:] = left @ u, right @ vt.T
    return Moments(found.cross @ projection, projection.T @ found.covariance @ projection)


def fit_lr_mvl(data: EmbedData, settings: EmbedSettings, rng: np.random.Generator) -> Learnt:
    """Rounds from random vectors; of the settings, those of windows and contexts do not count."""
    n_words, count = len(data.text.words), data.text.count
    counts = count_sides(data, geometric_weights(settings.smoothing), n_words)
    wanted = settings.dimensions + 1
    vectors, s = rng.standard_normal((n_words, wanted)), np.zeros(0)
    u = vectors
    for _ in data.progress(range(settings.rounds), "lr-mvl", settings.rounds, "round"):
        found = correlated_sides(moments(counts, vectors, vectors), wanted, rng)
        u, s = words_with_states(found, count, wanted, settings, rng)
        vectors = u / np.sqrt(np.maximum(count, 1))[:, None]
    return Learnt(u[:, 1:] * s[1:] ** settings.singular_power, shares(s)[1:])


LR_MVL = EmbeddingMethod("lr-mvl", "rounds of two-step CCA with smoothed states of the sides", fit_lr_mvl)
