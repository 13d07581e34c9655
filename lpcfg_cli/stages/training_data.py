"""What every learner starts from: the trees, lexicon, features and, if asked for, projections of a run directory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.config import FeatureSettings, SvdSettings
from lpcfg_cli.grammar.lexicon import Lexicon
from lpcfg_cli.learning.moments import ProjectedNodes
from lpcfg_cli.learning.pivot import NodeFeatures
from lpcfg_cli.learning.spectral import project_nodes
from lpcfg_cli.spectral.projection import perturbed
from lpcfg_cli.stages.run_directory import (
    FEATURES,
    FEATURES_FILE,
    PROJECTIONS,
    PROJECTIONS_FILE,
    SYMBOLS_FILE,
    TREES_FILE,
    features_from_arrays,
    lexicon_from_arrays,
    load_binary_trees,
    projections_from_arrays,
)
from lpcfg_cli.storage.artefacts import check_parents, read_arrays
from lpcfg_cli.storage.files import sha256_of_file
from lpcfg_cli.treebank.binary import BinaryTreebank


@dataclass(frozen=True)
class TrainingData:
    """The contents of a run directory before its model is made.

    Attributes
    ----------
    trees : BinaryTreebank
    entry : ndarray of int32, shape (n_nodes,)
        Entry of each preterminal's word in the lexicon.
    lexicon : Lexicon
    features : NodeFeatures
    projected : ProjectedNodes or None
        For learners that want it.
    settings : dict
        Those of the stages so far.
    inputs : dict of str to str
        SHA-256 of each file read.
    """

    trees: BinaryTreebank
    entry: np.ndarray
    lexicon: Lexicon
    features: NodeFeatures
    projected: ProjectedNodes | None
    settings: dict[str, Any]
    inputs: dict[str, str]


def load_training_data(run: Path, with_projections: bool, as_decomposed: bool = False) -> TrainingData:
    """Read the files of a run directory that come before its model.

    Parameters
    ----------
    run : Path
    with_projections : bool
        Whether the learner wants them.
    as_decomposed : bool
        Project the features as they were when the SVD saw them, with what was left out of them, if anything was.

    Raises
    ------
    InputError, ArtefactError
        One is missing, cannot be used, or was made from other files than those beside it.
    """
    tree_header, trees = load_binary_trees(run)
    header, arrays = read_arrays(run / FEATURES_FILE, FEATURES)
    check_parents(run / FEATURES_FILE, FEATURES, header)
    settings = {**tree_header.settings, **header.settings}
    names = [TREES_FILE, SYMBOLS_FILE, FEATURES_FILE]
    features = NodeFeatures(*features_from_arrays(arrays))
    projected = None
    if with_projections:
        projection_header, projection_data = read_arrays(run / PROJECTIONS_FILE, PROJECTIONS)
        check_parents(run / PROJECTIONS_FILE, PROJECTIONS, projection_header)
        scaling = FeatureSettings(**header.settings["features"])
        svd = SvdSettings(**projection_header.settings["svd"]) if as_decomposed else SvdSettings()
        projected = project_nodes(
            projections_from_arrays(projection_data),
            *features,
            settings=scaling,
            seen=lambda pair, symbol: perturbed(pair, svd, projection_header.seed, symbol),
        )
        settings |= projection_header.settings
        names.append(PROJECTIONS_FILE)
    return TrainingData(
        trees,
        arrays["node_entry"],
        lexicon_from_arrays(arrays, header.settings),
        features,
        projected,
        settings,
        {name: sha256_of_file(run / name) for name in names},
    )
