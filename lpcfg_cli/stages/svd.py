"""svd: ``features.npz`` → ``projections.npz``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lpcfg_cli.config import FeatureSettings, Settings, SvdSettings
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.execution.workers import FileValue, Mapper
from lpcfg_cli.features.matrices import FeatureMatrices, NodeOrder
from lpcfg_cli.spectral.projection import Projection, perturbed, project
from lpcfg_cli.stages.journal import logged_stage
from lpcfg_cli.stages.run_directory import (
    FEATURES,
    FEATURES_FILE,
    PROJECTIONS,
    PROJECTIONS_FILE,
    SYMBOLS,
    SYMBOLS_FILE,
    features_from_arrays,
    projection_arrays,
)
from lpcfg_cli.stages.spectra import ARRAYS, RankWarning, SymbolSpectrum, rank_warnings, spectra_from_arrays
from lpcfg_cli.storage.artefacts import check_parents, read_array_header, read_arrays, read_json, write_arrays


class StoredFeatures(NamedTuple):
    """What ``features.npz`` says of the nodes.

    Attributes
    ----------
    order : NodeOrder
    inside, outside : FeatureMatrices
    scaling : FeatureSettings
    """

    order: NodeOrder
    inside: FeatureMatrices
    outside: FeatureMatrices
    scaling: FeatureSettings


@dataclass(frozen=True)
class SvdReport:
    """The spectra of all nonterminals.

    Attributes
    ----------
    asked : int
        m as set.
    spectra : list of SymbolSpectrum
    warnings : list of RankWarning
    """

    asked: int
    spectra: list[SymbolSpectrum]
    warnings: list[RankWarning]

    @property
    def limited(self) -> int:
        """How many nonterminals have fewer states than asked, for lack of data or rank."""
        return sum(spectrum.states < self.asked for spectrum in self.spectra)


def run_svd(run: Path, settings: Settings, mapper: Mapper = map, progress: Progress = no_progress) -> SvdReport:
    """Decompose every nonterminal's Ω.

    Parameters
    ----------
    run : Path
        A run directory with the output of ``lpcfg features``.
    settings : Settings
    mapper : callable like map
        Spreads the nonterminals over workers; results do not depend on it.
    progress : Progress
        Sees the nonterminals.
    """
    with logged_stage(run, "svd"):
        header = read_array_header(run / FEATURES_FILE, FEATURES)
        check_parents(run / FEATURES_FILE, FEATURES, header)
        features = FileValue.load(read_features, run / FEATURES_FILE)
        projections = project_all(features, settings, mapper, progress)
        order = features.get().order
        features.forget()
        inputs = {FEATURES_FILE: features.digest}
        arrays = projection_arrays(projections)
        write_arrays(run / PROJECTIONS_FILE, PROJECTIONS, arrays, svd_settings(settings), settings.seed, inputs)
    _, content = read_json(run / SYMBOLS_FILE, SYMBOLS)
    names = [entry["name"] for entry in content["symbols"]]
    spectra = spectra_from_arrays(names, np.diff(order.row_start), {name: arrays[name].values for name in ARRAYS})
    return SvdReport(settings.svd.states, spectra, rank_warnings(spectra))


def svd_settings(settings: Settings) -> dict[str, Any]:
    """The settings that shape this stage's output."""
    return {"svd": asdict(settings.svd)}


def read_features(path: Path) -> StoredFeatures:
    """The contents of ``features.npz``; raises as `read_arrays` does."""
    header, arrays = read_arrays(path, FEATURES)
    return StoredFeatures(*features_from_arrays(arrays), FeatureSettings(**header.settings["features"]))


def project_all(
    features: FileValue | StoredFeatures,
    settings: Settings,
    mapper: Mapper = map,
    progress: Progress = no_progress,
) -> list[Projection]:
    """Project every nonterminal, each with a random stream of its own.

    Parameters
    ----------
    features : FileValue or StoredFeatures
        A file, if the mapper's workers are other processes.
    settings : Settings
    mapper, progress
        As for `run_svd`.
    """
    order = _stored(features).order
    examples = np.diff(order.row_start)
    # the largest first, so that no worker begins a long task when the others are done
    by_size = np.argsort(-examples, kind="stable").tolist()
    tasks = ((features, a, settings.svd, settings.seed) for a in by_size)
    done = progress(mapper(_project_task, tasks), "svd", len(examples), "symbol")
    found = dict(zip(by_size, done, strict=True))
    return [found[a] for a in range(len(examples))]


def _stored(features: FileValue | StoredFeatures) -> StoredFeatures:
    return features.get() if isinstance(features, FileValue) else features


def _project_task(task: tuple[FileValue | StoredFeatures, int, SvdSettings, int]) -> Projection:
    source, symbol, settings, seed = task
    stored = _stored(source)
    phi, psi = (side.matrix(symbol, stored.order, stored.scaling) for side in (stored.inside, stored.outside))
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(symbol,)))
    return project(*perturbed((phi, psi), settings, seed, symbol), settings, rng)
