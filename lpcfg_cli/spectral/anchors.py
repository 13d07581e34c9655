"""Vertices of the convex hull of points, and every point as a mixture of them (CC14 §5.2; Arora et al. 2013)."""

from __future__ import annotations

import numpy as np

FLAT = 1e-6
"""Smallest distance of a vertex from the affine span of the vertices before it, as a share of the largest distance from
the first vertex."""

MAX_STEPS = 1000
GAP = 1e-12
"""Largest optimality gap of the squared distance of a mixture, as a share of the largest squared norm of a vertex."""


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


def hull_weights(points: np.ndarray, vertices: np.ndarray) -> np.ndarray:
    """Weights γ ≥ 0 with Σ γ = 1 that minimise ‖Σ_h γ_h vertex_h − point‖², for every point (step 4).

    The paper's Frank-Wolfe steps move all weights towards one vertex and converge slowly.  The pairwise steps used here
    (Lacoste-Julien and Jaggi 2015) move weight from the worst vertex in use to the best one, by an exact line search,
    and reach the solution.  All points take a step at the same time: O(n k²) a step.

    Parameters
    ----------
    points : ndarray of float64, shape (n, d)
    vertices : ndarray of float64, shape (k, d)

    Returns
    -------
    ndarray of float64, shape (n, k)
    """
    gram, linear = vertices @ vertices.T, points @ vertices.T
    square = np.diagonal(gram)
    weights = np.zeros((len(points), len(vertices)))
    weights[np.arange(len(points)), (square / 2 - linear).argmin(1)] = 1.0
    moving = np.arange(len(points))
    for _ in range(MAX_STEPS):
        own = weights[moving]
        gradient = own @ gram - linear[moving]
        best, worst = gradient.argmin(1), np.where(own > 0, gradient, -np.inf).argmax(1)
        rows = np.arange(len(moving))
        gap = gradient[rows, worst] - gradient[rows, best]
        is_moving = gap > GAP * square.max()
        if not is_moving.any():
            break
        moving, best, worst, gap = (values[is_moving] for values in (moving, best, worst, gap))
        length = square[best] + square[worst] - 2 * gram[best, worst]
        step = np.minimum(gap / length, weights[moving, worst])
        weights[moving, worst] -= step
        weights[moving, best] += step
    return weights
