"""Metrics from vectors of words: matrix similarity (J12 eq. 1), alignments, and cosines of sums."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lpcfg_cli.sts.comparison import Comparison
from lpcfg_cli.sts.matrix_similarity import alignment, cosine, matrix_similarity, unweighted_similarity
from lpcfg_cli.sts.metric import Metric

SMOOTH = 1e-3
"""a of the weights a / (a + p) by which vectors of frequent words count less in sums (Arora et al. 2017)."""


def weighted_matrix(pair: Comparison) -> float:
    """Eq. 1 with weights of words in place of ones."""
    first, second = pair.weights
    return matrix_similarity(first, pair.cosines, second)


def weighted_alignment(pair: Comparison) -> tuple[float, float]:
    """Weighted means of each word's cosine to the nearest word of the other sentence, the smaller first."""
    first, second = pair.weights
    least, most = sorted(alignment(first, pair.cosines, second))
    return least, most


def plain_alignment(pair: Comparison) -> float:
    """Mean over both sentences of the means of each word's cosine to the nearest word of the other."""
    n, m = pair.cosines.shape
    return float(np.mean(alignment(np.ones(n), pair.cosines, np.ones(m))))


def cosine_of_sums(pair: Comparison) -> float:
    """Cosine of the sums of the vectors of each sentence."""
    first, second = pair.vectors
    return cosine(first.sum(0), second.sum(0))


def cosine_of_weighted_sums(pair: Comparison) -> float:
    """Cosine of the sums of the vectors, each multiplied by the weight of its word."""
    (first, second), (a, b) = pair.vectors, pair.weights
    return cosine(a @ first, b @ second)


def cosine_of_smooth_sums(pair: Comparison) -> float:
    """Cosine of the sums of the vectors, each multiplied by a / (a + p) with the word's share p of the sentences."""
    frequencies = pair.resources.frequencies
    sums = []
    for side, vectors in zip(pair.sides, pair.vectors, strict=True):
        p = np.array([frequencies.count.get(word, 0) for word in side.distinct]) / max(frequencies.sentences, 1)
        sums.append((SMOOTH / (SMOOTH + p)) @ vectors)
    return cosine(*sums)


def cosine_of_rest(pair: Comparison) -> float:
    """Cosine of the weighted sums of the words that only one sentence has; 1 if there are none, 0 if one has none."""
    (first, second), (a, b) = pair.vectors, pair.weights
    only_first, only_second = ~pair.is_equal.any(1), ~pair.is_equal.any(0)
    if not only_first.any() and not only_second.any():
        return 1.0
    return cosine(a[only_first] @ first[only_first], b[only_second] @ second[only_second])


def _vectors(name: str, summary: str, measure: Callable[[Comparison], float]) -> Metric:
    return Metric(name, summary, "vectors", measure)


VECTOR_METRICS = (
    _vectors("matrix", "eq. 1 with W of cosines", lambda pair: unweighted_similarity(pair.cosines)),
    _vectors("matrix-weighted", "the same with weights of words", weighted_matrix),
    _vectors("alignment", "mean cosine to the nearest word", plain_alignment),
    _vectors("alignment-least", "the same with weights, of the sentence with less", lambda p: weighted_alignment(p)[0]),
    _vectors("alignment-most", "the same, of the sentence with more", lambda p: weighted_alignment(p)[1]),
    _vectors("sum", "cosine of the sums of vectors", cosine_of_sums),
    _vectors("sum-weighted", "the same with weights of words", cosine_of_weighted_sums),
    _vectors("sum-smooth", "the same with smooth weights a / (a + p)", cosine_of_smooth_sums),
    _vectors("rest", "the same of the words that are not in common", cosine_of_rest),
)
