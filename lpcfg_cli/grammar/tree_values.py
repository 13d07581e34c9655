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
    entries = np.repeat(grammar.lexicon.entries, np.diff(lexical.entry_start)).tolist()
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
    values = rule_values(grammar)
    alpha = np.zeros((trees.n_nodes, int(grammar.n_states.max())))
    symbol, left, right = trees.symbol, trees.left, trees.right
    below = np.where(trees.kind == LEXICAL, trees.word, symbol[left])
    beside = np.where(trees.kind == UNARY, trees.hidden, symbol[right])
    beside[trees.kind == LEXICAL] = 0
    # an only child has the width of its parent, and has no only child itself
    level = 2 * (trees.stop - trees.start) + (trees.kind == UNARY)
    for nodes in group_by(np.arange(trees.n_nodes), [level, trees.kind, symbol, below, beside]):
        value = values.get(_rule_at(grammar, trees, int(nodes[0])))
        if value is None:
            continue
        m = value.shape
        if len(m) == 1:
            alpha[nodes, : m[0]] = value
        elif len(m) == 2:
            alpha[nodes, : m[0]] = alpha[left[nodes], : m[1]] @ value.T
        else:
            both = alpha[left[nodes], : m[1], None] * alpha[right[nodes], None, : m[2]]
            alpha[nodes, : m[0]] = both.reshape(len(nodes), -1) @ value.reshape(m[0], -1).T
    return _root_values(grammar, trees, alpha)


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
    place = {symbol: slice(*grammar.state_start[a : a + 2]) for a, symbol in enumerate(grammar.symbols)}
    root_vectors = np.zeros((len(trees.symbols), alpha.shape[1]))
    for a, symbol in enumerate(trees.symbols):
        if symbol in place:
            vector = grammar.root_vector[place[symbol]]
            root_vectors[a, : len(vector)] = vector
    roots = trees.tree_start[:-1]
    return (root_vectors[trees.symbol[roots]] * alpha[roots]).sum(1)
