"""Compiled pairwise Frank-Wolfe steps: points as mixtures of vertices.

Loop indexes: n: points; h: vertices.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, njit


@njit(**ENTRY)
def pairwise_steps(gram: np.ndarray, linear: np.ndarray, steps: int, gap: float, weights: np.ndarray) -> None:
    """Minimise ½ γᵀGγ − lᵀγ over the simplex, for each point; O(k) a step.

    Parameters
    ----------
    gram : ndarray of float64, shape (k, k)
        G, the products of the vertices with each other.
    linear : ndarray of float64, shape (n, k)
        l, the products of the points with the vertices.
    steps : int
        Largest number of steps.
    gap : float
        Largest optimality gap.
    weights : ndarray of float64, shape (n, k)
        Zeros; overwritten with γ.
    """
    k = gram.shape[0]
    gradient = np.empty(k)
    for n in range(linear.shape[0]):
        own, point = weights[n], linear[n]
        best = 0
        for h in range(1, k):
            if gram[h, h] / 2 - point[h] < gram[best, best] / 2 - point[best]:
                best = h
        own[best] = 1.0
        for h in range(k):
            gradient[h] = gram[best, h] - point[h]
        for _ in range(steps):
            best, worst, lowest, highest = 0, 0, np.inf, -np.inf
            for h in range(k):
                if gradient[h] < lowest:
                    best, lowest = h, gradient[h]
                if own[h] > 0 and gradient[h] > highest:
                    worst, highest = h, gradient[h]
            if highest - lowest <= gap:
                break
            length = gram[best, best] + gram[worst, worst] - 2 * gram[best, worst]
            step = min((highest - lowest) / length, own[worst])
            own[worst] -= step
            own[best] += step
            for h in range(k):
                gradient[h] += step * (gram[best, h] - gram[worst, h])
