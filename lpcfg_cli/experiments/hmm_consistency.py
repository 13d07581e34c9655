"""consistency of HMMs: sequences sampled from known HMMs → the error of each learner as the samples grow.

If emissions and transitions of an HMM have full rank, the error of spectral estimates falls like M^(−1/2) (Hsu et al.
2009, Theorem 6; Foster et al. 2012); otherwise it does not.  The estimator is that of the theorem: singular vectors of
the bigrams as they are, no frequencies mixed into predictions; EM has no prior.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.config import HmmSettings, Settings
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
from lpcfg_cli.hmm.enumeration import all_values
from lpcfg_cli.hmm.hidden_markov import HiddenMarkov
from lpcfg_cli.hmm.known import known_hmm
from lpcfg_cli.hmm.learner import HmmData
from lpcfg_cli.hmm.learners import HMM_LEARNERS, learn_hmm
from lpcfg_cli.hmm.operators import SpectralModel
from lpcfg_cli.hmm.sampling import data_of, sample_sequences
from lpcfg_cli.spectral.spectra import RankWarning


@dataclass(frozen=True)
class _Task:
    name: str
    size: int
    seed: int
    settings: Settings


def run_hmm_consistency(
    settings: Settings, mapper: Mapper = map, progress: Progress = no_progress
) -> ConsistencyReport:
    """Sample from known HMMs, train learners on the samples, and compare.

    Parameters and results are those of `run_consistency`; trees are sequences.

    Raises
    ------
    ConfigError
        An HMM or learner is unknown.
    """
    wanted = settings.consistency
    for learner in wanted.hmm_learners:
        HMM_LEARNERS.named(learner, "consistency.hmm_learners")
    known = {name: known_hmm(name) for name in wanted.grammars}
    tasks = [
        _Task(name, size, seed, settings) for size in sizes(settings) for name in known for seed in range(wanted.seeds)
    ]
    results = list(progress(mapper(_run_task, tasks), "consistency", len(tasks), "sample"))
    summaries = [_summary(name, model, wanted.words) for name, model in known.items()]
    return ConsistencyReport(summaries, sorted(results, key=lambda r: wanted.grammars.index(r.grammar)))


def _summary(name: str, model: HiddenMarkov, words: int) -> GrammarSummary:
    p = all_values(model, words)
    return GrammarSummary(name, model.n_states, len(p), float(p.sum()))


def theory_settings(settings: Settings, learner: str, states: int) -> HmmSettings:
    """The settings of the theorem's estimator."""
    return HmmSettings(
        learner=learner,
        states=states,
        rare_below=1,
        projection="svd",
        floor=0.0,
        prior=0.0,
        iterations=settings.consistency.iterations,
        tolerance=EM_TOLERANCE,
        spread=2.0,
        anchor_count=1,
    )


def _run_task(task: _Task) -> SampleResult:
    known = known_hmm(task.name)
    rng = np.random.default_rng([task.settings.seed, task.size, task.seed])
    data = data_of(known, sample_sequences(known, task.size, rng))
    found = [_learn(task, known, data, learner, start) for learner, start in _runs(task)]
    warnings = [warning for _, own in found for warning in own]
    return SampleResult(task.name, task.size, task.seed, warnings[:1], [outcome for outcome, _ in found])


def _learn(
    task: _Task, known: HiddenMarkov, data: HmmData, learner: str, start: int
) -> tuple[Outcome, list[RankWarning]]:
    wanted = task.settings.consistency
    seed = task.seed * wanted.starts + start
    learnt = learn_hmm(data, theory_settings(task.settings, learner, known.n_states), seed)
    p = all_values(known, wanted.words)
    error = float(np.abs(all_values(learnt.model, wanted.words) - p).sum())
    if not learnt.records:
        return Outcome(learner, start, error, None, None, None), _warnings(learnt.model, task.size)
    last = learnt.records[-1]
    return Outcome(learner, start, error, last.log_likelihood / task.size, last.iteration, None), []


def _warnings(model: object, size: int) -> list[RankWarning]:
    """The warning of a low rank, if some singular values could be due to chance."""
    if not isinstance(model, SpectralModel) or not model.observable.lacking:
        return []
    own = model.observable
    rank = model.n_states - own.lacking
    ratio = float(own.singular_values[rank] / own.singular_values[0])
    return [RankWarning("bigrams", size, rank, model.n_states, ratio)]


def _runs(task: _Task) -> Iterator[tuple[str, int]]:
    """The learners to train on this sample, with the numbers of their random starts."""
    wanted = task.settings.consistency
    for learner in wanted.hmm_learners:
        if not HMM_LEARNERS[learner].takes_em_steps or task.size <= wanted.em_largest:
            yield from ((learner, start) for start in range(wanted.starts if learner == "em" else 1))
