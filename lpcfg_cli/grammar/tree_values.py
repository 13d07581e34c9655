"""Values of given trees under an L-PCFG in any basis, by the inside pass over each tree (C14 Fig. 4)."""

from __future__ import annotations

from typing import Any

import numpy as np

from lpcfg_cli.arrays.grouping import group_by
from lpcfg_cli.execution.environment import single_threaded
from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.treebank.binary import BINARY, LEXICAL, UNARY, BinaryTreebank
from lpcfg_cli.treebank.symbols import Symbol

RuleKey = tuple[Symbol, Any] | tuple[Symbol, Any, Any]
"""(a, b, c), (a, hidden labels, b) or (a, lexical entry): identifies a rule in any grammar that has it."""


def rule_values(grammar: Grammar) -> dict[RuleKey, np.ndarray]:
    """The parameters of every rule as a dense array, (m_a, m_b, m_c), (m_a, m_b) or (m_a,); for small grammars."""
    symbols, found = grammar.symbols, dict[RuleKey, np.ndarray]()
    binary, unary, lexical = grammar.binary, grammar.unary, grammar.lexical
    for r, abc in enumerate(zip(binary.parent, binary.left, binary.right, strict=True)):
        a, b, c = (symbols[k] for k in abc)
        found[a, b, c] = binary.tensor(r, grammar.n_states)
    for r, (a, b, hidden) in enumerate(zip(unary.parent, unary.child, unary.hidden, strict=True)):
        found[symbols[a], grammar.hidden_labels[hidden], symbols[b]] = unary.matrix(r, grammar.n_states)
    # as objects: numpy's own strings would lose the last NUL of a name, which is all of the shortest class's
    names = np.array(grammar.lexicon.entries, object)
    entries = np.repeat(names, np.diff(lexical.entry_start)).tolist()
    for r, (a, entry) in enumerate(zip(lexical.symbol, entries, strict=True)):
        found[symbols[a], entry] = lexical.values[lexical.start[r] : lexical.start[r + 1]]
    return found


@single_threaded()
def tree_values(grammar: Grammar, trees: BinaryTreebank) -> np.ndarray:
    """Compute the value of each tree: for the parameters of an L-PCFG, its probability.

    All nodes of one rule and level are computed at once.

    Parameters
    ----------
    grammar : Grammar
    trees : BinaryTreebank
        Symbols and words may be numbered in any way.

    Returns
    -------
    ndarray of float64, shape (n_trees,)
        0 for trees with a rule that the grammar does not have.
    """
    return _root_values(grammar, trees, _inside(grammar, trees, _rule_groups(grammar, trees)))


@single_threaded()
def state_posteriors(grammar: Grammar, trees: BinaryTreebank) -> np.ndarray:
    """Posterior of each state of each node, given the whole tree, under a grammar whose parameters are probabilities.

    Parameters
    ----------
    grammar : Grammar
    trees : BinaryTreebank

    Returns
    -------
    ndarray of float64, shape (n_nodes, m)
        Zeros for trees with a rule that the grammar does not have.
    """
    groups = _rule_groups(grammar, trees)
    alpha = _inside(grammar, trees, groups, is_scaled=True)
    beta = np.zeros_like(alpha)
    roots = trees.tree_start[:-1]
    beta[roots] = _root_vectors(grammar, trees, alpha.shape[1])[trees.symbol[roots]]
    left, right = trees.left, trees.right
    for nodes, value in reversed(groups):
        m = value.shape
        above = beta[nodes, : m[0]]
        if len(m) == 2:
            beta[left[nodes], : m[1]] = _scaled(above @ value)
        elif len(m) == 3:
            on_left, on_right = alpha[left[nodes], : m[1]], alpha[right[nodes], : m[2]]
            both = (above @ value.reshape(m[0], -1)).reshape(len(nodes), *m[1:])
            beta[left[nodes], : m[1]] = _scaled(np.einsum("njk,nk->nj", both, on_right))
            beta[right[nodes], : m[2]] = _scaled(np.einsum("njk,nj->nk", both, on_left))
    found = alpha * beta
    total = found.sum(1, keepdims=True)
    return np.divide(found, total, out=np.zeros_like(found), where=total > 0)


