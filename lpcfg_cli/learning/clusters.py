"""States found by clustering projected nodes: a start for EM from the same projections as spectral learning.

Not in the papers: k-means over each nonterminal's concatenated inside and outside projections gives every node of the
treebank one state.  Relative frequencies of rules with states are then the parameters.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from lpcfg_cli.arrays.streams import Purpose, stream
from lpcfg_cli.config import Settings
from lpcfg_cli.learning.em_steps import REFINING, Start, fit_by_em
from lpcfg_cli.learning.learner import Learner, LearningContext, Learnt
from lpcfg_cli.learning.projected_nodes import ProjectedNodes
from lpcfg_cli.learning.rule_table import RuleParameters, RuleTable, maximise, rule_table
from lpcfg_cli.learning.training_data import TrainingData
from lpcfg_cli.spectral.k_means import k_means
from lpcfg_cli.treebank.binary import NONE, UNARY, BinaryTreebank


def cluster_nodes(
    symbol: np.ndarray, projected: ProjectedNodes, seed: int, weight: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Assign a state to every node by k-means, with at most m_a states for each symbol a.

    Parameters
    ----------
    symbol : ndarray of int, shape (n_nodes,)
    projected : ProjectedNodes
    seed : int
        Seed of the random streams, one for each nonterminal.
    weight : ndarray of float64, shape (n_nodes,), optional
        How often each node counts; by default once.

    Returns
    -------
    state : ndarray of int64, shape (n_nodes,)
    n_states : ndarray of int32, shape (n_symbols,)
        Number of states in use of each symbol, at least 1.
    """
    n_symbols = len(projected.n_states)
    state = np.zeros(len(symbol), np.int64)
    n_states = np.ones(n_symbols, np.int32)
    order = np.argsort(symbol, kind="stable")
    groups = np.split(order, np.cumsum(np.bincount(symbol, minlength=n_symbols))[:-1])
    for a, nodes in enumerate(groups):
        if len(nodes):
            points = _unit_rows((projected.inside[nodes], projected.outside[nodes]), projected.n_states[a])
            own_seed = int(stream(seed, Purpose.CLUSTERS, a).integers(2**32))
            own_weight = None if weight is None else weight[nodes]
            found = k_means(points, int(projected.n_states[a]), own_seed, own_weight)
            kept, numbers = np.unique(found, return_inverse=True)
            state[nodes], n_states[a] = numbers, len(kept)
    return state, n_states


def _unit_rows(sides: Iterable[np.ndarray], m: int) -> np.ndarray:
    """The first m columns of each side, rows scaled to length 1, side by side; shape (n, 2m)."""
    cut = [side[:, :m] for side in sides]
    lengths = [np.linalg.norm(side, axis=1, keepdims=True) for side in cut]
    return np.hstack([side / np.where(length > 0, length, 1) for side, length in zip(cut, lengths, strict=True)])


def count_states(trees: BinaryTreebank, table: RuleTable, state: np.ndarray) -> RuleParameters:
    """Count the occurrences of each rule with each combination of states, and of each state at the root.

    Parameters
    ----------
    trees : BinaryTreebank
    table : RuleTable
        With the numbers of states that `cluster_nodes` returned together with `state`.
    state : ndarray of int64, shape (n_nodes,)
    """
    of_child = np.append(state, 0)  # index NONE, -1, is the last entry: an absent child
    is_unary = trees.kind == UNARY
    left = of_child[np.where(is_unary, NONE, trees.left)]
    right = of_child[np.where(is_unary, trees.left, trees.right)]
    shape = table.shape[table.node_rule]
    place = table.start[table.node_rule] + (state * shape[:, 1] + left) * shape[:, 2] + right
    weight = trees.node_weight()
    rules = np.bincount(place, weight, int(table.start[-1]))
    roots = np.flatnonzero(trees.parent == NONE)
    root_place = table.state_start[trees.symbol[roots]] + state[roots]
    return RuleParameters(np.bincount(root_place, weight[roots], int(table.state_start[-1])), rules)


def fit_clusters(data: TrainingData, settings: Settings, context: LearningContext) -> Learnt:
    """EM from the states that k-means finds; takes at most ``em.refine`` steps."""
    state, n_states = cluster_nodes(data.trees.symbol, data.projections(), settings.seed, data.trees.node_weight())
    table = rule_table(data.trees, data.entry, n_states)
    start = Start(table, lambda: maximise(table, count_states(data.trees, table, state), settings.em.prior))
    return fit_by_em(data, settings, context, CLUSTER, start, settings.em.refine)


CLUSTER = Learner(
    name="cluster",
    summary="EM from states that k-means finds among projected nodes",
    fit=fit_clusters,
    shaped_by={"em": REFINING},
    needs_projections=True,
    # k-means then separates the states less sharply, and EM from there gains 1 F1
    projects_as_decomposed=True,
    takes_em_steps=True,
)
