"""consistency of models of dependency trees: sampled trees → the error of each learner as the samples grow.

If emissions and transitions have full rank, the error of spectral estimates falls like M^(−1/2) (D12, Theorem 3.1);
otherwise it does not.  The estimator is that of the theorem: no regression is drawn to independence; EM has no prior.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lpcfg_cli.config import DependencyModelSettings, Settings
from lpcfg_cli.dependency.latent.known import AllTrees, all_trees, known_tree_model, sample_trees
from lpcfg_cli.dependency.latent.learner import TreeData
from lpcfg_cli.dependency.latent.learners import TREE_LEARNERS, learn_trees
from lpcfg_cli.dependency.latent.model import HiddenTreeModel, TreeModel
from lpcfg_cli.dependency.latent.observable import SpectralTreeModel
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.experiments.consistency import (
    EM_TOLERANCE,
    ConsistencyReport,
    GrammarSummary,
    Outcome,
    SampleResult,
    sizes,
)
from lpcfg_cli.spectral.spectra import RankWarning


@dataclass(frozen=True)
class _Task:
    name: str
    size: int
    seed: int
    settings: Settings


def run_dependency_consistency(
    settings: Settings, mapper: Mapper = map, progress: Progress = no_progress
) -> ConsistencyReport:
    """Sample from known models of dependency trees, train learners on the samples, and compare.

    Parameters and results are those of `run_consistency`.

    Raises
    ------
    ConfigError
        A model or learner is unknown.
    """
    wanted = settings.consistency
    for learner in wanted.dependency_learners:
        TREE_LEARNERS.named(learner, "consistency.dependency_learners")
    known = {name: known_tree_model(name) for name in wanted.grammars}
    tasks = [
        _Task(name, size, seed, settings) for size in sizes(settings) for name in known for seed in range(wanted.seeds)
    ]
    results = list(progress(mapper(_run_task, tasks), "consistency", len(tasks), "sample"))
    summaries = [_summary(name, model, wanted.words) for name, model in known.items()]
    return ConsistencyReport(summaries, sorted(results, key=lambda r: wanted.grammars.index(r.grammar)))


def _summary(name: str, model: HiddenTreeModel, words: int) -> GrammarSummary:
    every = all_trees(model, words)
    return GrammarSummary(name, model.n_states, len(every.trees), float(probabilities(model, every).sum()))


def probabilities(model: TreeModel, every: AllTrees) -> np.ndarray:
    """p̂ of all trees and their structures together, of any sign, float64, shape (n_trees,)."""
    found = model.values(every.trees)
    return found.signs * np.exp(found.logs) * every.structure


def theory_settings(settings: Settings, learner: str, states: int) -> DependencyModelSettings:
    """The settings of the theorem's estimator."""
    return DependencyModelSettings(
        learner=learner,
        states=states,
        rare_below=1,
        contexts=settings.dependency.contexts,
        kappa=0.0,
        ridge=0.0,
        floor=0.0,
        prior=0.0,
        iterations=settings.consistency.iterations,
        tolerance=EM_TOLERANCE,
        spread=2.0,
        anchor_count=1,
    )


def _run_task(task: _Task) -> SampleResult:
    known, wanted = known_tree_model(task.name), task.settings.consistency
    every = all_trees(known, wanted.words)
    rng = np.random.default_rng([task.settings.seed, task.size, task.seed])
    data = sample_trees(known, every, task.size, rng)
    outcomes, warnings = [], list[RankWarning]()
    for learner in wanted.dependency_learners:
        takes_em = TREE_LEARNERS[learner].takes_em_steps
        if takes_em and task.size > wanted.em_largest:
            continue
        for start in range(wanted.starts if learner == "em" else 1):
            outcome, own = _learn(task, known, every, data, learner, start)
            outcomes.append(outcome)
            warnings += own
    return SampleResult(task.name, task.size, task.seed, warnings[:1], outcomes)


def _learn(
    task: _Task, known: HiddenTreeModel, every: AllTrees, data: TreeData, learner: str, start: int
) -> tuple[Outcome, list[RankWarning]]:
    seed = task.seed * task.settings.consistency.starts + start
    learnt = learn_trees(data, theory_settings(task.settings, learner, known.n_states), seed)
    error = float(np.abs(probabilities(learnt.model, every) - probabilities(known, every)).sum())
    if not learnt.records:
        return Outcome(learner, start, error, None, None, None), _warnings(learnt.model, task.size)
    last = learnt.records[-1]
    return Outcome(learner, start, error, last.log_likelihood / task.size, last.iteration, None), []


def _warnings(model: TreeModel, size: int) -> list[RankWarning]:
    """The warning of a low rank, if some singular values could be due to chance."""
    if not isinstance(model, SpectralTreeModel) or not model.observable.lacking:
        return []
    own = model.observable
    rank = len(own.singular_values) - own.lacking
    ratio = float(own.singular_values[rank] / own.singular_values[0])
    return [RankWarning("neighbours", size, rank + 1, model.n_states, ratio)]
