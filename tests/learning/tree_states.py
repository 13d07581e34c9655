"""States of the nodes of a given tree as a structure of the harness, and what EM's kernels compute of them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from harness import Derivation, Structure

from lpcfg_cli.learning import tree_em
from lpcfg_cli.learning.rule_table import RuleParameters, RuleTable
from lpcfg_cli.treebank.binary import NONE, UNARY, BinaryTreebank


@dataclass
class TreeStates(Structure):
    """All assignments of states to the nodes of one tree; parts are the numbers of the parameters they use.

    Attributes
    ----------
    trees : BinaryTreebank
    table : RuleTable
    parameters : RuleParameters
    tree : int
    """

    trees: BinaryTreebank
    table: RuleTable
    parameters: RuleParameters
    tree: int

    def derivations(self):
        first, last = self.trees.tree_start[self.tree : self.tree + 2]
        sizes = [range(self.table.n_states[self.trees.symbol[node]]) for node in range(first, last)]
        for states in itertools.product(*sizes):
            root = ("root", int(self.table.state_start[self.trees.symbol[first]]) + states[0])
            rules = [("rule", self.place(node, states, first)) for node in range(first, last)]
            values = [self.parameters.root[root[1]], *self.parameters.rules[[place for _, place in rules]]]
            yield Derivation((root, *rules), float(np.prod(values)), states)

    def place(self, node, states, first):
        """Which number of all rules' tensors a node takes."""
        children = [self.trees.left[node], self.trees.right[node]]
        if self.trees.kind[node] == UNARY:
            children = [NONE, self.trees.left[node]]
        where = [states[node - first], *(states[c - first] if c >= 0 else 0 for c in children)]
        rule = self.table.node_rule[node]
        return int(self.table.start[rule] + np.ravel_multi_index(where, self.table.shape[rule]))

    @cached_property
    def found(self):
        parts = tree_em.divide_trees(self.trees, self.table, part_nodes=1)
        return tree_em.expect([parts[self.tree]], self.table, self.parameters)

    def total(self):
        return float(np.exp(self.found.log_likelihood))

    def marginals(self):
        return {part: count * self.total() for part, count in parts_of(self.found.counts).items()}


def parts_of(counts):
    """Counts by parts, as `TreeStates` has them."""
    named = (("root", counts.root), ("rule", counts.rules))
    return {(name, place): count for name, values in named for place, count in enumerate(values.tolist())}
