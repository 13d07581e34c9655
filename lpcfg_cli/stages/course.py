"""The stages of training as things to do: what each writes, whether that is current, and the work itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lpcfg_cli.config import Settings, member_settings, settings_for_learner
from lpcfg_cli.em.run import EmRecord, ignore_record
from lpcfg_cli.errors import LpcfgError
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.execution.stopwatch import Stopwatch
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.stages import binarize, estimate, features, svd, tagger
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
    TAGGER,
    TAGGER_FILE,
    TREES_FILE,
)
from lpcfg_cli.storage.artefacts import Header, Kind, check_parents, read_array_header, read_json
from lpcfg_cli.treebank.files import find_tree_files


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


@dataclass(frozen=True)
class Stage:
    """One stage of training.

    Attributes
    ----------
    name : str
    file : str
        What it writes into the run directory.
    is_current : function
        Whether that is there already, made with these settings from what is there now.
    work : function
        Does it, and returns its report.
    """

    name: str
    file: str
    is_current: Callable[[], bool]
    work: Callable[[], Any]

    def run(self, run: Path) -> StageOutcome:
        """Do the work unless it is done."""
        watch = Stopwatch()
        report = None if self.is_current() else self.work()
        spent = watch.lap()
        size = (run / self.file).stat().st_size
        return StageOutcome(self.name, report, spent.seconds, spent.cpu_seconds, peak_megabytes(), self.file, size)


def tree_stage(
    roots: Sequence[Path], run: Path, settings: Settings, sections: str | None, progress: Progress = no_progress
) -> Stage:
    """The stage that reads the treebank."""
    return Stage(
        "binarize",
        TREES_FILE,
        lambda: _trees_are_current(roots, run, settings, sections),
        lambda: binarize.run_binarize(roots, run, settings, sections, progress),
    )


def tagger_stages(run: Path, settings: Settings, progress: Progress = no_progress) -> list[Stage]:
    """The stage that trains the tagger, if one is wanted."""
    stage = Stage(
        "tagger",
        TAGGER_FILE,
        lambda: is_current(run / TAGGER_FILE, TAGGER, tagger.tagger_settings(settings), settings),
        lambda: tagger.run_tagger(run, settings, progress),
    )
    return [stage] if settings.tagger.epochs else []


def model_stages(
    run: Path,
    settings: Settings,
    mapper: Mapper = map,
    progress: Progress = no_progress,
    on_step: Callable[[EmRecord], None] = ignore_record,
) -> list[Stage]:
    """The stages from binarized trees to a model."""
    stages = [
        Stage(
            "features",
            FEATURES_FILE,
            lambda: is_current(run / FEATURES_FILE, FEATURES, features.feature_settings(settings), settings),
            lambda: features.run_features(run, settings, progress),
        ),
        Stage(
            "svd",
            PROJECTIONS_FILE,
            lambda: is_current(run / PROJECTIONS_FILE, PROJECTIONS, svd.svd_settings(settings), settings),
            lambda: svd.run_svd(run, settings, mapper, progress),
        ),
        Stage(
            "estimate",
            MODEL_FILE,
            lambda: is_current(run / MODEL_FILE, MODEL, model_settings(settings), settings),
            lambda: estimate.run_estimate(run, settings, progress, mapper, on_step),
        ),
    ]
    return stages if settings.estimate.learner in PROJECTING else [stages[0], stages[2]]


def training_settings(settings: Settings) -> dict[str, Any]:
    """The settings that shape the model that `run_train` makes, and no others."""
    settings = settings_for_learner(settings)
    if settings.ensemble.members > 1:
        return {"seed": settings.seed, **binarize.binarize_settings(settings), **ensemble_settings(settings)}
    return {
        "seed": settings.seed,
        **binarize.binarize_settings(settings),
        **features.feature_settings(settings),
        **(svd.svd_settings(settings) if settings.estimate.learner in PROJECTING else {}),
        **model_settings(settings),
    }


def ensemble_settings(settings: Settings) -> dict[str, Any]:
    """The settings that shape what an ensemble's last stage writes: those of each member, and what they share."""
    members = [training_settings(member_settings(settings, k)) for k in range(settings.ensemble.members)]
    return {"members": members, "parse": asdict(settings.parse), **tagger.tagger_settings(settings)}


def model_settings(settings: Settings) -> dict[str, Any]:
    """The settings that shape what the last stage adds to the model file."""
    made_by = {**estimate.estimate_settings(settings), **tagger.tagger_settings(settings)}
    return {**made_by, "parse": asdict(settings.parse)}


def _trees_are_current(roots: Sequence[Path], run: Path, settings: Settings, sections: str | None) -> bool:
    paths = find_tree_files(roots, sections)
    try:
        header, content = read_json(run / SYMBOLS_FILE, SYMBOLS)
        check_parents(run / SYMBOLS_FILE, SYMBOLS, header)
    except LpcfgError:
        return False
    same_sources = content.get("sources") == binarize.source_hashes(paths, settings)
    return same_sources and _has_settings(header, binarize.binarize_settings(settings), settings)


def is_current(path: Path, kind: Kind, wanted: dict[str, Any], settings: Settings) -> bool:
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
