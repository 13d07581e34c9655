"""Two-step CCA (Dhillon et al. 2012): first left contexts with right ones, then words with the states found.

What left and right contexts share is what they tell of the word between them.
"""

from __future__ import annotations

import numpy as np

from lpcfg_cli.config import EmbedSettings
from lpcfg_cli.embeddings.contexts import window_weights
from lpcfg_cli.embeddings.method import EmbedData, EmbeddingMethod, Learnt
from lpcfg_cli.embeddings.scaling import shares, truncated_svd, whitened
from lpcfg_cli.embeddings.side_states import SideCounts, count_sides, moments, words_with_states


def side_projections(
    counts: SideCounts, settings: EmbedSettings, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Vectors of words on the left and on the right, by CCA of the two sides; float64, (n_contexts, ≤ k) each."""
    matrix = counts.right_left
    u, _, vt = truncated_svd(whitened(matrix, settings), settings.dimensions, settings.powers, rng)
    sums = [np.asarray(matrix.sum(axis)).ravel() for axis in (0, 1)]
    scales = [1 / np.sqrt(np.where(side > 0, side, 1.0) + settings.kappa) for side in sums]
    return scales[0][:, None] * vt.T, scales[1][:, None] * u


def fit_two_step(data: EmbedData, settings: EmbedSettings, rng: np.random.Generator) -> Learnt:
    """CCA of left and right bags, then CCA of words and the projected bags; both sides are always bags."""
    n_words = len(data.text.words)
    counts = count_sides(data, window_weights(settings), min(settings.context_words or n_words, n_words))
    found = moments(counts, *side_projections(counts, settings, rng))
    u, s = words_with_states(found, data.text.count, settings.dimensions + 1, settings, rng)
    return Learnt(u[:, 1:] * s[1:] ** settings.singular_power, shares(s)[1:])


TWO_STEP = EmbeddingMethod("two-step", "CCA of left and right contexts, then of words with both", fit_two_step)
