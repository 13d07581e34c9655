"""Embeddings by dense algebra on explicit vectors of contexts, one row for each position of a text."""

from __future__ import annotations

import numpy as np


def window_rows(numbers, weights, n, breaks=()):
    """Words, left bags and right bags at all positions of a text and around it, shapes (t, n)."""
    h = len(weights)
    padded = np.full(len(numbers) + 2 * h, -1)
    padded[h : h + len(numbers)] = numbers
    words, left, right = (np.zeros((len(padded), n)) for _ in range(3))
    for t, word in enumerate(padded):
        if word >= 0:
            words[t, word] = 1
        for bag, step in ((left, -1), (right, 1)):
            for distance, weight in enumerate(weights, 1):
                at = t + step * distance
                if 0 <= at < len(padded) and padded[at] >= 0:
                    bag[t, padded[at]] += weight
    return words, left, right


def inverse_root(matrix):
    values, vectors = np.linalg.eigh(matrix)
    kept = values > 1e-9 * values.max()
    return (vectors[:, kept] / np.sqrt(values[kept])) @ vectors[:, kept].T


def cca(x, y):
    """Whitened left singular vectors and canonical correlations of two views, rows of which belong together."""
    u, s, vt = np.linalg.svd(inverse_root(x.T @ x) @ x.T @ y @ inverse_root(y.T @ y), full_matrices=False)
    return u, s, vt
