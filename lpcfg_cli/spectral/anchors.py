"""Vertices of the convex hull of points, and every point as a mixture of them (CC14 §5.2; Arora et al. 2013)."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.spectral.hull_kernels import pairwise_steps

FLAT = 1e-6
"""Smallest distance of a vertex from the affine span of the vertices before it, as a share of the largest distance from
the first vertex."""

MAX_STEPS = 1000
GAP = 1e-12
"""Optimality gap of the squared distance of a mixture, as a share of the largest squared norm of a vertex."""


def greedy_anchors(points: np.ndarray, k: int) -> np.ndarray:
    """Positions of up to k vertices, each the farthest point from the affine span of those before (step 3); O(n k d).

    The first is the farthest point from the origin.  There are fewer than k if the points span fewer dimensions.

    Parameters
    ----------
    points : ndarray of float64, shape (n, d)
        n ≥ 1.
    k : int

    Returns
    -------
    ndarray of int64, shape (≤ k,)
    """
    chosen = [int((points**2).sum(1).argmax())]
    rest = points - points[chosen[0]]
    least = FLAT**2 * float((rest**2).sum(1).max())
    while len(chosen) < k:
        distance = (rest**2).sum(1)
        farthest = int(distance.argmax())
        if distance[farthest] <= least:
            break
        chosen.append(farthest)
        direction = rest[farthest] / np.sqrt(distance[farthest])
        rest = rest - np.outer(rest @ direction, direction)
    return np.array(chosen)


def hull_weights(points: np.ndarray, vertices: np.ndarray, gap: float = GAP) -> np.ndarray:
    """Weights γ ≥ 0 with Σ γ = 1 that minimise ‖Σ_h γ_h vertex_h − point‖², for every point (step 4).

    The paper's Frank-Wolfe steps move all weights towards one vertex and converge slowly.  The pairwise steps used here
    (Lacoste-Julien and Jaggi 2015) move weight from the worst vertex in use to the best one, by an exact line search,
    and reach the solution.  O(k) a step and point.

    Parameters
    ----------
    points : ndarray of float64, shape (n, d)
    vertices : ndarray of float64, shape (k, d)
    gap : float
        Largest optimality gap, as a share of the largest squared norm of a vertex.

    Returns
    -------
    ndarray of float64, shape (n, k)
    """
    gram, linear = vertices @ vertices.T, points @ vertices.T
    weights = np.zeros((len(points), len(vertices)))
    pairwise_steps(gram, linear, MAX_STEPS, gap * np.diagonal(gram).max(), weights)
    return weights
