"""The parts of children: one for each factored rule and child, in the order in which they are made."""

from __future__ import annotations

import numpy as np
import pytest
from forests import forest_of
from grammars import random_grammar, words_of
from hypothesis import example, given
from hypothesis import strategies as st

from lpcfg_cli.parsing.kernel_rules import tensor_rules
from lpcfg_cli.parsing.marginals import join_forests
from lpcfg_cli.parsing.parts import in_order, lowest, parts_of_children

TEXTS = ["x y x y y x", "y", "x x", "y x x y x", "x y x y y x x y"]


def batch_of(seed, factored):
    """The forests of some sentences side by side, and the rules."""
    grammar = random_grammar(np.random.default_rng(seed), factored=factored)
    forests = [forest_of(grammar, words_of(grammar, text.split()))[0] for text in TEXTS]
    return join_forests(forests), tensor_rules(grammar)


def edges_of(forest):
    """Rule, left and right child of each edge."""
    rule = np.repeat(forest.group_rule, np.diff(forest.group_edge)).tolist()
    return list(zip(rule, forest.edge_left.tolist(), forest.edge_right.tolist(), strict=True))


def width_of_items(forest):
    """Number of words of each top item."""
    spans = zip(forest.cell_start, forest.cell_stop, np.diff(forest.cell_top), strict=True)
    return [int(stop - start) for start, stop, n in spans for _ in range(n)]


@pytest.mark.parametrize("seed", range(4))
def test_each_rule_has_one_part_of_each_child(seed):
    batch, rules = batch_of(seed, factored=True)
    rules.rank[::3] = 0  # as if these rules were dense
    forest, width = batch.forest, width_of_items(batch.forest)
    m_a, m_b = rules.n_states[rules.parent], rules.n_states[rules.left]
    edges = [edge for edge in enumerate(edges_of(forest)) if rules.rank[edge[1][0]] > 0]
    used = [0.0, 0.0]
    for side, parts in enumerate(parts_of_children(forest, max(map(len, map(str.split, TEXTS))), rules)):
        expected = {(edge[0], edge[1 + side]) for _, edge in edges}
        used[side] = len(edges) / len(expected)
        matrix = rules.start[:-1] + rules.rank * (m_a + side * m_b)
        rule_at = {int(first): rule for rule, first in enumerate(matrix) if rules.rank[rule] > 0}
        listed = [
            (rule_at[first], item) for first, item in zip(parts.matrix.tolist(), parts.item.tolist(), strict=True)
        ]
        assert len(listed) == len(expected) and set(listed) == expected
        keys = [(width[item], rule) for rule, item in listed]
        assert keys == sorted(keys)
        for w, (first, last) in enumerate(zip(parts.level_part, parts.level_part[1:], strict=False), 1):
            assert all(width[item] == w for item in parts.item[first:last])
        assert parts.level_part[0] == 0 and parts.level_part[-1] == len(listed)
        assert np.diff(parts.start).tolist() == [rules.rank[rule] for rule, _ in listed]
        assert len(parts.vector) == parts.start[-1]
        number_at = {int(first): number for number, first in enumerate(parts.start[:-1])}
        for edge, found in edges:
            assert listed[number_at[int(parts.edge[edge])]] == (found[0], found[1 + side])
    assert max(used) > 1.2  # parts are used again


def test_dense_rules_have_no_parts():
    batch, rules = batch_of(0, factored=False)
    for parts in parts_of_children(batch.forest, 8, rules):
        assert len(parts.item) == len(parts.vector) == 0
        assert parts.level_part.tolist() == [0] * 9


@given(st.lists(st.one_of(st.integers(0, 5), st.integers(0, 2**62)), max_size=40))
@example([])
@example([2**59 - 1] * 15)
@example([2**59] * 15 + [0])
def test_keys_in_order_are_those_of_numpy(numbers):
    keys = np.array(numbers, np.int64)
    expected, number = np.unique(keys, return_inverse=True)
    found, own = in_order(keys)
    assert found.dtype == own.dtype == np.int64
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(own, number)
    np.testing.assert_array_equal(found[own], keys)


def test_the_lowest_bits_of_numbers():
    np.testing.assert_array_equal(lowest(np.array([0, 5, 8, 15, 2**40 + 3]), 3), [0, 5, 0, 7, 3])
