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
    edges = np.flatnonzero((rules.rank > 0)[rule])
    # a key for each edge, of the bits of its child's width, its rule and its child: parts are in the order of keys
    width = np.repeat(forest.cell_stop - forest.cell_start, np.diff(forest.cell_top)).astype(np.int64)
    of_item, of_rule = len(width).bit_length(), len(rules.rank).bit_length()
    item_key = (width << of_rule + of_item) | np.arange(len(width))
    rule_key = rule[edges].astype(np.int64) << of_item
    level_key = np.arange(1, widest + 2) << of_rule + of_item

    def of_side(child: np.ndarray, matrix: np.ndarray) -> Parts:
        """The parts of these children of the edges; `matrix` is where V or W of each rule begins."""
        key, part = in_order(item_key[child[edges]] | rule_key)
        item, of_part = lowest(key, of_item), lowest(key >> of_item, of_rule)
        start, edge = starts(rules.rank[of_part]), np.empty(len(child), np.int64)
        edge[edges] = start[part]
        vector = np.empty(start[-1], rules.root_vector.dtype)
        return Parts(np.searchsorted(key, level_key), item.astype(np.int32), matrix[of_part], start, edge, vector)

    return of_side(forest.edge_left, v), of_side(forest.edge_right, v + rules.rank * m_b)


def lowest(numbers: np.ndarray, bits: int) -> np.ndarray:
    """The lowest bits of some numbers."""
    return numbers & ((1 << bits) - 1)


def in_order(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different ones of some non-negative int64 keys, in order, and the number of each key's among them.

    As `np.unique`; numbers that hold a key and its place are sorted in half the time of places by their keys.
    """
    bits = len(keys).bit_length()
    if int(keys.max(initial=0)).bit_length() + bits > 63:
        return np.unique(keys, return_inverse=True)
    packed = np.sort((keys << bits) | np.arange(len(keys)))
    place, packed = lowest(packed, bits), packed >> bits
    is_first = np.append(np.ones(min(1, len(keys)), bool), packed[1:] != packed[:-1])
    number = np.empty(len(keys), np.int64)
    number[place] = np.cumsum(is_first) - 1
    return packed[is_first], number
