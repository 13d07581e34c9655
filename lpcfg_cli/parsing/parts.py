"""Which parts the children of factored rules have; see `lpcfg_cli.parsing.layout.Parts`.

In a pruned forest a rule has a child in two edges on average, and in more the larger its tensor is.  A part takes
O(R m) and is used in O(R), so that it pays to make it once.
"""

from __future__ import annotations

import numpy as np

from lpcfg_cli.arrays.kernel_options import FILLING, njit
from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.parsing.layout import Forest, Parts, TensorRules


def parts_of(forest: Forest, widest: int, rules: TensorRules) -> tuple[Parts, Parts]:
    """The parts of the left and of the right children of a forest, or of a batch of them, without their vectors.

    `widest` is the largest number of words of a sentence.  O(edges + widest · rules).
    """
    widths = np.repeat(forest.cell_stop - forest.cell_start, np.diff(forest.cell_top))
    m_a, m_b = (rules.n_states[symbols] for symbols in (rules.parent, rules.left))
    v = rules.start[:-1] + rules.rank * m_a
    return (
        parts_of_side(forest, widest, rules, forest.edge_left, widths, v),
        parts_of_side(forest, widest, rules, forest.edge_right, widths, v + rules.rank * m_b),
    )


def parts_of_side(
    forest: Forest, widest: int, rules: TensorRules, child: np.ndarray, width: np.ndarray, matrix: np.ndarray
) -> Parts:
    """The parts of the left or the right children.

    Parameters
    ----------
    forest, widest, rules
        As for `parts_of`.
    child : ndarray of int32, shape (n_edges,)
        Of each edge.
    width : ndarray of int32, shape (n_top,)
        Of each top item.
    matrix : ndarray of int64, shape (n_rules,)
        Where V or W of each rule begins.
    """
    rule, item = (np.empty(len(child), np.int32) for _ in range(2))
    edge, order = np.empty(len(child), np.int64), np.empty(len(child), np.int32)
    bucket, seen = np.zeros(widest * len(rules.rank) + 1, np.int32), np.full(len(width), -1, np.int32)
    at, n_parts = np.empty(len(width), np.int64), 0
    if rules.rank.any():
        n_parts = list_parts(forest, rules.rank, child, width, bucket, order, seen, at, rule, item, edge)
    rule, item = rule[:n_parts], item[:n_parts]
    level_part = np.searchsorted(width[item], np.arange(widest + 1), side="right")
    start = starts(rules.rank[rule])
    return Parts(level_part, item, matrix[rule], start, edge, np.empty(start[-1], rules.root_vector.dtype))


@njit(**FILLING)
def list_parts(
    forest: Forest,
    rank: np.ndarray,
    child: np.ndarray,
    width: np.ndarray,
    bucket: np.ndarray,
    order: np.ndarray,
    seen: np.ndarray,
    at: np.ndarray,
    part_rule: np.ndarray,
    part_item: np.ndarray,
    part_edge: np.ndarray,
) -> int:
    """List the parts of the left or the right children by width, rule and edge; O(edges + widest · rules).

    Loop indexes: key: buckets of edges, one for each width of the child and rule; place: in the order of edges by key.

    Parameters
    ----------
    forest : Forest
    rank : ndarray of int64, shape (n_rules,)
        0 for dense rules, which have no parts.
    child, width
        As in `parts_of_side`.
    bucket : ndarray of int32, shape (widest · n_rules + 1,)
        Zeros; a buffer.
    order : ndarray of int32, shape (n_edges,)
        A buffer.
    seen : ndarray of int32, shape (n_top,)
        Entries of −1; a buffer: the last key in which each item was found.
    at : ndarray of int64, shape (n_top,)
        A buffer: where its part of that key begins.
    part_rule, part_item : ndarray of int32, shape (n_edges,)
        Written: rule and child of each part.
    part_edge : ndarray of int64, shape (n_edges,)
        Written: where the part of each edge begins, among the vectors of all parts.

    Returns
    -------
    int
        Number of parts.
    """
    n_rules, n_groups = rank.shape[0], forest.group_rule.shape[0]
    for group in range(n_groups):
        rule = forest.group_rule[group]
        if rank[rule] > 0:
            for edge in range(forest.group_edge[group], forest.group_edge[group + 1]):
                bucket[(width[child[edge]] - 1) * n_rules + rule + 1] += 1
    for key in range(1, bucket.shape[0]):
        bucket[key] += bucket[key - 1]
    for group in range(n_groups):
        rule = forest.group_rule[group]
        if rank[rule] > 0:
            for edge in range(forest.group_edge[group], forest.group_edge[group + 1]):
                key = (width[child[edge]] - 1) * n_rules + rule
                order[bucket[key]] = edge
                bucket[key] += 1
    n_parts, begin, place = 0, 0, 0
    for first in range(0, bucket.shape[0] - 1, n_rules):
        for rule in range(n_rules):
            key = first + rule
            while place < bucket[key]:
                edge = order[place]
                item = child[edge]
                if seen[item] != key:
                    seen[item], at[item] = key, begin
                    part_rule[n_parts], part_item[n_parts] = rule, item
                    n_parts, begin = n_parts + 1, begin + rank[rule]
                part_edge[edge] = at[item]
                place += 1
    return n_parts
