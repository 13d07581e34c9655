"""Relations of arcs: a log-linear model that labels each arc of a tree by itself, given the tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.arrays.streams import Purpose, stream
from lpcfg_cli.config import DependencyParserSettings
from lpcfg_cli.dependency.parser.relation_kernels import relation_features, relation_scores
from lpcfg_cli.dependency.parser.templates import RELATION, compiled
from lpcfg_cli.execution.progress import Progress
from lpcfg_cli.tagging import tagger_kernels
from lpcfg_cli.tagging.numbering import are_frequent
from lpcfg_cli.tagging.training import FIRST_SQUARE, LEAST_SLOPE, LEAST_WEIGHT, MAX_WEIGHTS

TEMPLATES = compiled(RELATION)


@dataclass(frozen=True)
class RelationModel:
    """p(relation | arc, tree) ∝ exp Σ_f w_{f,relation}, summed over the features f of the arc.

    Attributes
    ----------
    labels : tuple of str
        The L relations.
    is_allowed : (2, L) bool array
        Relations of arcs from the root, and of other arcs, that occurred in training.
    known : (F,) uint64 array
        Keys of the features, sorted.
    start : (F + 1,) int64 array
        Feature f has the weights ``weight[start[f]:start[f + 1]]``.
    label : (W,) int32 array
        Position in `labels` of each weight's relation.
    weight : (W,) float32 array
    """

    labels: tuple[str, ...]
    is_allowed: np.ndarray
    known: np.ndarray
    start: np.ndarray
    label: np.ndarray
    weight: np.ndarray

    def best(self, rows: np.ndarray, heads: np.ndarray) -> tuple[str, ...]:
        """The likeliest relation of each word.

        Parameters
        ----------
        rows : (n + 3, n_fields) uint64 array
            From `sentence_rows`.
        heads : (n,) int32 array
        """
        keys = relation_features(rows, heads, TEMPLATES)
        scores = relation_scores(keys, self.known, self.start, self.label, self.weight, len(self.labels))
        scores[~self.is_allowed[np.minimum(heads, 1)]] = -np.inf
        return tuple(self.labels[k] for k in scores.argmax(1))


def learn_relations(
    rows: Sequence[np.ndarray],
    heads: Sequence[np.ndarray],
    relations: Sequence[Sequence[str]],
    settings: DependencyParserSettings,
    seed: int,
    progress: Progress,
) -> RelationModel:
    """Learn the relations of gold trees, as a tagger's tags are learnt; without a choice, nothing is learnt.

    Parameters
    ----------
    rows, heads, relations
        Of each sentence: (n + 3, n_fields) uint64 array, (n,) int32 array, n relations.
    settings : DependencyParserSettings
    seed : int
    progress : Progress
    """
    labels = tuple(sorted({label for own in relations for label in own}))
    number = {label: k for k, label in enumerate(labels)}
    gold = np.array([number[label] for own in relations for label in own], np.int32)
    below = np.minimum(np.concatenate(heads), 1)
    is_allowed = np.zeros((2, len(labels)), bool)
    is_allowed[below, gold] = True
    is_allowed[~is_allowed.any(1)] = True  # as for arcs between words, if all sentences have one word
    if (is_allowed.sum(1) == 1).all():
        nothing = np.zeros(0, np.uint64), np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32)
        return RelationModel(labels, is_allowed, *nothing)
    keys = np.concatenate([relation_features(r, h, TEMPLATES) for r, h in zip(rows, heads, strict=True)])
    known, start, feature = number_features(keys, settings.relation_count, MAX_WEIGHTS // len(labels))
    weight = np.zeros((len(known), len(labels)), np.float32)
    square, once, buffer = np.full_like(weight, FIRST_SQUARE), np.ones(len(gold)), np.empty(len(labels))
    random = stream(seed, Purpose.DEPENDENCY_RELATIONS)
    for _ in progress(range(settings.relation_epochs), "relations", settings.relation_epochs, "pass"):
        order = random.permutation(len(gold))
        rate = settings.relation_rate
        tagger_kernels.ascend(order, start, feature, gold, once, weight, square, rate, LEAST_SLOPE, buffer)
    kept_feature, kept_label = np.nonzero(np.abs(weight) >= LEAST_WEIGHT)
    first = np.searchsorted(kept_feature, np.arange(len(known) + 1)).astype(np.int64)
    return RelationModel(
        labels, is_allowed, known, first, kept_label.astype(np.int32), weight[kept_feature, kept_label]
    )


def number_features(keys: np.ndarray, min_count: int, most: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Number the frequent features.

    Parameters
    ----------
    keys : (n_words, n_features) uint64 array
    min_count : int
        Smallest count of a feature; it is raised if more than `most` features would remain.
    most : int

    Returns
    -------
    known : (F,) uint64 array
        The keys of the features, sorted.
    start : (n_words + 1,) int64 array
    feature : (start[n_words],) int32 array
        Word i has the features ``feature[start[i]:start[i + 1]]``.
    """
    every, inverse, count = np.unique(keys.ravel(), return_inverse=True, return_counts=True)
    is_kept = are_frequent(count, min_count, most)
    renumbered = (np.cumsum(is_kept) - 1).astype(np.int32)
    is_used = is_kept[inverse].reshape(keys.shape)
    start = np.concatenate([[0], np.cumsum(is_used.sum(1))]).astype(np.int64)
    return every[is_kept], start, renumbered[inverse[is_used.ravel()]]
