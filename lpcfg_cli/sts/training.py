"""Training of models of similarity from judged pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lpcfg_cli.config import SimilaritySettings
from lpcfg_cli.embeddings.vectors import Embeddings
from lpcfg_cli.errors import ConfigError, InputError
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.sts.comparison import Resources
from lpcfg_cli.sts.metric import Metric
from lpcfg_cli.sts.metrics import measure, metrics_of
from lpcfg_cli.sts.model import ALL, SimilarityModel
from lpcfg_cli.sts.regression import Regression, fit
from lpcfg_cli.sts.sentence_pairs import PairSet
from lpcfg_cli.sts.wordnet import open_wordnet
from lpcfg_cli.sts.words import count_words, words_of
from lpcfg_cli.wording import counted

LEAST_PAIRS = 10
"""Fewer pairs of a set teach nothing."""

VECTORS = "vectors"
"""The group of the metrics that depend on how negative cosines count."""


def resources_of(
    sets: Sequence[PairSet], settings: SimilaritySettings, embeddings: Embeddings | None = None
) -> Resources:
    """What metrics know: frequencies of words in the training sentences, embeddings, and WordNet if it is wanted."""
    sentences = [words_of(sentence) for one in sets for pair in one.pairs for sentence in pair]
    frequencies = count_words(sentences, settings.frequent_share)
    wordnet = open_wordnet(frequencies.count) if "wordnet" in settings.groups else None
    return Resources(frequencies, settings.base_letters, embeddings, wordnet)


def train_similarity(
    sets: Sequence[PairSet], settings: SimilaritySettings, resources: Resources, progress: Progress = no_progress
) -> SimilarityModel:
    """Learn a regression for each set, and one for all; negative cosines count as cross-validation chooses.

    Parameters
    ----------
    sets : sequence of PairSet
        With scores.
    settings : SimilaritySettings
    resources : Resources
        From `resources_of`.
    progress : Progress

    Raises
    ------
    InputError
        A set has fewer than `LEAST_PAIRS` pairs, or the name `ALL`.
    ConfigError
        There are no resources for any of the groups of metrics.
    """
    check_sets(sets)
    metrics = metrics_of(settings.groups, resources)
    if not metrics:
        raise ConfigError(
            f"sts.groups is {','.join(settings.groups)}, for which there is nothing to measure with. Give --embeddings "
            "for vectors; install WordNet for wordnet; or add surface."
        )
    has_choice = settings.cosines == "choose" and any(metric.group == VECTORS for metric in metrics)
    models, values = [], None
    for cut in (True, False) if has_choice else (settings.cosines != "signed",):
        known = replace(resources, cut=cut)
        values = _measured(sets, metrics, known, progress, values)
        models.append(SimilarityModel(known, metrics, _regressions(sets, values, settings)))
    return min(models, key=lambda model: _error(model, sets))


def _measured(
    sets: Sequence[PairSet],
    metrics: Sequence[Metric],
    resources: Resources,
    progress: Progress,
    before: Sequence[np.ndarray] | None,
) -> list[np.ndarray]:
    """Values of the metrics on each set; those that have no cosines are taken from `before` if it is given."""
    if before is None:
        return [measure(one.pairs, metrics, resources, progress) for one in sets]
    columns = [k for k, metric in enumerate(metrics) if metric.group == VECTORS]
    values = [own.copy() for own in before]
    for one, own in zip(sets, values, strict=True):
        own[:, columns] = measure(one.pairs, [metrics[k] for k in columns], resources, progress)
    return values


def _regressions(
    sets: Sequence[PairSet], values: Sequence[np.ndarray], settings: SimilaritySettings
) -> dict[str, Regression]:
    """A regression from each set, and from all sets, which is that of the first if there are no others."""
    found = {one.name: fit(own, scores_of([one]), settings) for one, own in zip(sets, values, strict=True)}
    joined = found[sets[0].name] if len(sets) == 1 else fit(np.concatenate(values), scores_of(sets), settings)
    return {**found, ALL: joined}


def _error(model: SimilarityModel, sets: Sequence[PairSet]) -> float:
    """Sum over the training pairs of the squared errors by cross-validation, each set with its own regression."""
    return sum(len(one) * model.regressions[one.name].error ** 2 for one in sets)


def scores_of(sets: Sequence[PairSet]) -> np.ndarray:
    """The judgements of sets that have them, float64, shape (n,)."""
    return np.concatenate([one.score for one in sets if one.score is not None])


def check_sets(sets: Sequence[PairSet]) -> None:
    """Raise an `InputError` if a set cannot be learnt from, or has the name of all sets together."""
    for one in sets:
        if one.name == ALL:
            raise InputError(f"a set is called {ALL!r}, the name of all sets together. Give its file another name.")
        if len(one) < LEAST_PAIRS:
            raise InputError(
                f"the set {one.name} has {counted(len(one), 'pair')}; at least {LEAST_PAIRS} are needed to learn from."
            )
