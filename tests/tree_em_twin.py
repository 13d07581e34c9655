"""The E-step as written in papers: the twin of `lpcfg_cli.learning.tree_em_kernels`, node by node and without scaling.

For tests and for reading; vectors underflow on trees of some hundred nodes.
"""

from __future__ import annotations

import numpy as np

from lpcfg_cli.em.loop import Expectation
from lpcfg_cli.learning.rule_table import RuleParameters, RuleTable
from lpcfg_cli.treebank.binary import NONE, UNARY, BinaryTreebank


def reference_expectation(trees: BinaryTreebank, table: RuleTable, parameters: RuleParameters) -> Expectation:
    """Expected counts and log-likelihood, as `lpcfg_cli.learning.tree_em.expect` finds them.

    With inside vectors α (C14 Fig. 4) and outside vectors β, a node with the rule a → b c has the states h₁, h₂, h₃
    with probability β_a(h₁) t(h₁, h₂, h₃) α_b(h₂) α_c(h₃) / p(tree).
    """
    tensors = table.blocks(parameters.rules)
    counts = RuleParameters(np.zeros(len(parameters.root)), np.zeros(len(parameters.rules)))
    rule_counts = table.blocks(counts.rules)
    absent = np.ones(1)
    alpha, beta = [absent] * (trees.n_nodes + 1), [absent] * (trees.n_nodes + 1)
    probability = np.zeros(trees.n_trees)
    is_unary = trees.kind == UNARY
    left, right = np.where(is_unary, NONE, trees.left), np.where(is_unary, trees.left, trees.right)
    for node in range(trees.n_nodes - 1, -1, -1):
        tensor = tensors[table.node_rule[node]]
        alpha[node] = np.einsum("abc,b,c->a", tensor, alpha[left[node]], alpha[right[node]])
    for node, tree in enumerate(trees.tree_of_node()):
        if trees.parent[node] == NONE:
            states = slice(*table.state_start[trees.symbol[node] : trees.symbol[node] + 2])
            beta[node] = parameters.root[states]
            probability[tree] = beta[node] @ alpha[node]
            counts.root[states] += beta[node] * alpha[node] / probability[tree]
        inner, outer = (alpha[left[node]], alpha[right[node]]), beta[node]
        tensor, rule = tensors[table.node_rule[node]], table.node_rule[node]
        rule_counts[rule] += np.einsum("abc,a,b,c->abc", tensor, outer, *inner) / probability[tree]
        beta[left[node]] = np.einsum("abc,a,c->b", tensor, outer, inner[1])
        beta[right[node]] = np.einsum("abc,a,b->c", tensor, outer, inner[0])
    return Expectation(counts, float(np.log(probability).sum()))
