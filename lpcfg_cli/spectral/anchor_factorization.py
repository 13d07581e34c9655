"""The matrix decomposition of pivot learning: Q = Σ_h π(h) r(f | h) s(g | h) → π, r, s (CC14 §5 and §6.2).

Inside and outside features may come from several templates; a node has one value of each.  Rows and columns of Q
then stand for the values of all templates, and each pair of templates has a block whose numbers sum to the number
of nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpcfg_cli.em.mixture import Convex, conditional_weights
from lpcfg_cli.spectral.anchors import greedy_anchors, hull_weights

if TYPE_CHECKING:
    from scipy import sparse

FLOOR = 1e-6
"""Share of each feature's posterior that is the prior: no state is ever ruled out for sure."""


@dataclass(frozen=True)
class Side:
    """The inside or the outside features of one nonterminal.

    Attributes
    ----------
    points : ndarray of float64, shape (d, l)
        v: for each feature the mean of the other side's representation, E[φ(G) | f] or E[φ(F) | g].
    count : ndarray of float64, shape (d,)
    template : ndarray of int, shape (d,)
        Number of the template that each feature is a value of.
    """

    points: np.ndarray
    count: np.ndarray
    template: np.ndarray


@dataclass(frozen=True)
class Decomposition:
    """What the features of one nonterminal tell of its states.

    Attributes
    ----------
    states : ndarray of float64, shape (m,)
        π(h) = p(h | a).
    inside : ndarray of float64, shape (d, m)
        r(f | h) / p(f) = p(h | f) / π(h).  Dividing by p(f) changes no posterior and no maximum.
    outside : ndarray of float64, shape (d', m)
        s(g | h) / p(g).
    """

    states: np.ndarray
    inside: np.ndarray
    outside: np.ndarray

    @property
    def n_states(self) -> int:
        """m_a."""
        return len(self.states)


def decompose(
    joint: sparse.csr_array, inside: Side, outside: Side, m: int, least_count: float, convex: Convex
) -> Decomposition:
    """The algorithm of CC14 Fig. 2.

    Parameters
    ----------
    joint : sparse array, shape (d, d')
        Q, as counts.
    inside, outside : Side
        Of the d rows and the d' columns.
    m : int
        States wanted; there are fewer if either side has fewer anchors.
    least_count : float
        How often a feature must occur to be an anchor: the points of rare ones lie out of the hull by chance.
    convex : Convex
        How long EM aligns the states.
    """
    anchors = [find_anchors(side, m, least_count) for side in (inside, outside)]
    m = min(map(len, anchors))
    if m == 1:
        return Decomposition(np.ones(1), np.ones((joint.shape[0], 1)), np.ones((joint.shape[1], 1)))
    posterior, other = (
        hull_weights(side.points, side.points[chosen[:m]])
        for side, chosen in zip((inside, outside), anchors, strict=True)
    )
    states, rows = _distributions(posterior, inside)
    _, columns = _distributions(other, outside)
    return Decomposition(states, rows, columns @ align(joint, posterior, columns, convex).T)


def find_anchors(side: Side, m: int, least_count: float) -> np.ndarray:
    """Positions of up to m pivot features among those that are frequent enough."""
    candidates = np.flatnonzero(side.count >= min(least_count, side.count.max()))
    return candidates[greedy_anchors(side.points[candidates], m)]


def _distributions(posterior: np.ndarray, side: Side) -> tuple[np.ndarray, np.ndarray]:
    """π(h), the mean of all templates, and p(h | f) / π(h) with π that of f's template: r(f | h) sums to 1 over it."""
    weighted = posterior * side.count[:, None]
    states = weighted.sum(0) / side.count.sum()
    kept = (1 - FLOOR) * posterior + FLOOR * states
    n_templates = int(side.template.max()) + 1
    size = np.bincount(side.template, weights=side.count, minlength=n_templates)
    mass = np.stack([np.bincount(side.template, column, n_templates) for column in (kept * side.count[:, None]).T], 1)
    mean = mass / np.maximum(size, 1)[:, None]
    return states, kept / mean[side.template]


def align(joint: sparse.csr_array, posterior: np.ndarray, columns: np.ndarray, convex: Convex) -> np.ndarray:
    """t(h' | h): which outside state each inside state is, by EM on the concave Eq. 3 (step 3).

    The sum runs over all pairs of templates: over all numbers of Q.

    Parameters
    ----------
    joint : sparse array, shape (d, d')
    posterior : ndarray of float64, shape (d, m)
        r(h | f).
    columns : ndarray of float64, shape (d', m')
        s(g | h') / p(g).
    convex : Convex

    Returns
    -------
    ndarray of float64, shape (m, m')
        Rows sum to 1.
    """
    pairs = joint.tocoo()
    return conditional_weights(posterior[pairs.row], columns[pairs.col], pairs.data, convex)
