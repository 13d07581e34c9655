"""The chain of training: the table of stages, the choice of stages by settings, and their execution in order."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from lpcfg_cli.config import Settings, Table
from lpcfg_cli.learning.learners import learner_of
from lpcfg_cli.stages.binarize import BINARIZE
from lpcfg_cli.stages.ensemble import ENSEMBLE, check_members
from lpcfg_cli.stages.estimate import ESTIMATION
from lpcfg_cli.stages.features import EXTRACTION
from lpcfg_cli.stages.settings_file import SETTINGS_FILE, write_settings
from lpcfg_cli.stages.stage import Stage, StageContext, StageOutcome, do_stage, run_stage
from lpcfg_cli.stages.svd import DECOMPOSITION
from lpcfg_cli.stages.tagger import TAGGING
from lpcfg_cli.storage.files import directory_for_work
from lpcfg_cli.storage.lock import LOCK_FILE, sole_writer
from lpcfg_cli.treebank.finding import find_tree_files

STAGES: Table[Stage] = Table("stage", BINARIZE, TAGGING, EXTRACTION, DECOMPOSITION, ESTIMATION, ENSEMBLE)
"""In the order in which training runs them."""


def chain(settings: Settings) -> list[Stage]:
    """The stages of training with these settings, in order."""
    return [stage for stage in STAGES.values() if stage.is_wanted(settings)]


def train(context: StageContext, after: Callable[[StageOutcome], None] = lambda outcome: None) -> list[StageOutcome]:
    """Train a model from a treebank; stages whose files are current are skipped.

    Parameters
    ----------
    context : StageContext
    after : function of StageOutcome
        Called after each stage.

    Raises
    ------
    ConfigError
        Settings contradict each other.
    DirectoryInUseError
        Another process is writing into the run directory.
    LpcfgError
        A stage failed.
    """
    settings = learner_of(context.settings).adapted(context.settings)
    check_members(settings)
    context = StageContext(**{**vars(context), "settings": settings})
    # raises an error before the run directory is created
    find_tree_files(context.roots, context.sections, settings.read.format)
    outcomes = []
    with directory_for_work(context.run, [SETTINGS_FILE, LOCK_FILE]), sole_writer(context.run):
        write_settings(context.run, settings)  # first, so that an interrupted run can be resumed with them
        for stage in chain(settings):
            outcomes.append(run_stage(stage, context))
            after(outcomes[-1])
    return outcomes


def run_alone(stage: Stage, context: StageContext) -> Any:
    """Do one stage's work and record the settings used; returns its report."""
    is_first = not stage.reads
    with directory_for_work(context.run, [LOCK_FILE]) if is_first else nullcontext():
        report = do_stage(stage, context)
    write_settings(context.run, context.settings)
    return report


def training_settings(settings: Settings) -> dict[str, Any]:
    """Exactly the settings that the model made by `train` depends on, JSON-ready."""
    settings = learner_of(settings).adapted(settings)
    found: dict[str, Any] = {"seed": settings.seed}
    for stage in chain(settings):
        found |= stage.shaped_by(settings)
    return found
