"""Similarities of sentences from a matrix W of similarities of their words (J12 eq. 1)."""

from __future__ import annotations

import numpy as np


def matrix_similarity(first: np.ndarray, similarity: np.ndarray, second: np.ndarray) -> float:
    """aᵀ W b / (|a| |b|), the matrix similarity of Stevenson and Greenwood (J12 eq. 1); 0 for an empty sentence.

    Parameters
    ----------
    first, second : ndarray of float64, shapes (n_first,) and (n_second,)
        a and b: weights of the different words of each sentence, 1 in the paper.
    similarity : ndarray of float64, shape (n_first, n_second)
        W.
    """
    length = np.sqrt((first @ first) * (second @ second))
    return float(first @ similarity @ second / length) if length > 0 else 0.0


def unweighted_similarity(similarity: np.ndarray) -> float:
    """The matrix similarity with binary vectors, as in J12; `similarity` as for `matrix_similarity`."""
    return matrix_similarity(np.ones(len(similarity)), similarity, np.ones(similarity.shape[1]))


def alignment(first: np.ndarray, similarity: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    """Weighted means, over the words of each sentence, of the similarity to the nearest word of the other sentence.

    Parameters are those of `matrix_similarity`; 0 for sentences without weight.
    """
    best = np.maximum(similarity, 0)
    return _mean(best.max(1, initial=0), first), _mean(best.max(0, initial=0), second)


def _mean(values: np.ndarray, weights: np.ndarray) -> float:
    total = weights.sum()
    return float(values @ weights / total) if total > 0 else 0.0


def cosine(first: np.ndarray, second: np.ndarray) -> float:
    """Cosine of two vectors, float64, shape (k,); 0 if one is zero."""
    length = np.sqrt((first @ first) * (second @ second))
    return float(first @ second / length) if length > 0 else 0.0
