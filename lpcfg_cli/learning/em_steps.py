"""EM steps from a learner's start, and the choice among the iterations: shared by all learners that use EM."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lpcfg_cli.config import EmSettings, Settings
from lpcfg_cli.em.checkpoint import Checkpoint
from lpcfg_cli.em.monitor import Stopping
from lpcfg_cli.em.run import run_em
from lpcfg_cli.execution.stopwatch import Stopwatch
from lpcfg_cli.learning.dev_scores import DevTreebank
from lpcfg_cli.learning.learner import Learner, LearningContext, Learnt, names_of
from lpcfg_cli.learning.mixing import MIXING, mixed_grammar
from lpcfg_cli.learning.rule_table import RuleParameters, RuleTable
from lpcfg_cli.learning.training_data import TrainingData
from lpcfg_cli.learning.tree_em import TreeModel, divide_trees

REFINING = names_of(EmSettings, "iterations", "every", "spread")
"""Settings of EM for learners that start close to the optimum: they take at most ``em.refine`` steps."""

SCORED_EACH = 1
"""Steps between two dev scores for such learners."""


@dataclass(frozen=True)
class Start:
    """The start of EM.

    Attributes
    ----------
    table : RuleTable
        The rules, with the number of states of each symbol.
    parameters : function
        Returns the initial parameters.
    """

    table: RuleTable
    parameters: Callable[[], RuleParameters]


def fit_by_em(
    data: TrainingData,
    settings: Settings,
    context: LearningContext,
    learner: Learner,
    start: Start,
    iterations: int,
    every: int = SCORED_EACH,
) -> Learnt:
    """Run EM from a start; the model has the parameters of the last step, or of the step with the best dev F1.

    Parameters
    ----------
    data, settings, context
        As for `Learner.fit`.
    learner : Learner
        A checkpoint is used only if the settings that shape this learner's steps are unchanged.
    start : Start
    iterations : int
        Largest number of steps.
    every : int
        Steps between two scores on the dev treebank.

    Raises
    ------
    NumericalError
        A training tree has probability zero, or a step lowered the bound.
    """
    em, watch = settings.em, Stopwatch()
    table = start.table
    dev = DevTreebank(data, settings, table) if em.dev else None
    checkpoint = Checkpoint(
        context.checkpoint,
        RuleParameters,
        {"root": int(table.state_start[-1]), "rules": int(table.start[-1])},
        step_settings(learner, settings),
        settings.seed,
        data.inputs,
    )
    stopping = Stopping(iterations, every, em.patience, em.tolerance, dev.f1 if dev else None)
    model = TreeModel(divide_trees(data.trees, table), table, em.prior, context.mapper)
    prepared = watch.lap()
    state = run_em(model, start.parameters, stopping, checkpoint, context.on_step)
    watch.lap()
    grammar = mixed_grammar(data, table, state.best, settings.em)
    return Learnt(grammar, state.records, state.chosen.iteration, prepared + state.training + watch.lap())


def step_settings(learner: Learner, settings: Settings) -> dict[str, Any]:
    """The settings that shape the steps of EM: a checkpoint is valid while they are unchanged.

    The number of steps is not one of them.  The settings of mixing are only if there is a dev treebank, because mixed
    models are scored on it.
    """
    shaping = learner.shaping(settings)
    for name in ("iterations", "refine", *(() if settings.em.dev else MIXING)):
        shaping["em"].pop(name, None)
    return shaping
