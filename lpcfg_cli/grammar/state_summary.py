"""What the nodes of each latent state of a nonterminal have in common: words, rules, contexts, examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.treebank.binary import BINARY, LEXICAL, NONE, UNARY, BinaryTreebank

HERE = "_"
"""Stands for the node itself in its context."""

LONGEST_EXAMPLE = 12
"""Largest number of words of an example."""


@dataclass(frozen=True)
class StateSummary:
    """A latent state, or one end of a projected dimension.

    Attributes
    ----------
    name : str
        Its number; of a dimension with ``+`` or ``-``.
    share : float
        Share of the nonterminal's nodes that are in it.
    words, rules, contexts : list of (str, float)
        Heads of the nodes, the rules below them, and what stands around them, with their share in this state; those
        come first whose share differs most from that among all nodes, weighted by the share.
    examples : list of str
        Words of nodes that are in it most certainly.
    """

    name: str
    share: float
    words: list[tuple[str, float]]
    rules: list[tuple[str, float]]
    contexts: list[tuple[str, float]]
    examples: list[str]


def summarise(
    trees: BinaryTreebank, nodes: np.ndarray, weights: np.ndarray, names: Sequence[str], most: int = 8
) -> list[StateSummary]:
    """Summaries of the states of some nodes.

    Parameters
    ----------
    trees : BinaryTreebank
    nodes : ndarray of int, shape (n,)
    weights : ndarray of float64, shape (n, k)
        How far each node is in each state.
    names : sequence of str
        Names of the k states.
    most : int
        Largest number of words, rules and contexts of a state.

    Returns
    -------
    list of StateSummary
        In the order of the names.
    """
    facts = [list(map(describe, nodes)) for describe in (_Word(trees), _Rule(trees), _Context(trees))]
    tables = [_Table(fact, weights) for fact in facts]
    total = weights.sum(0)
    found = []
    for state, name in enumerate(names):
        words, rules, contexts = (table.distinctive(state, most) for table in tables)
        best = nodes[np.argsort(-weights[:, state], kind="stable")]
        shares = float(total[state] / len(nodes))
        found.append(StateSummary(name, shares, words, rules, contexts, _examples(trees, best)))
    return found


class _Table:
    """Weight of each value of a fact in each state."""

    def __init__(self, facts: Sequence[str], weights: np.ndarray):
        position: dict[str, int] = {}
        number = np.array([position.setdefault(fact, len(position)) for fact in facts])
        self.names = list(position)
        self.weight = np.zeros((len(self.names), weights.shape[1]))
        np.add.at(self.weight, number, weights)
        self.overall = np.bincount(number, minlength=len(self.names)) / len(facts)

    def distinctive(self, state: int, most: int) -> list[tuple[str, float]]:
        """The values with the largest p ln(p / q), p their share in the state and q that among all nodes."""
        total = self.weight[:, state].sum()
        share = self.weight[:, state] / total if total > 0 else self.weight[:, state]
        gain = np.where(share > 0, share * np.log(np.maximum(share, 1e-300) / self.overall), -np.inf)
        order = np.argsort(-gain, kind="stable")[:most]
        return [(self.names[k], float(share[k])) for k in order if gain[k] > 0 or share[k] > 0.5]


class _Word:
    def __init__(self, trees: BinaryTreebank):
        self.trees = trees

    def __call__(self, node: int) -> str:
        return self.trees.strings[self.trees.word[self.trees.head[node]]]


class _Rule:
    """The rule below a node; the word of a preterminal."""

    def __init__(self, trees: BinaryTreebank):
        self.trees, self.names = trees, [symbol.shown for symbol in trees.symbols]

    def __call__(self, node: int) -> str:
        trees, names = self.trees, self.names
        if trees.kind[node] == LEXICAL:
            return trees.strings[trees.word[node]]
        below = [trees.left[node]] if trees.kind[node] == UNARY else [trees.left[node], trees.right[node]]
        hidden = trees.hidden_labels[trees.hidden[node]] if trees.kind[node] == UNARY else ()
        return " ".join([*(f"({label})" for label in hidden), *(names[trees.symbol[child]] for child in below)])


class _Context(_Rule):
    """The rule above a node, with the node's own place marked."""

    def __call__(self, node: int) -> str:
        trees, names = self.trees, self.names
        above = trees.parent[node]
        if above == NONE:
            return "root"
        parent = names[trees.symbol[above]]
        if trees.kind[above] != BINARY:
            return f"{parent} -> {HERE}"
        is_right = trees.is_right[node]
        sister = names[trees.symbol[trees.left[above] if is_right else trees.right[above]]]
        return f"{parent} -> {f'{sister} {HERE}' if is_right else f'{HERE} {sister}'}"


def _examples(trees: BinaryTreebank, nodes: np.ndarray, most: int = 3) -> list[str]:
    """The words of the first of these nodes that are different and short."""
    found: dict[str, None] = {}
    tree = np.searchsorted(trees.tree_start, nodes, "right") - 1
    for node, t in zip(nodes[:50].tolist(), tree[:50].tolist(), strict=True):
        if trees.stop[node] - trees.start[node] <= LONGEST_EXAMPLE and len(found) < most:
            own = np.arange(trees.tree_start[t], trees.tree_start[t + 1])
            words = trees.word[own[trees.kind[own] == LEXICAL]][trees.start[node] : trees.stop[node]]
            found[" ".join(trees.strings[word] for word in words)] = None
    return list(found)
