"""The interface of learners of models of dependency trees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.config import DependencyModelSettings
from lpcfg_cli.dependency.latent.model import TreeModel
from lpcfg_cli.dependency.latent.tree_arrays import TreeArrays
from lpcfg_cli.em.learnt import LearntModel
from lpcfg_cli.em.monitor import OnStep
from lpcfg_cli.text.vocabulary import UNKNOWN, Vocabulary


@dataclass(frozen=True)
class TreeData:
    """What models are learnt from.

    Attributes
    ----------
    vocabulary : Vocabulary
    trees : TreeArrays
    weights : ndarray of float64, shape (n_trees,)
        How often each tree counts in moments; 1 in treebanks.
    n_rare : int
        Number of different symbols that were replaced by ``<unk>``.
    dev : TreeArrays or None
        On which the number of EM steps is chosen.
    """

    vocabulary: Vocabulary
    trees: TreeArrays
    weights: np.ndarray
    n_rare: int = 0
    dev: TreeArrays | None = None

    @property
    def counts(self) -> np.ndarray:
        """How often each symbol occurs, float64, shape (n_words,)."""
        weights = np.repeat(self.weights, np.diff(self.trees.offsets))
        return np.bincount(self.trees.symbols, weights, len(self.vocabulary))

    @property
    def frequency(self) -> np.ndarray:
        """Share of each symbol; ``<unk>``, if it does not occur, counts once, or as the rarest does."""
        counts = self.counts
        counts[UNKNOWN] = max(counts[UNKNOWN], min(1.0, counts[counts > 0].min()))
        return counts / counts.sum()


TreeLearnt = LearntModel[TreeModel]


@dataclass(frozen=True)
class TreeLearner:
    """A method that estimates a model of dependency trees.

    Attributes
    ----------
    name : str
        Value of ``dependency.learner``.
    summary : str
        One line for help pages.
    fit : function of (TreeData, DependencyModelSettings, seed, on_step) to TreeLearnt
    takes_em_steps : bool
    """

    name: str
    summary: str
    fit: Callable[[TreeData, DependencyModelSettings, int, OnStep], TreeLearnt]
    takes_em_steps: bool = False
