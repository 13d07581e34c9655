"""train: the stages in order, leaving out those whose inputs and settings are unchanged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from lpcfg_cli.config import Settings, settings_for_learner
from lpcfg_cli.em.run import EmRecord, ignore_record
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.stages.course import StageOutcome, model_stages, tagger_stages, tree_stage
from lpcfg_cli.stages.ensemble import ensemble_stage
from lpcfg_cli.storage.files import make_directory
from lpcfg_cli.storage.lock import sole_writer
from lpcfg_cli.treebank.files import find_tree_files


def run_train(
    roots: Sequence[Path],
    run: Path,
    settings: Settings,
    sections: str | None = None,
    mapper: Mapper = map,
    progress: Progress = no_progress,
    after: Callable[[StageOutcome], None] = lambda outcome: None,
    on_step: Callable[[EmRecord], None] = ignore_record,
) -> list[StageOutcome]:
    """Train a model from a treebank.

    Parameters
    ----------
    roots : sequence of Path
    run : Path
    settings : Settings
    sections : str, optional
    mapper : callable like map
    progress : Progress
        Sees what each stage goes through.
    after : function of StageOutcome
        Told after each stage.
    on_step : function of EmRecord
        Told of each iteration of EM.

    Raises
    ------
    DirectoryInUseError
        Another process is writing into the run directory.
    """
    settings = settings_for_learner(settings)
    is_ensemble = settings.ensemble.members > 1
    later = (run, settings, mapper, progress)
    rest = [ensemble_stage(*later)] if is_ensemble else model_stages(*later, on_step)
    stages = [tree_stage(roots, run, settings, sections, progress), *tagger_stages(run, settings, progress), *rest]
    find_tree_files(roots, sections)  # before a directory is made for nothing
    make_directory(run)
    outcomes = []
    with sole_writer(run):
        for stage in stages:
            outcomes.append(stage.run(run))
            after(outcomes[-1])
    return outcomes
