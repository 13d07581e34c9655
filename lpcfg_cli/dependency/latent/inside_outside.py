"""EM for models of dependency trees with hidden states, in the form that the loop of EM takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lpcfg_cli.config import DependencyModelSettings
from lpcfg_cli.dependency.latent import tree_kernels
from lpcfg_cli.dependency.latent.learner import TreeData, TreeLearnt
from lpcfg_cli.dependency.latent.model import HiddenTreeModel, TreeParameters
from lpcfg_cli.dependency.latent.tree_arrays import TreeArrays
from lpcfg_cli.em.checkpoint import Checkpoint
from lpcfg_cli.em.dirichlet import log_column_prior, log_row_prior, normalised_columns, normalised_rows
from lpcfg_cli.em.loop import Expectation
from lpcfg_cli.em.monitor import OnStep, Stopping
from lpcfg_cli.em.run import run_em
from lpcfg_cli.errors import NumericalError

EVERY = 1
"""Steps between two dev scores."""


@dataclass(frozen=True)
class InsideOutside:
    """EM for all parameters, with Dirichlet priors.

    Attributes
    ----------
    trees : TreeArrays
    weights : ndarray of float64, shape (n_trees,)
        How often each tree counts.
    prior : float
        κ: π and the transitions of a state on each side have κ / m counts of each state, the emissions of a state
        κ p(x) counts of each symbol.
    frequency : ndarray of float64, shape (n_words,)
        p(x).
    """

    trees: TreeArrays
    weights: np.ndarray
    prior: float
    frequency: np.ndarray

    def expect(self, parameters: TreeParameters) -> Expectation[TreeParameters]:
        """The E-step; raises `NumericalError` if a tree has probability zero."""
        arrays = (parameters.initial, parameters.transitions, parameters.emission)
        counts = TreeParameters(*(np.zeros_like(array) for array in arrays))
        trees = self.trees
        likelihood = tree_kernels.expect_trees(
            trees.symbols,
            trees.heads,
            trees.offsets,
            trees.order,
            self.weights,
            parameters.initial[0],
            parameters.transitions,
            parameters.emission,
            counts.initial[0],
            counts.transitions,
            counts.emission,
        )
        if not np.isfinite(likelihood):
            raise NumericalError("EM: a tree has probability zero. Give --prior above 0, or fewer states.")
        return Expectation(counts, likelihood)

    def maximise(self, counts: TreeParameters) -> TreeParameters:
        """The M-step; the counts are overwritten."""
        rows = normalised_rows(_as_rows(counts.transitions), self.prior)
        return TreeParameters(
            normalised_rows(counts.initial, self.prior),
            rows.reshape(counts.transitions.shape),
            normalised_columns(counts.emission, self.prior, self.frequency),
        )

    def log_prior(self, parameters: TreeParameters) -> float:
        """Logarithm of the density of the priors, up to a constant."""
        rows = sum(log_row_prior(r, self.prior) for r in (parameters.initial, _as_rows(parameters.transitions)))
        return rows + log_column_prior(parameters.emission, self.prior, self.frequency)


def _as_rows(transitions: np.ndarray) -> np.ndarray:
    return transitions.reshape(-1, transitions.shape[2])


def run_inside_outside(
    data: TreeData, start: TreeParameters, settings: DependencyModelSettings, on_step: OnStep
) -> TreeLearnt:
    """EM until the dev perplexity, or without dev trees the bound, stops improving.

    Raises
    ------
    NumericalError
        A tree has probability zero, or a step lowered the bound.
    """
    frequency, dev = data.frequency, data.dev
    model = InsideOutside(data.trees, data.weights, settings.prior, frequency)

    def score(parameters: TreeParameters) -> float:
        assert dev is not None
        return float(parameters.log_probabilities(dev).sum()) / len(dev.symbols)

    stopping = Stopping(
        settings.iterations, EVERY, settings.patience, settings.tolerance, None if dev is None else score
    )
    state = run_em(model, lambda: start, stopping, Checkpoint(None, TreeParameters, {}, {}, 0, {}), on_step)
    found = HiddenTreeModel(data.vocabulary, frequency, settings.symbols, state.best)
    return TreeLearnt(found, state.records, state.chosen.iteration)