RuleGroup = tuple[np.ndarray, np.ndarray]
"""Nodes of one rule and level, and the rule's parameters."""


def _rule_groups(grammar: Grammar, trees: BinaryTreebank) -> list[RuleGroup]:
    """The nodes whose rule the grammar has, children before their parents."""
    values = rule_values(grammar)
    symbol, left, right = trees.symbol, trees.left, trees.right
    below = np.where(trees.kind == LEXICAL, trees.word, symbol[left])
    beside = np.where(trees.kind == UNARY, trees.hidden, symbol[right])
    beside[trees.kind == LEXICAL] = 0
    # an only child has the width of its parent, and has no only child itself
    level = 2 * (trees.stop - trees.start) + (trees.kind == UNARY)
    groups = group_by(np.arange(trees.n_nodes), [level, trees.kind, symbol, below, beside])
    pairs = ((nodes, values.get(_rule_at(grammar, trees, int(nodes[0])))) for nodes in groups)
    return [(nodes, value) for nodes, value in pairs if value is not None]


def _inside(grammar: Grammar, trees: BinaryTreebank, groups: list[RuleGroup], is_scaled: bool = False) -> np.ndarray:
    """The inside vector of each node, (n_nodes, m); scaled, its largest entry is 1, so that long trees have one too."""
    alpha = np.zeros((trees.n_nodes, int(grammar.n_states.max())))
    left, right = trees.left, trees.right
    for nodes, value in groups:
        m = value.shape
        if len(m) == 1:
            found = np.broadcast_to(value, (len(nodes), m[0]))
        elif len(m) == 2:
            found = alpha[left[nodes], : m[1]] @ value.T
        else:
            both = alpha[left[nodes], : m[1], None] * alpha[right[nodes], None, : m[2]]
            found = both.reshape(len(nodes), -1) @ value.reshape(m[0], -1).T
        alpha[nodes, : m[0]] = _scaled(found) if is_scaled else found
    return alpha


def _scaled(rows: np.ndarray) -> np.ndarray:
    largest = np.abs(rows).max(1, keepdims=True)
    return np.divide(rows, largest, out=np.zeros_like(rows), where=largest > 0)


def _rule_at(grammar: Grammar, trees: BinaryTreebank, node: int) -> RuleKey:
    a = trees.symbols[trees.symbol[node]]
    if trees.kind[node] == LEXICAL:
        entry = grammar.lexicon.entry(trees.strings[trees.word[node]])
        return a, grammar.lexicon.entries[entry] if entry >= 0 else None
    b = trees.symbols[trees.symbol[trees.left[node]]]
    if trees.kind[node] == BINARY:
        return a, b, trees.symbols[trees.symbol[trees.right[node]]]
    return a, trees.hidden_labels[trees.hidden[node]], b


def _root_values(grammar: Grammar, trees: BinaryTreebank, alpha: np.ndarray) -> np.ndarray:
    roots = trees.tree_start[:-1]
    return (_root_vectors(grammar, trees, alpha.shape[1])[trees.symbol[roots]] * alpha[roots]).sum(1)


def _root_vectors(grammar: Grammar, trees: BinaryTreebank, m: int) -> np.ndarray:
    """The root vector of each symbol of the trees, (n_symbols, m); zeros for those that the grammar does not have."""
    place = {symbol: slice(*grammar.state_start[a : a + 2]) for a, symbol in enumerate(grammar.symbols)}
    root_vectors = np.zeros((len(trees.symbols), m))
    for a, symbol in enumerate(trees.symbols):
        if symbol in place:
            vector = grammar.root_vector[place[symbol]]
            root_vectors[a, : len(vector)] = vector
    return root_vectors
