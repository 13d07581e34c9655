"""One-step CCA of words with their left and right contexts (D12 §2; Dhillon et al. 2011, 2012)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpcfg_cli.config import EmbedSettings
from lpcfg_cli.embeddings.contexts import window_weights
from lpcfg_cli.embeddings.method import EmbedData, EmbeddingMethod, Learnt
from lpcfg_cli.embeddings.pairs import Pairs, pair_counts
from lpcfg_cli.embeddings.scaling import shares, truncated_svd, whitened

if TYPE_CHECKING:
    from scipy import sparse


def context_counts(data: EmbedData, settings: EmbedSettings) -> sparse.csr_array:
    """Counts of words and the features of their contexts, float64, (n_words, n_features).

    The features are the context words of each side, or of each position.
    """
    from scipy import sparse

    n_words = len(data.text.words)
    n_contexts = min(settings.context_words or n_words, n_words)
    weights = window_weights(settings)
    if settings.contexts == "bag":
        groups = [weights]
    else:
        groups = [np.eye(settings.window)[d, : d + 1] * weights[d] for d in range(settings.window)]
    sides = [
        side
        for group in groups
        for side in pair_counts(
            data.text.parts, Pairs(tuple(group.tolist()), n_words, n_contexts), data.mapper, data.progress
        )
    ]
    return sparse.hstack(sides).tocsr()


def fit_one_step(data: EmbedData, settings: EmbedSettings, rng: np.random.Generator) -> Learnt:
    """The left singular vectors of the whitened counts.

    The first of them is left out: it is constant but for the words' frequencies, and pairs with a constant context.
    The features of contexts are taken for uncorrelated, as are those of C13 §3.1, which keeps them sparse.
    """
    matrix = whitened(context_counts(data, settings), settings)
    u, s, _ = truncated_svd(matrix, settings.dimensions + 1, settings.powers, rng)
    return Learnt(u[:, 1:] * s[1:] ** settings.singular_power, shares(s)[1:])


ONE_STEP = EmbeddingMethod("one-step", "CCA of words and their contexts", fit_one_step)
