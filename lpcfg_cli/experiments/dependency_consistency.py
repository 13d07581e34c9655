"""consistency of models of dependency trees: sampled trees → the error of each learner as the samples grow.

If emissions and transitions have full rank, the error of spectral estimates falls like M^(−1/2) (D12, Theorem 3.1);
otherwise it does not.  The estimator is that of the theorem: no regression is drawn to independence; EM has no prior.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

import numpy as np

from lpcfg_cli.config import DependencyModelSettings, Settings
from lpcfg_cli.dependency.latent.known import AllTrees, all_trees, known_tree_model, sample_trees
from lpcfg_cli.dependency.latent.learner import TreeData, TreeLearnt
from lpcfg_cli.dependency.latent.learners import TREE_LEARNERS, learn_trees
from lpcfg_cli.dependency.latent.model import HiddenTreeModel, TreeModel
from lpcfg_cli.dependency.latent.observable import SpectralTreeModel
from lpcfg_cli.experiments.consistency import EM_TOLERANCE
from lpcfg_cli.experiments.known_models import KnownModel, run_known_models
from lpcfg_cli.spectral.spectra import RankWarning


class KnownTreeModel(KnownModel):
    """A known model of dependency trees; errors are summed over trees of few words."""

    LEARNERS = TREE_LEARNERS
    SETTING = "dependency_learners"
    model: HiddenTreeModel

    @cached_property
    def trees(self) -> AllTrees:
        """All trees of few words."""
        return all_trees(self.model, self.settings.consistency.words)

    def known(self) -> HiddenTreeModel:
        """As in `KnownModel`."""
        return known_tree_model(self.name)

    def values(self, model: TreeModel) -> np.ndarray:
        """As in `KnownModel`."""
        return probabilities(model, self.trees)

    def sample(self, size: int, rng: np.random.Generator) -> TreeData:
        """As in `KnownModel`."""
        return sample_trees(self.model, self.trees, size, rng)

    def learn(self, data: TreeData, learner: str, seed: int) -> TreeLearnt:
        """As in `KnownModel`."""
        return learn_trees(data, theory_settings(self.settings, learner, self.model.n_states), seed)

    def warnings(self, model: Any, size: int) -> list[RankWarning]:
        """As in `KnownModel`."""
        if not isinstance(model, SpectralTreeModel) or not model.observable.lacking:
            return []
        own = model.observable
        rank = len(own.singular_values) - own.lacking
        ratio = float(own.singular_values[rank] / own.singular_values[0])
        return [RankWarning("neighbours", size, rank + 1, model.n_states, ratio)]


def probabilities(model: TreeModel, every: AllTrees) -> np.ndarray:
    """p̂ of all trees and their structures together, of any sign, float64, shape (n_trees,)."""
    found = model.values(every.trees)
    return found.signs * np.exp(found.logs) * every.structure


def theory_settings(settings: Settings, learner: str, states: int) -> DependencyModelSettings:
    """The settings of the theorem's estimator."""
    return DependencyModelSettings(
        learner=learner,
        states=states,
        rare_below=1,
        contexts=settings.dependency.contexts,
        kappa=0.0,
        ridge=0.0,
        floor=0.0,
        prior=0.0,
        iterations=settings.consistency.iterations,
        tolerance=EM_TOLERANCE,
        spread=2.0,
        anchor_count=1,
    )


run_dependency_consistency = partial(run_known_models, KnownTreeModel)
