"""The matrix decomposition of pivot learning: Q = Σ_h π(h) r(f | h) s(g | h) → π, r, s (CC14 §5 and §6.2).

Inside and outside features may come from several templates; a node has one value of each template.  The rows and the
columns of Q are then the values of all templates, and Q has a block for each pair of templates.  The entries of a block
sum to the number of nodes.
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
"""Weight of the prior in each feature's posterior, so that no state has probability zero."""

START_GAP = 1e-6
"""Accuracy of p(h | x) in a start of EM."""

EVEN = 0.05
"""Weight of even distributions in a start of EM, so that it can change every parameter."""


@dataclass(frozen=True)
class Side:
    """The inside or the outside features of one nonterminal.

    Attributes
    ----------
    points : ndarray of float64, shape (d, l)
        v: for each feature the mean of the other side's representation, E[φ(G) | f] or E[φ(F) | g].
    count : ndarray of float64, shape (d,)
        Number of nodes with each feature.
    template : ndarray of int, shape (d,)
        Number of each feature's template.
    """

    points: np.ndarray
    count: np.ndarray
    template: np.ndarray


@dataclass(frozen=True)
class Decomposition:
    """The states of one nonterminal a, and the distributions of its features given the states.

    Attributes
    ----------
    states : ndarray of float64, shape (m,)
        π(h) = p(h | a).
    inside : ndarray of float64, shape (d, m)
        r(f | h) / p(f) = p(h | f) / π(h).  The factor 1 / p(f) changes neither posteriors nor maxima.
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
    """Find the states of one nonterminal by the algorithm of CC14 Fig. 2.

    Parameters
    ----------
    joint : sparse array, shape (d, d')
        Q, as counts.
    inside, outside : Side
        The features of the d rows and of the d' columns.
    m : int
        Largest number of states; there are fewer if either side has fewer anchors.
    least_count : float
        Smallest count of an anchor: the points of rarer features can lie outside the hull by chance.
    convex : Convex
        When the EM that aligns inside and outside states ends.
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
    """Positions of up to m pivot features among those with `least_count`; int64, shape (≤ m,)."""
    candidates = np.flatnonzero(side.count >= min(least_count, side.count.max()))
    return candidates[greedy_anchors(side.points[candidates], m)]


def anchor_posterior(points: np.ndarray, count: np.ndarray, m: int, least_count: float) -> np.ndarray:
    """A start of EM: the states p(h | x) of symbols x, where an anchor is a symbol that only one state emits.

    Parameters
    ----------
    points : ndarray of float64, shape (n_symbols, l)
        Where a symbol's point is the mean of its states' points.
    count : ndarray of float64, shape (n_symbols,)
    m : int
        Number of anchors; there are fewer if too few symbols are frequent enough.
    least_count : float
        Smallest count of an anchor, at least 1.

    Returns
    -------
    ndarray of float64, shape (n_symbols, ≤ m)
        With a share `EVEN` of even distributions.
    """
    anchors = find_anchors(Side(points, count, np.zeros(len(count), np.int64)), m, max(least_count, 1))
    posterior = hull_weights(points, points[anchors], START_GAP)
    return (1 - EVEN) * posterior + EVEN / len(anchors)


def _distributions(posterior: np.ndarray, side: Side) -> tuple[np.ndarray, np.ndarray]:
    """π(h), shape (m,), and p(h | f) / π(h), shape (d, m), from p(h | f), shape (d, m).

    The π(h) returned is the mean over all templates.  The divisor is π(h) of f's own template, so that r(f | h) sums to
    1 over the features of the template.
    """
    weighted = posterior * side.count[:, None]
    states = weighted.sum(0) / side.count.sum()
    kept = (1 - FLOOR) * posterior + FLOOR * states
    n_templates = int(side.template.max()) + 1
    size = np.bincount(side.template, weights=side.count, minlength=n_templates)
    mass = np.stack([np.bincount(side.template, column, n_templates) for column in (kept * side.count[:, None]).T], 1)
    mean = mass / np.maximum(size, 1)[:, None]
    return states, kept / mean[side.template]


def align(joint: sparse.csr_array, posterior: np.ndarray, columns: np.ndarray, convex: Convex) -> np.ndarray:
    """Align outside states with inside states: t(h' | h), by EM on the concave Eq. 3 (step 3).

    The sum is over all pairs of templates, that is over all entries of Q.  O(nnz(Q) m m') a step.

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
