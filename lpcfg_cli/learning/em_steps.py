"""What learners that take steps of EM share: the steps, and the choice among them."""

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
"""Settings of EM for learners whose start is close to where they end: they take ``em.refine`` steps at most."""

SCORED_EACH = 1
"""Steps between two scores for such learners."""


@dataclass(frozen=True)
class Start:
    """Where EM starts.

    Attributes
    ----------
    table : RuleTable
        The rules with their numbers of states.
    parameters : function
        Makes the parameters to begin with.
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
    """Take steps of EM from a start; the last step, or the one with the best dev F1, makes the model.

    Parameters
    ----------
    data, settings, context
        As for `Learner.fit`.
    learner : Learner
        Whose settings tell whether a checkpoint is good.
    start : Start
    iterations : int
        Steps at most.
    every : int
        Steps between two scores on the dev treebank.
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
    """The settings that shape EM's steps: a checkpoint is good for more steps too, and for other mixing.

    Unless there is a dev treebank: it scores what is mixed.
    """
    shaping = learner.shaping(settings)
    for name in ("iterations", "refine", *(() if settings.em.dev else MIXING)):
        shaping["em"].pop(name, None)
    return shaping
