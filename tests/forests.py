"""Forests of whole charts for tests, and their rule applications by name."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.parsing import coarse_kernels
from lpcfg_cli.parsing.expected_brackets import tree_posteriors
from lpcfg_cli.parsing.forest import build_forest
from lpcfg_cli.parsing.kernel_rules import coarse_rules, tensor_rules
from lpcfg_cli.parsing.layout import GrammarMarginals
from lpcfg_cli.parsing.marginals import rule_marginals
from lpcfg_cli.parsing.parser import root_flags


def forest_of(grammar, words, threshold=0.0, rule_threshold=0.0, coarse=None):
    """The forest that the coarse pass leaves of a sentence, and its coarse inside values."""
    n = len(words.start) - 1
    coarse = coarse or coarse_rules(grammar)
    inside, has_items = coarse_kernels.coarse_inside(n, coarse, words)
    kept = coarse_kernels.coarse_outside(n, coarse, inside, has_items, threshold)
    return build_forest(n, coarse, inside, kept, rule_threshold), inside


def marginals_of(grammar, words, forest, inside):
    """The grammar's marginals, in double precision."""
    return rule_marginals(forest, inside, words, tensor_rules(grammar))


def posteriors_of(grammar, words, forest, inside):
    """What the grammar makes of its marginals: probabilities of rule applications."""
    marginals = GrammarMarginals(marginals_of(grammar, words, forest, inside), grammar.is_probabilistic)
    return tree_posteriors(forest, marginals, roots_of(grammar, forest))


def roots_of(grammar, forest):
    """Flags of the top items that may be roots."""
    return root_flags(forest, grammar.root_probability)


def named(forest, marginals):
    """Marginals, or scores, by the keys of `derivations.applications` and `derivations.identities`."""
    found = {}
    for group, (rule, bottom) in enumerate(zip(forest.group_rule, forest.group_bottom, strict=True)):
        cell = np.searchsorted(forest.cell_bottom, bottom, "right") - 1
        i, j = forest.cell_start[cell], forest.cell_stop[cell]
        for edge in range(forest.group_edge[group], forest.group_edge[group + 1]):
            k = forest.cell_stop[np.searchsorted(forest.cell_top, forest.edge_left[edge], "right") - 1]
            found["binary", rule, i, k, j] = marginals.edge[edge]
    for cell, (i, j) in enumerate(zip(forest.cell_start, forest.cell_stop, strict=True)):
        for u in range(forest.cell_unary[cell], forest.cell_unary[cell + 1]):
            found["unary", forest.unary_rule[u], i, j] = marginals.unary[u]
        for item in range(forest.cell_top[cell], forest.cell_top[cell + 1]):
            found["identity", forest.top_symbol[item], i, j] = marginals.identity[item]
        for item in range(forest.cell_bottom[cell], forest.cell_bottom[cell + 1] if j == i + 1 else 0):
            found["lexical", forest.bottom_symbol[item], i] = marginals.lexical[item]
    return found
