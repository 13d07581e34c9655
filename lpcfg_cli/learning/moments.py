"""Projected nodes: what the spectral estimates are averages of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


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
    """

    inside: np.ndarray
    outside: np.ndarray
    n_states: np.ndarray
