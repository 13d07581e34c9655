"""train: the four stages in order, leaving out those whose inputs and settings are unchanged."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lpcfg_cli.config import Settings
from lpcfg_cli.errors import LpcfgError
from lpcfg_cli.stages import binarize, estimate, features, svd
from lpcfg_cli.stages.run_directory import (
    FEATURES,
    FEATURES_FILE,
    MODEL,
    MODEL_FILE,
    PROJECTIONS,
    PROJECTIONS_FILE,
    SYMBOLS,
    SYMBOLS_FILE,
)
from lpcfg_cli.storage.artefacts import Header, Kind, check_parents, read_array_header, read_json
from lpcfg_cli.storage.files import make_directory
from lpcfg_cli.storage.lock import sole_writer
from lpcfg_cli.treebank.files import find_tree_files


@dataclass(frozen=True)
class StageOutcome:
    """What `run_train` did about one stage.

    Attributes
    ----------
    stage : str
    report : object or None
        The stage's report; None when it was skipped.
    """

    stage: str
    report: Any | None


def run_train(
    roots: Sequence[Path],
    run: Path,
    settings: Settings,
    sections: str | None = None,
    mapper: svd.Mapper = map,
    before: Callable[[str, bool], None] = lambda stage, skipped: None,
) -> list[StageOutcome]:
    """Train a model from a treebank.

    Parameters
    ----------
    roots : sequence of Path
    run : Path
    settings : Settings
    sections : str, optional
    mapper : callable like map
    before : function of (stage, is skipped)
        Told before each stage.

    Raises
    ------
    DirectoryInUseError
        Another process is writing into the run directory.
    """
    stages: list[tuple[str, Callable[[], bool], Callable[[], Any]]] = [
        (
            "binarize",
            lambda: _trees_are_current(roots, run, settings, sections),
            lambda: binarize.run_binarize(roots, run, settings, sections),
        ),
        (
            "features",
            lambda: _is_current(run / FEATURES_FILE, FEATURES, features.feature_settings(settings), settings),
            lambda: features.run_features(run, settings),
        ),
        (
            "svd",
            lambda: _is_current(run / PROJECTIONS_FILE, PROJECTIONS, svd.svd_settings(settings), settings),
            lambda: svd.run_svd(run, settings, mapper),
        ),
        (
            "estimate",
            lambda: _is_current(run / MODEL_FILE, MODEL, _model_settings(settings), settings),
            lambda: estimate.run_estimate(run, settings),
        ),
    ]
    find_tree_files(roots, sections)  # before a directory is made for nothing
    make_directory(run)
    outcomes = []
    with sole_writer(run):
        for stage, is_current, work in stages:
            skipped = is_current()
            before(stage, skipped)
            outcomes.append(StageOutcome(stage, None if skipped else work()))
    return outcomes


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
