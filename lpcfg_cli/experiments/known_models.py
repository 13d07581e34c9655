"""consistency of models without nonterminals: samples of known models → the error of each learner as they grow.

A kind of models is a subclass of `KnownModel`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from lpcfg_cli.config import Settings, Table
from lpcfg_cli.em.learnt import LearntModel
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.experiments.consistency import ConsistencyReport, GrammarSummary, Outcome, SampleResult, sizes
from lpcfg_cli.spectral.spectra import RankWarning


class KnownModel(ABC):
    """A known model, from which samples are drawn.

    Parameters
    ----------
    name : str
    settings : Settings

    Raises
    ------
    ConfigError
        There is no known model with this name.
    """

    LEARNERS: ClassVar[Table[Any]]
    """The learners that are compared; each entry tells whether it takes steps of EM."""

    SETTING: ClassVar[str]
    """Field of `ConsistencySettings` that names them."""

    def __init__(self, name: str, settings: Settings):
        self.name = name
        self.settings = settings
        self.model = self.known()

    @abstractmethod
    def known(self) -> Any:
        """The model of this name."""

    @abstractmethod
    def values(self, model: Any) -> np.ndarray:
        """p̂ of everything short that can be observed, of any sign, float64, shape (n,), by this or another model."""

    @abstractmethod
    def sample(self, size: int, rng: np.random.Generator) -> Any:
        """Draw so many observations: what learners learn from."""

    @abstractmethod
    def learn(self, data: Any, learner: str, seed: int) -> LearntModel[Any]:
        """Learn by the estimator of the theorem."""

    @abstractmethod
    def warnings(self, model: Any, size: int) -> list[RankWarning]:
        """The warning of a low rank, if some singular values of a learnt model could be due to chance."""

    @cached_property
    def probability(self) -> np.ndarray:
        """p of everything short, float64, shape (n,)."""
        return self.values(self.model)

    @classmethod
    def learners(cls, settings: Settings) -> tuple[str, ...]:
        """Names of the learners that are wanted."""
        names: tuple[str, ...] = getattr(settings.consistency, cls.SETTING)
        return names

    def runs(self, size: int) -> Iterator[tuple[str, int]]:
        """The learners to train on a sample of this size, with the numbers of their random starts."""
        wanted = self.settings.consistency
        for learner in self.learners(self.settings):
            if not self.LEARNERS[learner].takes_em_steps or size <= wanted.em_largest:
                yield from ((learner, start) for start in range(wanted.starts if learner == "em" else 1))


@dataclass(frozen=True)
class _Task:
    kind: type[KnownModel]
    name: str
    size: int
    seed: int
    settings: Settings


def run_known_models(
    kind: type[KnownModel], settings: Settings, mapper: Mapper = map, progress: Progress = no_progress
) -> ConsistencyReport:
    """Sample from known models, train learners on the samples, and compare.

    Parameters and results are those of `run_consistency`, besides the kind of models.

    Raises
    ------
    ConfigError
        A model or learner is unknown.
    """
    wanted = settings.consistency
    for learner in kind.learners(settings):
        kind.LEARNERS.named(learner, f"consistency.{kind.SETTING}")
    known = [kind(name, settings) for name in wanted.grammars]
    tasks = [
        _Task(kind, one.name, size, seed, settings)
        for size in sizes(settings)
        for one in known
        for seed in range(wanted.seeds)
    ]
    results = list(progress(mapper(_run_task, tasks), "consistency", len(tasks), "sample"))
    summaries = [
        GrammarSummary(one.name, one.model.n_states, len(one.probability), float(one.probability.sum()))
        for one in known
    ]
    return ConsistencyReport(summaries, sorted(results, key=lambda r: wanted.grammars.index(r.grammar)))


def _run_task(task: _Task) -> SampleResult:
    known = task.kind(task.name, task.settings)
    data = known.sample(task.size, np.random.default_rng([task.settings.seed, task.size, task.seed]))
    found = [_learn(task, known, data, learner, start) for learner, start in known.runs(task.size)]
    warnings = [warning for _, own in found for warning in own]
    return SampleResult(task.name, task.size, task.seed, warnings[:1], [outcome for outcome, _ in found])


def _learn(task: _Task, known: KnownModel, data: Any, learner: str, start: int) -> tuple[Outcome, list[RankWarning]]:
    learnt = known.learn(data, learner, task.seed * task.settings.consistency.starts + start)
    error = float(np.abs(known.values(learnt.model) - known.probability).sum())
    if not learnt.records:
        return Outcome(learner, start, error, None, None, None), known.warnings(learnt.model, task.size)
    last = learnt.records[-1]
    return Outcome(learner, start, error, last.log_likelihood / task.size, last.iteration, None), []
