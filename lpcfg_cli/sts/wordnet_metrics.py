"""Metrics from WordNet: matrix similarity (J12 eq. 1) and alignment, with three similarities of words."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from lpcfg_cli.sts.comparison import Comparison
from lpcfg_cli.sts.matrix_similarity import alignment, unweighted_similarity
from lpcfg_cli.sts.metric import Metric
from lpcfg_cli.sts.wordnet import WordNet

WordMeasure = Callable[[WordNet, str, str], float]


def matrix_of(measure: WordMeasure, pair: Comparison) -> np.ndarray:
    """Similarities of the different words of both sentences, float64, shape (n_first, n_second)."""
    assert pair.resources.wordnet is not None
    return pair.resources.wordnet.matrix(measure, pair.first.distinct, pair.second.distinct)


def by_matrix(measure: WordMeasure, pair: Comparison) -> float:
    """Eq. 1 with the measure as W."""
    return unweighted_similarity(matrix_of(measure, pair))


def by_alignment(measure: WordMeasure, pair: Comparison) -> float:
    """Mean over both sentences of the weighted means of each word's similarity to the nearest word of the other."""
    first, second = pair.weights
    return float(np.mean(alignment(first, matrix_of(measure, pair), second)))


def _wordnet(name: str, summary: str, measure: Callable[[Comparison], float]) -> Metric:
    return Metric(name, summary, "wordnet", measure)


WORDNET_METRICS = (
    _wordnet("path", "eq. 1 with lengths of paths", partial(by_matrix, WordNet.path)),
    _wordnet("information", "eq. 1 with Jiang and Conrath's measure", partial(by_matrix, WordNet.information)),
    _wordnet("gloss", "eq. 1 with overlaps of glosses", partial(by_matrix, WordNet.gloss)),
    _wordnet("path-alignment", "alignment by paths", partial(by_alignment, WordNet.path)),
    _wordnet("information-alignment", "alignment by Jiang and Conrath", partial(by_alignment, WordNet.information)),
    _wordnet("gloss-alignment", "alignment by glosses", partial(by_alignment, WordNet.gloss)),
)
