"""svd: ``features.npz`` → ``projections.npz``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lpcfg_cli.config import FeatureSettings
from lpcfg_cli.execution.workers import FileValue
from lpcfg_cli.features.archive import FEATURES, FEATURES_FILE, features_from_arrays
from lpcfg_cli.learning.learners import learner_of
from lpcfg_cli.learning.preparation import ScaledFeatures, project_all
from lpcfg_cli.spectral.archive import PROJECTIONS, PROJECTIONS_FILE, projection_arrays
from lpcfg_cli.spectral.spectra import RankWarning, SymbolSpectrum, rank_warnings, spectra_of
from lpcfg_cli.stages.stage import Stage, StageContext, save_arrays, sections
from lpcfg_cli.storage.artefacts import check_parents, read_arrays, read_header, read_json
from lpcfg_cli.treebank.archive import SYMBOLS, SYMBOLS_FILE
from lpcfg_cli.treebank.symbols import Symbol


@dataclass(frozen=True)
class SvdReport:
    """The spectra of all nonterminals.

    Attributes
    ----------
    asked : int
        m, as set by ``svd.states``.
    spectra : list of SymbolSpectrum
    warnings : list of RankWarning
    """

    asked: int
    spectra: list[SymbolSpectrum]
    warnings: list[RankWarning]

    @property
    def limited(self) -> int:
        """Number of nonterminals with fewer states than m, for lack of examples or rank."""
        return sum(spectrum.states < self.asked for spectrum in self.spectra)


def decompose_all(context: StageContext) -> SvdReport:
    """Compute and store the truncated SVD of every nonterminal's Ω."""
    run, settings = context.run, context.settings
    header = read_header(run / FEATURES_FILE, FEATURES)
    check_parents(run / FEATURES_FILE, FEATURES, header)
    features = FileValue.load(read_features, run / FEATURES_FILE)
    projections = project_all(features, settings, context.mapper, context.progress)
    examples = np.diff(features.get().features.order.row_start)
    features.forget()
    save_arrays(DECOMPOSITION, context, projection_arrays(projections), inputs={FEATURES_FILE: features.digest})
    _, content = read_json(run / SYMBOLS_FILE, SYMBOLS)
    spectra = spectra_of([Symbol.from_json(entry).shown for entry in content["symbols"]], examples, projections)
    return SvdReport(settings.svd.states, spectra, rank_warnings(spectra))


def read_features(path: Path) -> ScaledFeatures:
    """The contents of ``features.npz``; raises the errors of `read_arrays`."""
    header, arrays = read_arrays(path, FEATURES)
    return ScaledFeatures(features_from_arrays(arrays), FeatureSettings(**header.settings["features"]))


DECOMPOSITION = Stage(
    name="svd",
    summary="Project the features of each nonterminal.",
    reads=(FEATURES_FILE,),
    file=PROJECTIONS_FILE,
    kind=PROJECTIONS,
    version=2,
    shaped_by=sections("svd"),
    work=decompose_all,
    flags=("svd",),
    is_wanted=lambda settings: settings.ensemble.members == 1 and learner_of(settings).needs_projections,
)
