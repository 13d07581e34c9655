"""The table of contexts that a child and its head are seen together with.  A new one is a function and an entry.

Given the state of the head, its word, the child and everything else next to the head do not depend on each other; so
any of it can be what makes hidden states observable (K, Λ and Ω of D12 §3.2, all three from the same arcs).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.config import Table
from lpcfg_cli.dependency.latent.moments import Arcs


@dataclass(frozen=True)
class TreeContext:
    """What counts as the context of an arc.

    Attributes
    ----------
    name : str
        Value of ``dependency.contexts``.
    summary : str
        One line for help pages.
    total : function of (Arcs, vectors) to ndarray
        The sum of the vectors of each arc's context, (n_arcs, m), from those of neighbours of each kind,
        (4, n_words, m).
    """

    name: str
    summary: str
    total: Callable[[Arcs, np.ndarray], np.ndarray]


def _children(arcs: Arcs, vectors: np.ndarray) -> np.ndarray:
    """Sums over the left and the right children of each node, (2, n, m)."""
    sums = np.zeros((2, len(arcs.symbols), vectors.shape[2]))
    for side in (0, 1):
        own = arcs.side == side
        np.add.at(sums[side], arcs.head[own], vectors[side, arcs.symbols[arcs.child[own]]])
    return sums


def _siblings(arcs: Arcs, vectors: np.ndarray) -> np.ndarray:
    """The head's children on the other side."""
    return _children(arcs, vectors)[1 - arcs.side, arcs.head]


def _neighbours(arcs: Arcs, vectors: np.ndarray) -> np.ndarray:
    """The head's other children on both sides, and its own head."""
    around = _children(arcs, vectors).sum(0)
    around[arcs.child] += vectors[2 + arcs.side, arcs.symbols[arcs.head]]
    return around[arcs.head] - vectors[arcs.side, arcs.symbols[arcs.child]]


CONTEXTS: Table[TreeContext] = Table(
    "tree context",
    TreeContext("neighbours", "the head's other children and its own head", _neighbours),
    TreeContext("siblings", "the head's children on the other side (D12)", _siblings),
)
