"""SVD of positive pointwise mutual information (Levy and Goldberg 2014), to compare eigenwords with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpcfg_cli.config import EmbedSettings
from lpcfg_cli.embeddings.contexts import window_weights
from lpcfg_cli.embeddings.method import EmbedData, EmbeddingMethod, Learnt
from lpcfg_cli.embeddings.pairs import Pairs, pair_counts
from lpcfg_cli.embeddings.scaling import shares, truncated_svd

if TYPE_CHECKING:
    from scipy import sparse

CONTEXT_POWER, SINGULAR_POWER = 0.75, 0.5
"""Powers of the counts of contexts and of the singular values, as that literature has them."""


def ppmi(counts: sparse.csr_array, power: float) -> sparse.csr_array:
    """max(0, log p(w, c) / (p(w) p'(c))) with p'(c) in proportion to the count of c to a power.

    Parameters
    ----------
    counts : sparse array, shape (n_words, n_contexts)
    power : float
    """
    total = counts.sum()
    rows, columns = np.asarray(counts.sum(1)).ravel(), np.asarray(counts.sum(0)).ravel()
    raised = np.where(columns > 0, columns, 1.0) ** power
    share = raised / raised[columns > 0].sum()
    pairs = counts.tocoo()
    pairs.data = np.log(pairs.data / rows[pairs.row] / share[pairs.col])
    pairs.data = np.maximum(pairs.data, 0.0)
    found = pairs.tocsr()
    found.eliminate_zeros()
    return found if total else counts


def fit_ppmi(data: EmbedData, settings: EmbedSettings, rng: np.random.Generator) -> Learnt:
    """U Σ^½ of the PPMI of words and the words around them; of the settings, those of powers and roots do not count."""
    n_words = len(data.text.words)
    n_contexts = min(settings.context_words or n_words, n_words)
    pairs = Pairs(tuple(window_weights(settings).tolist()), n_words, n_contexts)
    left, right = pair_counts(data.text.parts, pairs, data.mapper, data.progress)
    matrix = ppmi((left + right).tocsr(), CONTEXT_POWER)
    u, s, _ = truncated_svd(matrix, settings.dimensions, settings.powers, rng)
    return Learnt(u * s**SINGULAR_POWER, shares(s))


PPMI_SVD = EmbeddingMethod("ppmi-svd", "SVD of positive pointwise mutual information, to compare with", fit_ppmi)
