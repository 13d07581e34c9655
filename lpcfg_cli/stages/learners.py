"""The learners by name: training data in, model out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.config import MARKOV, ReadSettings, Settings
from lpcfg_cli.em.run import CHECKPOINT_FILE, Checkpoint, EmPlan, EmRecord, ignore_record, run_em
from lpcfg_cli.errors import ConfigError
from lpcfg_cli.evaluation.evaluate import EvaluationOptions, evaluate
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.execution.stopwatch import Spent, Stopwatch
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.learning.clusters import cluster_nodes, count_states
from lpcfg_cli.learning.mixing import mix_states
from lpcfg_cli.learning.pivot import decompose_symbols, pivot_counts
from lpcfg_cli.learning.rule_table import (
    Parameters,
    RuleTable,
    even_split,
    maximise,
    rule_table,
    states_by_count,
    to_grammar,
)
from lpcfg_cli.learning.spectral import estimate
from lpcfg_cli.learning.tree_em import random_split
from lpcfg_cli.parsing.corpora import parse_all
from lpcfg_cli.stages.training_data import TrainingData
from lpcfg_cli.storage.files import sha256_of_file, write_text
from lpcfg_cli.tagging.sentences import Sentence, open_sentences
from lpcfg_cli.treebank.files import find_tree_files

PROJECTING = ("spectral", "cluster", "pivot", "pivot+em")
"""Learners that read ``projections.npz``."""

PERTURBED = ("cluster",)
"""Learners for whom what the SVD left out is left out of the nodes too: k-means then starts EM from states less sure of
themselves, which is worth 1 F1, while moments are the better for whole features."""

CLIMBING = ("em", "cluster", "pivot+em")
"""Learners that take steps of EM."""

MIXING = ("mix_rules", "mix_words")
"""Settings of EM that do not change its steps, but what is made of them."""

Start = tuple[RuleTable, Callable[[], Parameters]]
"""The rules with their numbers of states, and what makes the parameters that EM starts from."""


@dataclass(frozen=True)
class Learning:
    """What a learner is given besides data and settings, and tells about.

    Attributes
    ----------
    scratch : Path
        A folder for files that are gone when learning is done, and for checkpoints.
    mapper : callable like map
    progress : Progress
    on_step : function of EmRecord
        Told of each iteration of EM.
    keeps_checkpoints : bool
        Whether EM that is interrupted can go on from where it was.
    """

    scratch: Path
    mapper: Mapper = map
    progress: Progress = no_progress
    on_step: Callable[[EmRecord], None] = ignore_record
    keeps_checkpoints: bool = True


@dataclass(frozen=True)
class Learnt:
    """A model and how it came about.

    Attributes
    ----------
    grammar : Grammar
    records : list of EmRecord
        EM's iterations, if the learner takes any.
    chosen : int or None
        The iteration whose parameters the model has.
    training : Spent, optional
        What the model took, where that is less than the time that has passed: without scoring the dev treebank, and
        without the iterations after the chosen one.
    """

    grammar: Grammar
    records: list[EmRecord] = field(default_factory=list)
    chosen: int | None = None
    training: Spent | None = None


def learner_settings(settings: Settings) -> dict[str, Any]:
    """The settings that shape a learner's model, and no others: the model is current while they are unchanged."""
    learner = settings.estimate.learner
    found: dict[str, Any] = {"estimate": asdict(settings.estimate)}
    if learner in CLIMBING:
        others = ("refine",) if learner == "em" else ("iterations", "every", "spread")
        found["em"] = {name: value for name, value in asdict(settings.em).items() if name not in others}
        found["dev_sources"] = [sha256_of_file(path) for path in dev_files(settings)]
    if learner == "em":
        found["svd"] = {"states": settings.svd.states}
    if learner.startswith("pivot"):
        found["pivot"] = asdict(settings.pivot)
    if learner == "pivot":
        found["em"] = {name: getattr(settings.em, name) for name in ("prior", *MIXING)}
    return found


def course_settings(settings: Settings) -> dict[str, Any]:
    """The settings that shape EM's course: a checkpoint is good for more steps too, and for other mixing.

    Unless there is a dev treebank: it scores what is mixed.
    """
    course = learner_settings(settings)
    for name in ("iterations", "refine", *(() if settings.em.dev else MIXING)):
        course["em"].pop(name, None)
    return course


def dev_files(settings: Settings) -> list[Path]:
    """The files of the dev treebank, if there is one."""
    return find_tree_files([settings.em.dev]) if settings.em.dev else []


def learn(data: TrainingData, settings: Settings, around: Learning) -> Learnt:
    """Find a model's parameters with the learner that the settings name.

    Raises
    ------
    ConfigError
        The trees were binarized otherwise than the learner asks for.
    """
    learner = settings.estimate.learner
    if learner == "spectral":
        assert data.projected is not None
        parts = (data.trees, data.entry, data.projected, data.lexicon)
        return Learnt(estimate(*parts, settings.estimate, around.progress))
    if learner == "markov":
        _require_markov(data.settings["binarize"])
    if learner in CLIMBING:
        return _climb(data, settings, around)
    table, parameters = STARTS[learner](data, settings, around.progress)
    return Learnt(grammar_of(data, table, parameters(), settings))


