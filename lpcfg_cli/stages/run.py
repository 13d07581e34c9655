"""The stages that learn from a treebank, and the execution of stages in a run directory."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lpcfg_cli.learning.learners import learner_of
from lpcfg_cli.stages.binarize import BINARIZE
from lpcfg_cli.stages.ensemble import ENSEMBLE, check_members
from lpcfg_cli.stages.estimate import ESTIMATION
from lpcfg_cli.stages.features import EXTRACTION
from lpcfg_cli.stages.settings_file import SETTINGS_FILE, write_settings
from lpcfg_cli.stages.stage import Stage, StageContext, StageOutcome, run_stage
from lpcfg_cli.stages.svd import DECOMPOSITION
from lpcfg_cli.stages.tagger import TAGGING
from lpcfg_cli.storage.files import directory_for_work
from lpcfg_cli.storage.lock import LOCK_FILE, sole_writer
from lpcfg_cli.treebank.archive import trees_read_once
from lpcfg_cli.treebank.finding import find_tree_files

TREEBANK_STAGES = (BINARIZE, TAGGING, EXTRACTION, DECOMPOSITION, ESTIMATION, ENSEMBLE)
"""In the order in which they run."""


def run_stages(
    stages: Iterable[Stage], context: StageContext, after: Callable[[StageOutcome], None] = lambda outcome: None
) -> list[StageOutcome]:
    """Run those of some stages that the settings want; stages whose files are current are skipped.

    Parameters
    ----------
    stages : iterable of Stage
        In order.
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
    with directory_for_work(context.run, [SETTINGS_FILE, LOCK_FILE]), sole_writer(context.run), trees_read_once():
        write_settings(context.run, settings)  # first, so that an interrupted run can be resumed with them
        for stage in stages:
            if stage.is_wanted(settings):
                outcomes.append(run_stage(stage, context))
                after(outcomes[-1])
    return outcomes
