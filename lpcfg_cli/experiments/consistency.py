"""consistency: trees sampled from known L-PCFGs → the error of each learner as the samples grow.

This tests the theory.  If the I^a and J^a of a grammar have full rank, the error of spectral estimates, summed over
trees, falls like M^(−1/2) (C14 Theorem 8); otherwise it does not.  Learners of probabilistic parameters can find them
only up to a permutation of states (CC14 Theorem 1), and EM finds only a local optimum.

The estimator is that of the theorem: unscaled features, no smoothing of moments, an entry for every word.  Departures:
all nodes of all trees are used instead of one node from each tree, and the same sample for projections and moments
(C14 §8 expects no harm).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from lpcfg_cli.config import EmSettings, EstimateSettings, FeatureSettings, LexiconSettings, PivotSettings, Settings
from lpcfg_cli.errors import ConfigError
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.experiments.state_matching import Recovery, recover
from lpcfg_cli.grammar.enumeration import all_trees
from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.grammar.opening import is_text_grammar, load_grammar
from lpcfg_cli.grammar.sampling import Sampler
from lpcfg_cli.grammar.text_grammar import KNOWN, shipped_grammar
from lpcfg_cli.grammar.tree_values import tree_values
from lpcfg_cli.learning.learner import LearningContext
from lpcfg_cli.learning.learners import LEARNERS, learn
from lpcfg_cli.learning.preparation import prepare
from lpcfg_cli.learning.training_data import TrainingData
from lpcfg_cli.spectral.spectra import RankWarning, rank_warnings
from lpcfg_cli.treebank.binary import BinaryTreebank

MAX_WORDS = 200
"""Longer trees are rejected and drawn again; in the shipped grammars their probability is negligible."""

EM_TOLERANCE = 1e-7
"""EM stops when its log-likelihood rises by a smaller share of its absolute value."""

PIVOT = PivotSettings(rule_prior=0.0, steps=1000, tolerance=1e-8)
"""The paper's algorithm, without our additions for treebanks; its convex problems are solved to convergence."""


@dataclass(frozen=True)
class Known:
    """A known L-PCFG and the trees over which errors are summed.

    Attributes
    ----------
    grammar : Grammar
    trees : BinaryTreebank
    probability : ndarray of float64, shape (n_trees,)
        p(t), exactly.
    """

    grammar: Grammar
    trees: BinaryTreebank
    probability: np.ndarray

    @property
    def states(self) -> int:
        """m, the largest number of states of a nonterminal."""
        return int(self.grammar.n_states.max())


@dataclass(frozen=True)
class GrammarSummary:
    """The figures of a known grammar.

    Attributes
    ----------
    name : str
    states : int
        m.
    trees : int
        Number of trees over which errors are summed.
    mass : float
        Their total probability.
    """

    name: str
    states: int
    trees: int
    mass: float


@dataclass(frozen=True)
class Outcome:
    """The result of one learner on one sample.

    Attributes
    ----------
    learner : str
    start : int
        Number of the random start.
    error : float
        Σ |p̂(t) − p(t)|.
    log_likelihood : float or None
        Mean log-likelihood of a tree of the sample; None for learners without EM.
    steps : int or None
        Number of EM steps; None for learners without EM.
    recovery : Recovery or None
        Differences of the parameters; None for moments, or if the numbers of states differ.
    """

    learner: str
    start: int
    error: float
    log_likelihood: float | None
    steps: int | None
    recovery: Recovery | None


@dataclass(frozen=True)
class SampleResult:
    """The results for one sample.

    Attributes
    ----------
    grammar : str
    size : int
        M.
    seed : int
    warnings : list of RankWarning
        Nonterminals whose rank is below their true number of states.
    outcomes : list of Outcome
    """

    grammar: str
    size: int
    seed: int
    warnings: list[RankWarning]
    outcomes: list[Outcome]


@dataclass(frozen=True)
class ConsistencyReport:
    """All results.

    Attributes
    ----------
    grammars : list of GrammarSummary
    samples : list of SampleResult
    """

    grammars: list[GrammarSummary]
    samples: list[SampleResult]


@dataclass(frozen=True)
class _Task:
    name: str
    known: Known
    size: int
    seed: int
    settings: Settings


