"""What every learner starts from: trees, lexicon, features and, for some, projected nodes."""

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
    """Binarized trees and what is known of their nodes.

    Attributes
    ----------
    trees : BinaryTreebank
    entry : ndarray of int, shape (n_nodes,)
        Entry of each preterminal's word in the lexicon, `NONE` for other nodes.
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

    def projections(self) -> ProjectedNodes:
        """The projected nodes, for learners that asked for them."""
        assert self.projected is not None, "a learner that needs projections says so"
        return self.projected
