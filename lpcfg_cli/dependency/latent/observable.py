"""Models of dependency trees in observable parameters: a linear map of hidden states (D12 §3.2 and §3.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lpcfg_cli.dependency.latent import tree_kernels
from lpcfg_cli.dependency.latent.model import TreeModel, TreeValues
from lpcfg_cli.dependency.latent.tree_arrays import TreeArrays


@dataclass(frozen=True)
class Observable:
    """The parameters; G = UᵀO is the linear map of the states.

    Attributes
    ----------
    start : ndarray of float64, shape (m,)
        c₁ = Gπ, from the words of roots.
    transitions : ndarray of float64, shape (2, m, m)
        E_L and E_R, E = G T G⁻¹.
    product : ndarray of float64, shape (m, m, m)
        D(v) = G diag(Gᵀv) G⁻¹ is Σ_l v_l ``product[l]``; symmetric in the first two axes.
    weights : ndarray of float64, shape (n_words, m)
        The y of each word with Gᵀy = o(x | ·).
    singular_values : ndarray of float64, shape (m - 1,)
        Of words and their neighbours, without what their frequencies explain; empty if vectors of words were given.
    chance : float
        Singular values up to this one could be due to chance.
    """

    start: np.ndarray
    transitions: np.ndarray
    product: np.ndarray
    weights: np.ndarray
    singular_values: np.ndarray
    chance: float

    @property
    def lacking(self) -> int:
        """Number of dimensions whose singular values could be due to chance."""
        return int(np.count_nonzero(self.singular_values <= self.chance))


@dataclass(frozen=True)
class SpectralTreeModel(TreeModel):
    """A model with observable parameters.

    Attributes
    ----------
    observable : Observable
    """

    observable: Observable

    @property
    def n_states(self) -> int:
        """m."""
        return len(self.observable.start)

    def values(self, trees: TreeArrays) -> TreeValues:
        """As in `TreeModel`; O(m³) for each node."""
        logs, signs, own = np.empty(len(trees)), np.empty(len(trees)), self.observable
        pairs = np.ascontiguousarray(own.product[np.triu_indices(self.n_states)].T)
        parameters = (own.start, own.transitions, pairs, own.weights)
        arrays = (trees.symbols, trees.heads, trees.offsets, trees.order)
        tree_kernels.observable_values(*arrays, *parameters, logs, signs)
        return TreeValues(logs, signs)
