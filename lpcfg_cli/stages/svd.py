"""svd: ``features.npz`` → ``projections.npz``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.config import FeatureSettings, Settings
from lpcfg_cli.features.matrices import FeatureMatrices, NodeOrder
from lpcfg_cli.learning.projection import Projection, project
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
from lpcfg_cli.storage.artefacts import check_parents, read_arrays, read_json, write_arrays
from lpcfg_cli.storage.files import sha256_of_file

Mapper = Callable[[Callable[..., Any], Iterable[Any]], Iterable[Any]]


@dataclass(frozen=True)
class SymbolSpectrum:
    """The spectrum of one nonterminal.

    Attributes
    ----------
    name : str
    examples, inside_features, outside_features : int
        M, d and d′.
    states : int
        m_a.
    singular_values : list of float
        Those kept.
    discarded : list of float
        Those computed and cut off as numerically zero.
    """

    name: str
    examples: int
    inside_features: int
    outside_features: int
    states: int
    singular_values: list[float]
    discarded: list[float]


@dataclass(frozen=True)
class SvdReport:
    """The spectra of all nonterminals.

    Attributes
    ----------
    asked : int
        m as set.
    spectra : list of SymbolSpectrum
    """

    asked: int
    spectra: list[SymbolSpectrum]

    @property
    def limited(self) -> int:
        """How many nonterminals have fewer states than asked, for lack of data or rank."""
        return sum(spectrum.states < self.asked for spectrum in self.spectra)


def run_svd(run: Path, settings: Settings, mapper: Mapper = map) -> SvdReport:
    """Decompose every nonterminal's Ω.

    Parameters
    ----------
    run : Path
        A run directory with the output of ``lpcfg features``.
    settings : Settings
    mapper : callable like map
        Spreads the nonterminals over workers; results do not depend on it.
    """
    with logged_stage(run, "svd"):
        header, arrays = read_arrays(run / FEATURES_FILE, FEATURES)
        check_parents(run / FEATURES_FILE, FEATURES, header)
        order, phi, psi = features_from_arrays(arrays)
        scaling = FeatureSettings(**header.settings["features"])
        projections = project_all(order, phi, psi, scaling, settings, mapper)
        inputs = {FEATURES_FILE: sha256_of_file(run / FEATURES_FILE)}
        write_arrays(
            run / PROJECTIONS_FILE,
            PROJECTIONS,
            projection_arrays(projections),
            svd_settings(settings),
            settings.seed,
            inputs,
        )
    _, content = read_json(run / SYMBOLS_FILE, SYMBOLS)
    names = [entry["name"] for entry in content["symbols"]]
    return SvdReport(settings.svd.states, _spectra(names, order, projections))


def svd_settings(settings: Settings) -> dict[str, Any]:
    """The settings that shape this stage's output."""
    return {"svd": asdict(settings.svd)}


def project_all(
    order: NodeOrder,
    phi: FeatureMatrices,
    psi: FeatureMatrices,
    scaling: FeatureSettings,
    settings: Settings,
    mapper: Mapper = map,
) -> list[Projection]:
    """Project every nonterminal, each with a random stream of its own."""
    n_symbols = len(order.row_start) - 1
    streams = np.random.SeedSequence(settings.seed).spawn(n_symbols)
    tasks = (
        (phi.matrix(a, order, scaling), psi.matrix(a, order, scaling), settings.svd, streams[a])
        for a in range(n_symbols)
    )
    return list(mapper(_project_task, tasks))


def _project_task(task: tuple[Any, Any, Any, np.random.SeedSequence]) -> Projection:
    phi, psi, settings, stream = task
    return project(phi, psi, settings, np.random.default_rng(stream))


def _spectra(names: list[str], order: NodeOrder, projections: list[Projection]) -> list[SymbolSpectrum]:
    examples = np.diff(order.row_start)
    return [
        SymbolSpectrum(
            name,
            int(n),
            len(p.inside),
            len(p.outside),
            p.n_states,
            p.singular_values.tolist(),
            p.discarded.tolist(),
        )
        for name, n, p in zip(names, examples, projections, strict=True)
    ]
