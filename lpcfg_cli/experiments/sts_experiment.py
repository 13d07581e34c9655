"""Systems of similarity compared on judged sets, as J12's tables do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from lpcfg_cli.arrays.streams import Purpose, stream
from lpcfg_cli.config import Settings
from lpcfg_cli.embeddings.archive import load_embeddings
from lpcfg_cli.embeddings.vectors import Embeddings
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.sts.correlation import (
    Correlations,
    Difference,
    all_rows,
    bootstrap_difference,
    correlate,
    mean_rows,
    pearson,
    williams_p,
)
from lpcfg_cli.sts.model import SimilarityModel
from lpcfg_cli.sts.sentence_pairs import PairSet
from lpcfg_cli.sts.training import resources_of, scores_of, train_similarity

SAMPLES = 10_000
"""Number of bootstrap samples."""


@dataclass(frozen=True)
class SystemResult:
    """A system on the test sets.

    Attributes
    ----------
    name : str
    model : SimilarityModel
    found : list of ndarray of float64, shape (n_set,)
        Similarities of the pairs of each test set.
    correlations : Correlations
    """

    name: str
    model: SimilarityModel
    found: list[np.ndarray]
    correlations: Correlations


@dataclass(frozen=True)
class SystemDifference:
    """The difference of two systems.

    Attributes
    ----------
    first, second : str
    p_by_set : list of float
        By Williams's test.
    mean, all_pairs : Difference
        By the paired bootstrap.
    """

    first: str
    second: str
    p_by_set: list[float]
    mean: Difference
    all_pairs: Difference


@dataclass(frozen=True)
class StsReport:
    """The results of an experiment.

    Attributes
    ----------
    sets : list of str
        The test sets.
    sizes : list of int
        Their numbers of pairs.
    systems : list of SystemResult
        The first is the baseline.
    differences : list of SystemDifference
        Of each further system from the one that it adds to.
    """

    sets: list[str]
    sizes: list[int]
    systems: list[SystemResult]
    differences: list[SystemDifference]


@dataclass(frozen=True)
class System:
    """A system to train: its groups of metrics, its embeddings, and the number of the system that it adds to."""

    name: str
    groups: tuple[str, ...]
    embeddings: Embeddings | None = None
    base: int | None = None


def systems_of(settings: Settings, files: Sequence[Path], has_wordnet: bool) -> list[System]:
    """Surface metrics; with WordNet if there is any; and these with the embeddings of each file."""
    wanted = settings.sts.groups
    systems = [System("surface", ("surface",))]
    if has_wordnet and "wordnet" in wanted:
        systems.append(System("+ WordNet", ("surface", "wordnet"), base=0))
    base = len(systems) - 1
    for file in files if "vectors" in wanted else ():
        name = "+ vectors" if len(files) == 1 else f"+ {file.name.partition('.')[0]}"
        systems.append(System(name, (*systems[base].groups, "vectors"), load_embeddings(file), base))
    return systems


def run_sts_experiment(
    train: Sequence[PairSet],
    test: Sequence[PairSet],
    files: Sequence[Path],
    settings: Settings,
    progress: Progress = no_progress,
) -> StsReport:
    """Train every system, and compare the similarities that they give with judgements.

    Parameters
    ----------
    train, test : sequence of PairSet
        With scores.
    files : sequence of Path
        Embeddings; one system for each.
    settings : Settings
        Section ``sts``; the seed of the bootstrap.
    progress : Progress

    Raises
    ------
    InputError, ArtefactError
        A set is too small, or embeddings cannot be read.
    """
    resources = resources_of(train, settings.sts)
    systems = systems_of(settings, files, resources.wordnet is not None)
    gold = [scores_of([one]) for one in test]
    results = []
    for system in systems:
        own = replace(resources, embeddings=system.embeddings)
        model = train_similarity(train, replace(settings.sts, groups=system.groups), own, progress)
        found = [model.predict(one.pairs, one.name, progress) for one in test]
        results.append(SystemResult(system.name, model, found, correlate(found, gold)))
    differences = [
        compare(results[system.base], result, gold, settings.seed)
        for system, result in zip(systems, results, strict=True)
        if system.base is not None
    ]
    return StsReport([one.name for one in test], [len(one) for one in test], results, differences)


def compare(first: SystemResult, second: SystemResult, gold: Sequence[np.ndarray], seed: int) -> SystemDifference:
    """Paired tests of the difference of two systems on the same sets."""
    p_by_set = [
        williams_p(pearson(a, y), pearson(b, y), pearson(a, b), len(y))
        for a, b, y in zip(first.found, second.found, gold, strict=True)
    ]
    mean, all_pairs = (
        bootstrap_difference(
            first.found, second.found, gold, SAMPLES, stream(seed, Purpose.SIMILARITY_BOOTSTRAP), figure
        )
        for figure in (mean_rows, all_rows)
    )
    return SystemDifference(first.name, second.name, p_by_set, mean, all_pairs)
