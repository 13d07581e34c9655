"""Inside and outside projections of all nodes; spectral estimates are averages over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpcfg_cli.config import FeatureSettings
from lpcfg_cli.features.matrices import NodeFeatures
from lpcfg_cli.spectral.projection import Projection

if TYPE_CHECKING:
    from scipy import sparse

    Pair = tuple[sparse.csr_array, sparse.csr_array]


@dataclass(frozen=True)
class ProjectedNodes:
    """Inside and outside projections of all nodes, padded with zeros to the largest m.

    Attributes
    ----------
    inside : ndarray of float64, shape (n_nodes, m)
        Y of each node's inside tree.
    outside : ndarray of float64, shape (n_nodes, m)
        Z of each node's outside tree.
    n_states : ndarray of int32, shape (n_symbols,)
        m_a; further columns of a node of symbol a are zero.
    """

    inside: np.ndarray
    outside: np.ndarray
    n_states: np.ndarray


def project_nodes(
    projections: Sequence[Projection],
    features: NodeFeatures,
    settings: FeatureSettings,
    seen: Callable[[Pair, int], Pair] = lambda pair, symbol: pair,
) -> ProjectedNodes:
    """Compute Y = Uᵀφ and Z = Σ⁻¹Vᵀψ of every node (C13 §2.2.1, step 3).

    Parameters
    ----------
    projections : sequence of Projection
        One for each symbol.
    features : NodeFeatures
    settings : FeatureSettings
    seen : function of ((φ, ψ), symbol)
        Changes the feature matrices of a symbol before they are projected.
    """
    order, phi, psi = features
    n_states = np.array([projection.n_states for projection in projections], np.int32)
    shape = (len(order.node), int(n_states.max()))
    inside, outside = np.zeros(shape), np.zeros(shape)
    for symbol, projection in enumerate(projections):
        nodes = order.node[order.row_start[symbol] : order.row_start[symbol + 1]]
        m = projection.n_states
        own, others = seen((phi.matrix(symbol, order, settings), psi.matrix(symbol, order, settings)), symbol)
        inside[nodes, :m] = own @ projection.inside
        outside[nodes, :m] = others @ projection.outside / projection.singular_values
    return ProjectedNodes(inside, outside, n_states)
