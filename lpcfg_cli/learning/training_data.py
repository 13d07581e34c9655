"""The input of every learner: trees, lexicon, features and, for some learners, projected nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lpcfg_cli.features.matrices import NodeFeatures
from lpcfg_cli.grammar.lexicon import Lexicon
from lpcfg_cli.learning.projected_nodes import ProjectedNodes
from lpcfg_cli.treebank.binary import BinaryTreebank


@dataclass(frozen=True)
class TrainingData:
    """Binarized trees with the lexicon, features and projections of their nodes.

    Attributes
    ----------
    trees : BinaryTreebank
    entry : ndarray of int, shape (n_nodes,)
        Entry of each preterminal's word in the lexicon, `NONE` for other nodes.
    lexicon : Lexicon
    features : NodeFeatures
    projected : ProjectedNodes or None
        None unless the learner needs projections.
    settings : dict
        Resolved settings of the earlier stages.
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

    def projections(self) -> ProjectedNodes:
        """The projected nodes, for learners with `needs_projections`."""
        assert self.projected is not None, "a learner that reads projections must set needs_projections"
        return self.projected
