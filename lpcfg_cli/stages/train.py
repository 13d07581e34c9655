"""train: the stages in order, leaving out those whose inputs and settings are unchanged."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lpcfg_cli.config import Settings, settings_for_learner
from lpcfg_cli.errors import LpcfgError
from lpcfg_cli.stages import binarize, estimate, features, svd
from lpcfg_cli.stages.em import EmRecord, ignore_record
from lpcfg_cli.stages.journal import peak_megabytes
from lpcfg_cli.stages.learners import PROJECTING
from lpcfg_cli.stages.run_directory import (
    FEATURES,
    FEATURES_FILE,
    MODEL,
    MODEL_FILE,
    PROJECTIONS,
    PROJECTIONS_FILE,
    SYMBOLS,
    SYMBOLS_FILE,
    TREES_FILE,
)
from lpcfg_cli.stages.stopwatch import Stopwatch
from lpcfg_cli.stages.workers import Mapper
from lpcfg_cli.storage.artefacts import Header, Kind, check_parents, read_array_header, read_json
from lpcfg_cli.storage.files import make_directory
from lpcfg_cli.storage.lock import sole_writer
from lpcfg_cli.treebank.files import find_tree_files
from lpcfg_cli.treebank.progress import Progress, no_progress


@dataclass(frozen=True)
class StageOutcome:
    """What `run_train` did about one stage.

    Attributes
    ----------
    stage : str
    report : object or None
        The stage's report; None when it was skipped.
    seconds, cpu_seconds : float
        Wall time, and time of this process.
    peak_megabytes : int
        Largest resident memory of this process so far.
    file : str
        The file that the stage writes.
    bytes : int
        Its size.
    """

    stage: str
    report: Any | None
    seconds: float
    cpu_seconds: float
    peak_megabytes: int
    file: str
    bytes: int


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
    stages: list[tuple[str, str, Callable[[], bool], Callable[[], Any]]] = [
        (
            "binarize",
            TREES_FILE,
            lambda: _trees_are_current(roots, run, settings, sections),
            lambda: binarize.run_binarize(roots, run, settings, sections, progress),
        ),
        (
            "features",
            FEATURES_FILE,
            lambda: _is_current(run / FEATURES_FILE, FEATURES, features.feature_settings(settings), settings),
            lambda: features.run_features(run, settings, progress),
        ),
        (
            "svd",
            PROJECTIONS_FILE,
            lambda: _is_current(run / PROJECTIONS_FILE, PROJECTIONS, svd.svd_settings(settings), settings),
            lambda: svd.run_svd(run, settings, mapper, progress),
        ),
        (
            "estimate",
            MODEL_FILE,
            lambda: _is_current(run / MODEL_FILE, MODEL, _model_settings(settings), settings),
            lambda: estimate.run_estimate(run, settings, progress, mapper, on_step),
        ),
    ]
    if settings.estimate.learner not in PROJECTING:
        del stages[2]
    find_tree_files(roots, sections)  # before a directory is made for nothing
    make_directory(run)
    outcomes = []
    with sole_writer(run):
        for stage, file, is_current, work in stages:
            outcomes.append(_run_stage(stage, run / file, is_current, work))
            after(outcomes[-1])
    return outcomes


def _run_stage(stage: str, path: Path, is_current: Callable[[], bool], work: Callable[[], Any]) -> StageOutcome:
    watch = Stopwatch()
    report = None if is_current() else work()
    spent = watch.lap()
    size = path.stat().st_size
    return StageOutcome(stage, report, spent.seconds, spent.cpu_seconds, peak_megabytes(), path.name, size)


def training_settings(settings: Settings) -> dict[str, Any]:
    """The settings that shape the model that `run_train` makes, and no others."""
    settings = settings_for_learner(settings)
    return {
        "seed": settings.seed,
        **binarize.binarize_settings(settings),
        **features.feature_settings(settings),
        **(svd.svd_settings(settings) if settings.estimate.learner in PROJECTING else {}),
        **_model_settings(settings),
    }


def _model_settings(settings: Settings) -> dict[str, Any]:
    return {**estimate.estimate_settings(settings), "parse": asdict(settings.parse)}


def _trees_are_current(roots: Sequence[Path], run: Path, settings: Settings, sections: str | None) -> bool:
    paths = find_tree_files(roots, sections)
    try:
        header, content = read_json(run / SYMBOLS_FILE, SYMBOLS)
        check_parents(run / SYMBOLS_FILE, SYMBOLS, header)
    except LpcfgError:
        return False
    same_sources = content.get("sources") == binarize.source_hashes(paths, settings)
    return same_sources and _has_settings(header, binarize.binarize_settings(settings), settings)


def _is_current(path: Path, kind: Kind, wanted: dict[str, Any], settings: Settings) -> bool:
    """Whether an artefact was made with these settings from the files now beside it."""
    try:
        header = read_array_header(path, kind)
        check_parents(path, kind, header)
    except LpcfgError:
        return False
    return _has_settings(header, wanted, settings)


def _has_settings(header: Header, wanted: dict[str, Any], settings: Settings) -> bool:
    as_stored = json.loads(json.dumps(wanted))
    return header.seed == settings.seed and all(header.settings.get(key) == value for key, value in as_stored.items())
