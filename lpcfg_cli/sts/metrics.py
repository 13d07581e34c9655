"""The tables of metrics of similarity and of their groups.  A new metric is a function and a line in its group."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lpcfg_cli.config import Table
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.sts.comparison import Comparison, Resources
from lpcfg_cli.sts.metric import Metric, MetricGroup
from lpcfg_cli.sts.surface_metrics import SURFACE_METRICS
from lpcfg_cli.sts.vector_metrics import VECTOR_METRICS
from lpcfg_cli.sts.wordnet_metrics import WORDNET_METRICS
from lpcfg_cli.sts.words import words_of

METRIC_GROUPS: Table[MetricGroup] = Table(
    "similarity group",
    MetricGroup("surface", "lengths, common words, n-grams", lambda resources: True),
    MetricGroup("wordnet", "WordNet, if NLTK has it", lambda resources: resources.wordnet is not None),
    MetricGroup("vectors", "vectors of words, if they are given", lambda resources: resources.embeddings is not None),
)

METRICS: Table[Metric] = Table("similarity metric", *SURFACE_METRICS, *WORDNET_METRICS, *VECTOR_METRICS)


def metrics_of(groups: Sequence[str], resources: Resources) -> list[Metric]:
    """The metrics of some groups, as far as the resources allow."""
    used = {name for name in groups if METRIC_GROUPS.named(name).is_available(resources)}
    return [metric for metric in METRICS.values() if metric.group in used]


def measure(
    pairs: Sequence[tuple[str, str]],
    metrics: Sequence[Metric],
    resources: Resources,
    progress: Progress = no_progress,
) -> np.ndarray:
    """Values of metrics, float64, shape (n_pairs, n_metrics)."""
    rows = []
    for first, second in progress(pairs, "measure", len(pairs), "pair"):
        compared = Comparison(words_of(first), words_of(second), resources)
        rows.append([metric.measure(compared) for metric in metrics])
    return np.array(rows, np.float64).reshape(len(pairs), len(metrics))
