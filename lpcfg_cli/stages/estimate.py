"""estimate: trees, features and projections → ``model.lpcfg.npz``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.config import FeatureSettings, Settings
from lpcfg_cli.grammar.model import DENSE
from lpcfg_cli.learning.spectral import estimate, project_nodes
from lpcfg_cli.stages.journal import logged_stage
from lpcfg_cli.stages.run_directory import (
    FEATURES,
    FEATURES_FILE,
    MODEL_FILE,
    PROJECTIONS,
    PROJECTIONS_FILE,
    SYMBOLS_FILE,
    TREES_FILE,
    features_from_arrays,
    lexicon_from_arrays,
    load_binary_trees,
    projections_from_arrays,
    save_model,
)
from lpcfg_cli.storage.artefacts import check_parents, read_arrays
from lpcfg_cli.storage.files import sha256_of_file
from lpcfg_cli.treebank.progress import Progress, no_progress


@dataclass(frozen=True)
class EstimateReport:
    """Size of the model.

    Attributes
    ----------
    binary_rules, unary_rules, lexical_rules : int
    dense_rules : int
        Binary rules whose tensor is stored densely; the others are sums of outer products.
    parameters : int
        Numbers in the model.
    bytes : int
        Size of the model file.
    """

    binary_rules: int
    unary_rules: int
    lexical_rules: int
    dense_rules: int
    parameters: int
    bytes: int


def run_estimate(run: Path, settings: Settings, progress: Progress = no_progress) -> EstimateReport:
    """Estimate the parameters and write the model file.

    Parameters
    ----------
    run : Path
        A run directory with the output of ``lpcfg svd``.
    settings : Settings
    progress : Progress
        Sees the binary rules.
    """
    with logged_stage(run, "estimate"):
        tree_header, trees = load_binary_trees(run)
        header, arrays = read_arrays(run / FEATURES_FILE, FEATURES)
        projection_header, projection_data = read_arrays(run / PROJECTIONS_FILE, PROJECTIONS)
        check_parents(run / FEATURES_FILE, FEATURES, header)
        check_parents(run / PROJECTIONS_FILE, PROJECTIONS, projection_header)
        order, phi, psi = features_from_arrays(arrays)
        projections = projections_from_arrays(projection_data)
        projected = project_nodes(projections, order, phi, psi, FeatureSettings(**header.settings["features"]))
        lexicon = lexicon_from_arrays(arrays, header.settings)
        grammar = estimate(trees, arrays["node_entry"], projected, lexicon, settings.estimate, progress)
        inputs = {
            name: sha256_of_file(run / name) for name in (TREES_FILE, SYMBOLS_FILE, FEATURES_FILE, PROJECTIONS_FILE)
        }
        # the model tells how it was made, from the first stage on
        made_by = {**tree_header.settings, **header.settings, **projection_header.settings}
        made_by |= {**estimate_settings(settings), "parse": asdict(settings.parse)}
        save_model(run / MODEL_FILE, grammar, made_by, settings.seed, inputs)
    return EstimateReport(
        len(grammar.binary),
        len(grammar.unary),
        len(grammar.lexical),
        int(np.count_nonzero(grammar.binary.rank == DENSE)),
        grammar.n_parameters,
        (run / MODEL_FILE).stat().st_size,
    )


def estimate_settings(settings: Settings) -> dict[str, Any]:
    """The settings that shape this stage's output."""
    return {"estimate": asdict(settings.estimate)}