def run_consistency(settings: Settings, mapper: Mapper = map, progress: Progress = no_progress) -> ConsistencyReport:
    """Sample from known grammars, train learners on the samples, and compare.

    Parameters
    ----------
    settings : Settings
        The section ``consistency`` lists the runs; `theory_settings` determines the other settings.
    mapper : callable like map
        Spreads the samples over workers; results do not depend on it.
    progress : Progress
        Reports progress over the samples.

    Raises
    ------
    ConfigError, InputError, SyntaxProblem
        A grammar or template is unknown or cannot be read.
    """
    wanted = settings.consistency
    check_learners(wanted.learners)
    known = {name: known_grammar(name, wanted.words) for name in wanted.grammars}
    tasks = [
        _Task(name, one, size, seed, settings)
        for size in sizes(settings)
        for name, one in known.items()
        for seed in range(wanted.seeds)
    ]
    results = list(progress(mapper(_run_task, tasks), "consistency", len(tasks), "sample"))
    summaries = [
        GrammarSummary(name, one.states, one.trees.n_trees, float(one.probability.sum())) for name, one in known.items()
    ]
    return ConsistencyReport(summaries, sorted(results, key=lambda r: wanted.grammars.index(r.grammar)))


def check_learners(names: Sequence[str]) -> None:
    """Raise a `ConfigError` if the symbols of a learner differ from those of a known grammar."""
    for name in names:
        if LEARNERS.named(name, "consistency.learners").binarization:
            raise ConfigError(f"consistency.learners: {name} has other symbols than the known grammars. Leave it out.")


def sizes(settings: Settings) -> list[int]:
    """The values of M, equally spaced on a logarithmic scale."""
    wanted = settings.consistency
    decades = np.log10(wanted.largest / wanted.smallest)
    steps = np.arange(int(decades * wanted.steps + 1e-9) + 1)
    return np.unique(np.rint(wanted.smallest * 10 ** (steps / wanted.steps)).astype(np.int64)).tolist()


def known_grammar(name: str, words: int) -> Known:
    """A shipped grammar or the grammar of a file, with all its trees of at most `words` words.

    Raises
    ------
    ConfigError
        There is no shipped grammar with this name.
    InputError, SyntaxProblem
        The file cannot be read, or there are too many trees.
    """
    if name not in KNOWN and not is_text_grammar(Path(name)):
        raise ConfigError(
            f"consistency.grammars: unknown {name!r}. Known: {', '.join(KNOWN)}, or the path of a *.grammar file."
        )
    grammar = shipped_grammar(name).grammar if name in KNOWN else load_grammar(Path(name))
    trees = all_trees(grammar, words)
    return Known(grammar, trees, tree_values(grammar, trees))


def theory_settings(settings: Settings, states: int) -> Settings:
    """The settings of the theorem's estimator, with m states for each nonterminal; EM has no prior."""
    wanted = settings.consistency
    return replace(
        settings,
        lexicon=LexiconSettings(rare_below=1, lowercase=False),
        features=FeatureSettings(templates=wanted.templates, scale=False),
        svd=replace(settings.svd, states=states),
        estimate=EstimateSettings(smooth_rules=False, smooth_lexicon=False),
        em=EmSettings(iterations=wanted.iterations, refine=wanted.iterations, prior=0.0, tolerance=EM_TOLERANCE),
        pivot=PIVOT,
    )


def _run_task(task: _Task) -> SampleResult:
    known, settings = task.known, theory_settings(task.settings, task.known.states)
    generator = np.random.default_rng([settings.seed, task.size, task.seed])
    trees, _ = Sampler(known.grammar).sample(task.size, generator, MAX_WORDS)
    data, spectra = prepare(trees, settings)
    outcomes = [_learn(task, settings, data, learner, start) for learner, start in _runs(task)]
    lacking = [s for s, m in zip(spectra, known.grammar.n_states, strict=True) if s.states < m]
    return SampleResult(task.name, task.size, task.seed, rank_warnings(lacking), outcomes)


def _learn(task: _Task, settings: Settings, data: TrainingData, learner: str, start: int) -> Outcome:
    seed = task.seed * settings.consistency.starts + start
    settings = replace(settings, seed=seed, estimate=replace(settings.estimate, learner=learner))
    learnt = learn(data, settings, LearningContext())
    error = float(np.abs(tree_values(learnt.grammar, task.known.trees) - task.known.probability).sum())
    # moments are known only up to a linear map (C14 Theorem 6), so their states cannot be compared
    has_states = LEARNERS[learner].gives_probabilities
    recovery = recover(task.known.grammar, learnt.grammar) if has_states else None
    if not learnt.records:
        return Outcome(learner, start, error, None, None, recovery)
    last = learnt.records[-1]
    return Outcome(learner, start, error, last.log_likelihood / task.size, last.iteration, recovery)


def _runs(task: _Task) -> Iterator[tuple[str, int]]:
    """The learners to train on this sample, with the numbers of their random starts."""
    wanted = task.settings.consistency
    for learner in wanted.learners:
        if not LEARNERS[learner].takes_em_steps or task.size <= wanted.em_largest:
            yield from ((learner, start) for start in range(wanted.starts if learner == "em" else 1))