def grammar_of(data: TrainingData, table: RuleTable, parameters: Parameters, settings: Settings) -> Grammar:
    """The model with parameters that were found, its states mixed as the settings ask for."""
    mixed = mix_states(table, parameters, settings.em.mix_rules, settings.em.mix_words)
    return to_grammar(data.trees, table, mixed, data.lexicon)


def _require_markov(binarized: dict[str, Any]) -> None:
    if any(binarized[name] != value for name, value in MARKOV.items()):
        options = " ".join(f"--{name} {value}" for name, value in MARKOV.items())
        raise ConfigError(
            f"the learner markov wants trees binarized with {options}. Run `lpcfg train --learner markov`, "
            f"or `lpcfg binarize` and `lpcfg features` with these options first."
        )


def _climb(data: TrainingData, settings: Settings, around: Learning) -> Learnt:
    watch = Stopwatch()
    table, start = STARTS[settings.estimate.learner](data, settings, around.progress)
    dev = DevTreebank(data, settings, table, around.scratch)
    file = around.scratch / CHECKPOINT_FILE if around.keeps_checkpoints else None
    checkpoint = Checkpoint(file, course_settings(settings), settings.seed, data.inputs)
    plan = em_plan(settings, dev.f1 if settings.em.dev else None)
    prepared = watch.lap()
    state = run_em(data.trees, table, start, plan, checkpoint, around.mapper, around.on_step)
    watch.lap()
    grammar = grammar_of(data, table, state.best, settings)
    return Learnt(grammar, state.records, state.chosen.iteration, prepared + state.training + watch.lap())


def _random(data: TrainingData, settings: Settings, progress: Progress) -> Start:
    table = rule_table(data.trees, data.entry, states_by_count(data.trees, settings.svd.states))
    return table, partial(random_split, table, settings.em.spread, np.random.default_rng(settings.seed))


def _cluster(data: TrainingData, settings: Settings, progress: Progress) -> Start:
    assert data.projected is not None
    state, n_states = cluster_nodes(data.trees.symbol, data.projected, settings.seed)
    table = rule_table(data.trees, data.entry, n_states)
    return table, lambda: maximise(table, count_states(data.trees, table, state), settings.em.prior)


def _pivot(data: TrainingData, settings: Settings, progress: Progress) -> Start:
    assert data.projected is not None
    found = decompose_symbols(data.features, data.projected, settings.pivot, progress)
    table = rule_table(data.trees, data.entry, np.array([symbol.n_states for symbol in found], np.int32))

    def parameters() -> Parameters:
        rng = np.random.default_rng(settings.seed)
        counts = pivot_counts(data.trees, table, data.features, found, settings.pivot, rng, progress)
        return maximise(table, counts, settings.em.prior)

    return table, parameters


def _frequencies(data: TrainingData, settings: Settings, progress: Progress) -> Start:
    table = rule_table(data.trees, data.entry, states_by_count(data.trees, 1))
    return table, partial(even_split, table)


STARTS: dict[str, Callable[[TrainingData, Settings, Progress], Start]] = {
    "em": _random,
    "cluster": _cluster,
    "pivot": _pivot,
    "pivot+em": _pivot,
    "pcfg": _frequencies,
    "markov": _frequencies,
}
"""Learners whose parameters are probabilities: where they start, which is where some of them end."""


def em_plan(settings: Settings, score: Callable[[Parameters], float] | None) -> EmPlan:
    """How EM goes for the learner of the settings."""
    em = settings.em
    is_random = settings.estimate.learner == "em"
    return EmPlan(
        em.iterations if is_random else em.refine,
        em.every if is_random else 1,
        em.patience,
        em.tolerance,
        em.prior,
        score,
    )


@dataclass(frozen=True)
class DevTreebank:
    """Scores parameters by parsing the words and tags of gold trees.

    Attributes
    ----------
    data : TrainingData
    settings : Settings
    table : RuleTable
    scratch : Path
        Where the parses stand while they are scored.
    """

    data: TrainingData
    settings: Settings
    table: RuleTable
    scratch: Path

    @cached_property
    def sentences(self) -> list[Sentence]:
        """Words and tags of the gold trees."""
        read = ReadSettings(encoding=self.settings.read.encoding)
        files = dev_files(self.settings)
        return [item.tokens for path in files for item in open_sentences(path, "trees", read)]

    def f1(self, parameters: Parameters) -> float:
        """Labelled F1, in percent, by EVALB's rules with COLLINS.prm."""
        grammar = grammar_of(self.data, self.table, parameters, self.settings)
        lines, _ = parse_all(grammar, self.settings.parse, self.sentences)
        path = self.scratch / ".dev.mrg"
        try:
            encoding = self.settings.read.encoding
            write_text(path, "".join(f"{line}\n" for line in lines), encoding)  # as the gold trees
            options = EvaluationOptions(encoding=encoding)
            return evaluate(self.settings.em.dev, path, options).f1
        finally:
            path.unlink(missing_ok=True)
