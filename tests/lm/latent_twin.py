"""E-steps of the latent bigram model in numpy, over the whole matrix of bigrams."""

from __future__ import annotations

import numpy as np


def expected_counts(q, r, s):
    """Expected counts of r and s, and the log-likelihood; q is a dense matrix of counts."""
    joint = r[:, None, :] * s[None, :, :]
    total = joint.sum(2)
    with np.errstate(divide="ignore", invalid="ignore"):
        posterior = np.where(total[:, :, None] > 0, joint / total[:, :, None], 0)
        likelihood = np.where(q > 0, q * np.log(total), 0).sum()
    weighted = posterior * q[:, :, None]
    return weighted.sum(1), weighted.sum(0), likelihood


def dense(bigrams, n):
    """The matrix of `Bigrams`."""
    q = np.zeros((n, n))
    for a in range(n):
        own = slice(*bigrams.indptr[a : a + 2])
        q[a, bigrams.word[own]] = bigrams.count[own]
    return q
