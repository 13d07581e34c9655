"""The charts of both orders against the enumeration of all projective trees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from parser_twin import all_trees, part_numbers, random_scores, total

from lpcfg_cli.dependency.parser.chart_kernels import best_tree, best_trees
from lpcfg_cli.dependency.parser.plan_kernels import COUNT, SCORE, SCORE_STEP, make_plan

SHAPES = [(is_second, has_one_root) for is_second in (False, True) for has_one_root in (False, True)]
TREES = {(n, one): list(all_trees(n, one)) for n in range(1, 6) for one in (False, True)}


def test_the_enumeration_has_the_known_numbers_of_trees():
    # rooted noncrossing trees with n + 1 nodes, n = 1 … 5: binom(3n, n) / (2n + 1) (OEIS A001764)
    assert [len(TREES[n, False]) for n in range(1, 6)] == [1, 3, 12, 55, 273]
    assert [len(TREES[n, True]) for n in range(1, 6)] == [1, 2, 7, 30, 143]  # OEIS A006013


@pytest.mark.parametrize(("is_second", "has_one_root"), SHAPES)
@pytest.mark.parametrize("n", range(1, 6))
def test_k_best_lists_are_all_trees_once_in_order(n, is_second, has_one_root):
    trees = TREES[n, has_one_root]
    for seed in range(5):
        scores = random_scores(n, is_second, seed)
        plan = make_plan(n, is_second, has_one_root)
        expected = sorted(((total(heads, scores, is_second), heads) for heads in trees), reverse=True)
        for k in (1, 2, 7, len(trees), len(trees) + 5):
            heads, totals = best_trees(plan, scores, n, k)
            assert [tuple(own) for own in heads.tolist()] == [heads for _, heads in expected[:k]]
            np.testing.assert_allclose(totals, [value for value, _ in expected[:k]], atol=1e-12)
        assert tuple(best_tree(plan, scores, n)) == expected[0][1]


@pytest.mark.parametrize(("is_second", "has_one_root"), SHAPES)
def test_ties_give_no_tree_twice_and_no_lower_value(is_second, has_one_root):
    for seed in range(20):
        scores = random_scores(5, is_second, seed, step=1.0)
        expected = sorted((total(heads, scores, is_second) for heads in TREES[5, has_one_root]), reverse=True)
        heads, totals = best_trees(make_plan(5, is_second, has_one_root), scores, 5, 50)
        assert totals.tolist() == expected[:50]
        assert len({tuple(own) for own in heads.tolist()}) == 50
        assert [total(own, scores, is_second) for own in heads.tolist()] == totals.tolist()


@given(st.integers(6, 14), st.integers(0, 999), st.sampled_from(SHAPES), st.integers(1, 60))
def test_longer_lists_are_trees_with_their_values_in_order_and_prefixes_of_each_other(n, seed, shape, k):
    is_second, has_one_root = shape
    scores = random_scores(n, is_second, seed)
    plan = make_plan(n, is_second, has_one_root)
    heads, totals = best_trees(plan, scores, n, k)
    assert len(heads) == k
    assert len({tuple(own) for own in heads.tolist()}) == k
    assert (np.diff(totals) <= 0).all()
    np.testing.assert_allclose([total(own, scores, is_second) for own in heads.tolist()], totals, atol=1e-9)
    assert (heads[0] == best_tree(plan, scores, n)).all()
    fewer, _ = best_trees(plan, scores, n, max(1, k // 2))
    assert (heads[: len(fewer)] == fewer).all()
    if has_one_root:
        assert ((heads == 0).sum(1) == 1).all()


@pytest.mark.parametrize("has_one_root", [False, True])
def test_the_second_order_with_scores_of_arcs_alone_is_the_first(has_one_root):
    for seed, n in enumerate((1, 4, 9, 12)):
        N = n + 1
        arcs = random_scores(n, False, seed)
        siblings = np.append(np.repeat(arcs[:-1], N), 0.0)
        first = best_trees(make_plan(n, False, has_one_root), arcs, n, 20)
        second = best_trees(make_plan(n, True, has_one_root), siblings, n, 20)
        assert (first[0] == second[0]).all()
        np.testing.assert_allclose(first[1], second[1])


@pytest.mark.parametrize(("is_second", "has_one_root"), SHAPES)
def test_a_plan_names_the_scores_of_parts_of_trees_and_no_others(is_second, has_one_root):
    n = 5
    named = set()
    for row in make_plan(n, is_second, has_one_root):
        named |= {row[SCORE] + k * row[SCORE_STEP] for k in range(row[COUNT])}
    parts = {part for heads in TREES[n, has_one_root] for part in part_numbers(heads, is_second)}
    zero = 6**3 if is_second else 6**2
    assert named - {zero} == parts
