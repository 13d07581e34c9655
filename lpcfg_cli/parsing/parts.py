"""Which parts the children of factored rules have; see `lpcfg_cli.parsing.layout.Parts`.

In a pruned forest a rule has a child in two edges on average, and in more the larger its tensor is.  A part takes
O(R m) and is used in O(R), so that it pays to make it once.
"""

from __future__ import annotations

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.parsing.layout import Forest, Parts, TensorRules


def parts_of_children(forest: Forest, widest: int, rules: TensorRules) -> tuple[Parts, Parts]:
    """The parts of the left and of the right children of a forest, or of a batch of them; O(edges · log edges).

    Parameters
    ----------
    forest : Forest
    widest : int
        The largest number of words of a sentence.
    rules : TensorRules

    Returns
    -------
    left, right : Parts
        Their vectors are not set.
    """
    m_a, m_b = (rules.n_states[symbols] for symbols in (rules.parent, rules.left))
    v = rules.start[:-1] + rules.rank * m_a
    rule = np.repeat(forest.group_rule, np.diff(forest.group_edge))
    edges = np.flatnonzero(rules.rank[rule] > 0)
    # a key for each edge, (its child's width · rules + its rule) · items + its child: parts are in the order of keys
    n_top, n_keys = len(forest.top_symbol), len(rules.rank) * len(forest.top_symbol)
    width = np.repeat(forest.cell_stop - forest.cell_start, np.diff(forest.cell_top)).astype(np.int64)
    level_key = np.arange(1, widest + 2) * n_keys
    item_key, rule_key = width * n_keys + np.arange(n_top), rule[edges].astype(np.int64) * n_top

    def of_side(child: np.ndarray, matrix: np.ndarray) -> Parts:
        """The parts of these children of the edges; `matrix` is where V or W of each rule begins."""
        key, part = np.unique(item_key[child[edges]] + rule_key, return_inverse=True)
        item, of_rule = key % n_top, key // n_top % len(rules.rank)
        start, edge = starts(rules.rank[of_rule]), np.empty(len(child), np.int64)
        edge[edges] = start[part]
        vector = np.empty(start[-1], rules.root_vector.dtype)
        return Parts(np.searchsorted(key, level_key), item.astype(np.int32), matrix[of_rule], start, edge, vector)

    return of_side(forest.edge_left, v), of_side(forest.edge_right, v + rules.rank * m_b)
