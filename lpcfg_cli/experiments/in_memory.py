"""The stages before estimation without a run directory: sampled trees → what learners start from."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from lpcfg_cli.config import Settings
from lpcfg_cli.features.templates import choose_templates
from lpcfg_cli.learning.pivot import NodeFeatures
from lpcfg_cli.learning.spectral import project_nodes
from lpcfg_cli.stages.features import describe
from lpcfg_cli.stages.run_directory import projection_arrays
from lpcfg_cli.stages.spectra import ARRAYS, SymbolSpectrum, spectra_from_arrays
from lpcfg_cli.stages.svd import StoredFeatures, project_all
from lpcfg_cli.stages.training_data import TrainingData
from lpcfg_cli.treebank.binary import BinaryTreebank


def prepare(trees: BinaryTreebank, settings: Settings) -> tuple[TrainingData, list[SymbolSpectrum]]:
    """Lexicon, features and projections of binarized trees, and the spectra of the latter.

    Parameters
    ----------
    trees : BinaryTreebank
    settings : Settings
    """
    found = describe(trees, choose_templates(settings.features.templates), settings.lexicon)
    features = NodeFeatures(found.order, found.inside, found.outside)
    projections = project_all(StoredFeatures(*features, settings.features), settings)
    arrays = projection_arrays(projections)
    names = [symbol.name for symbol in trees.symbols]
    examples = np.diff(found.order.row_start)
    spectra = spectra_from_arrays(names, examples, {name: arrays[name].values for name in ARRAYS})
    projected = project_nodes(projections, *features, settings=settings.features)
    made_by = {"binarize": asdict(settings.binarize)}
    return TrainingData(trees, found.entry, found.lexicon, features, projected, made_by, {}), spectra
