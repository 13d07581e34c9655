"""Clusters of points by k-means, the same for the same seed on any machine."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.execution.environment import single_threaded

MAX_ROUNDS = 30
"""Largest number of rounds of k-means."""


def k_means(points: np.ndarray, k: int, seed: int, weight: np.ndarray | None = None) -> np.ndarray:
    """Cluster points by Lloyd's algorithm from a k-means++ start; O(n k d) a round.

    Parameters
    ----------
    points : ndarray of float64, shape (n, d)
    k : int
    seed : int
        Below 2³².
    weight : ndarray of float64, shape (n,), optional
        How often each point counts; by default once.

    Returns
    -------
    ndarray of int32, shape (n,)
        Cluster of each point, from 0 … k − 1; some clusters may be empty when there are few points or some coincide.
    """
    from sklearn.cluster import KMeans, kmeans_plusplus  # here, since it takes a second to import

    with single_threaded():  # otherwise the order of summation would depend on which thread ends first
        drawn, _ = kmeans_plusplus(points, min(k, len(points)), sample_weight=weight, random_state=seed)
        centres = np.unique(drawn, axis=0)
        rounds = KMeans(len(centres), init=centres, n_init=1, max_iter=MAX_ROUNDS, tol=0, algorithm="lloyd")
        return rounds.fit_predict(points, sample_weight=weight)
