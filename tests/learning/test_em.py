"""EM over given trees, held against all assignments of states one by one, and against what theory promises."""

from __future__ import annotations

import itertools

import harness
import numpy as np
import pytest
from em_trees import TREES, binarized, tabulate
from harness import check, expected_counts
from tree_em_twin import reference_expectation
from tree_states import TreeStates, parts_of

from lpcfg_cli.em.loop import steps
from lpcfg_cli.errors import NumericalError
from lpcfg_cli.learning import tree_em as em
from lpcfg_cli.learning import tree_em_kernels as em_kernels
from lpcfg_cli.learning.random_em import random_split
from lpcfg_cli.learning.rule_table import (
    RuleParameters,
    even_split,
    log_prior,
    maximise,
    to_grammar,
)


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def random_parameters(table, rng):
    return random_split(table, 5.0, rng)


def assert_same(found, expected):
    np.testing.assert_allclose(found.counts.root, expected.counts.root, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(found.counts.rules, expected.counts.rules, rtol=1e-10, atol=1e-14)
    assert found.log_likelihood == pytest.approx(expected.log_likelihood, rel=1e-12)


def test_expected_counts_are_those_of_all_state_assignments(rng):
    trees = binarized(TREES)
    n_states = [1 + k % 3 for k in range(len(trees.symbols))]
    table, _ = tabulate(trees, n_states)
    assert set(table.shape[:, 0]) == {1, 2, 3}
    parameters = random_parameters(table, rng)
    structures = [TreeStates(trees, table, parameters, tree) for tree in range(trees.n_trees)]
    for structure in structures:
        check(structure)
    expected, log_likelihood = expected_counts(structures)
    for found in (
        em.expect(em.divide_trees(trees, table), table, parameters),
        reference_expectation(trees, table, parameters),
    ):
        harness.assert_same(parts_of(found.counts), expected, rtol=1e-10)
        assert found.log_likelihood == pytest.approx(log_likelihood, rel=1e-12)


def test_parts_of_the_treebank_add_up(rng):
    trees = binarized(TREES * 3)
    table, _ = tabulate(trees, 3)
    parameters = random_parameters(table, rng)
    parts = em.divide_trees(trees, table, part_nodes=10)
    assert len(parts) > 5
    assert sum(len(part.rule) for part in parts) == trees.n_nodes
    assert_same(em.expect(parts, table, parameters), em.expect(em.divide_trees(trees, table), table, parameters))
    assert_same(em.expect(parts, table, parameters), reference_expectation(trees, table, parameters))


def test_runs_that_are_cut_into_batches_count_as_node_by_node(rng):
    trees = binarized(TREES + TREES[:3] * 300)
    table, _ = tabulate(trees, [60 if "V" in str(symbol) else 13 + k % 4 for k, symbol in enumerate(trees.symbols)])
    assert {13, 14, 15, 16, 60} == set(table.shape[:, 0])
    (part,) = em.divide_trees(trees, table)
    rule, length = part.rule[part.run[:-1]], np.diff(part.run)
    is_cut = length > em_kernels.BATCH // np.maximum(table.shape[rule, 0], table.shape[rule, 1:].prod(1))
    first_unary, first_lexical = len(table.binary), len(table.binary) + len(table.unary)
    for first, last in ((0, first_unary), (first_unary, first_lexical)):
        assert set(is_cut[(rule >= first) & (rule < last)]) == {True, False}
    assert set(length) >= {1, 2}
    parameters = random_parameters(table, rng)
    assert_same(em.expect([part], table, parameters), reference_expectation(trees, table, parameters))


def test_nodes_are_numbered_by_height_and_rule():
    trees = binarized(TREES * 2)
    table, _ = tabulate(trees, 2)
    (part,) = em.divide_trees(trees, table)
    n = trees.n_nodes
    np.testing.assert_array_equal(table.parent[part.rule], part.symbol)
    assert (part.run[0], part.run[-1]) == (0, n)
    for first, last in itertools.pairwise(part.run):
        children = np.concatenate([part.left[first:last], part.right[first:last]])
        assert len(set(part.rule[first:last])) == 1
        assert (children[children < n] < first).all()
    uses = np.bincount(np.concatenate([part.left, part.right, part.root]), minlength=n + 1)
    assert uses.tolist() == [1] * n + [n + trees.n_trees]
    assert (np.diff(part.rule[part.by_rule]) >= 0).all()
    assert sorted(part.by_rule) == list(range(n))


def test_large_trees_neither_overflow_nor_underflow(rng):
    words = rng.choice(["a", "b"], 3000)
    deep = "".join(f"(X (A {word}) " for word in words) + "(A a)" + ")" * 3000
    trees = binarized([deep])
    table, _ = tabulate(trees, 4)
    found = em.expect(em.divide_trees(trees, table), table, random_parameters(table, rng))
    assert -6000 < found.log_likelihood < -1500
    assert found.counts.rules.sum() == pytest.approx(trees.n_nodes)
    assert found.counts.root.sum() == pytest.approx(1)


def state_sums(table, rules):
    """Sum of each parent state's numbers over all rules."""
    sums = np.zeros(table.state_start[-1])
    for a, block in zip(table.parent, table.blocks(rules), strict=True):
        sums[table.state_start[a] : table.state_start[a + 1]] += block.sum((1, 2))
    return sums


@pytest.mark.parametrize("prior", [0.0, 0.5])
@pytest.mark.parametrize("seed", range(4))
def test_every_step_raises_the_bound_and_gives_probabilities(prior, seed):
    trees = binarized(TREES)
    table, _ = tabulate(trees, 3)
    start = random_parameters(table, np.random.default_rng(seed))
    found = list(itertools.islice(steps(em.TreeModel(em.divide_trees(trees, table), table, prior), start), 30))
    assert [step.iteration for step in found] == list(range(30))
    bounds = np.array([step.bound for step in found])
    assert (np.diff(bounds) > -1e-9).all()
    assert bounds[-1] > bounds[0] + 1
    for step in found:
        assert step.parameters.root.sum() == pytest.approx(1)
        np.testing.assert_allclose(state_sums(table, step.parameters.rules), 1)
        assert (step.parameters.rules >= 0).all()
        if prior == 0:
            assert step.bound == step.log_likelihood


def test_the_prior_pulls_towards_the_plain_pcfg(rng):
    trees = binarized(TREES)
    table, _ = tabulate(trees, 2)
    even = even_split(table)
    counts = em.expect(em.divide_trees(trees, table), table, random_parameters(table, rng)).counts
    far, near = (np.abs(maximise(table, counts, prior).rules - even.rules).max() for prior in (0.1, 1e6))
    assert far > 0.05 > 1e-4 > near
    assert log_prior(table, even, 2.0) == pytest.approx(2 * log_prior(table, even, 1.0))


def test_states_that_do_not_differ_stay_the_relative_frequency_pcfg():
    trees = binarized(TREES)
    table, _ = tabulate(trees, 3)
    first, second = itertools.islice(
        steps(em.TreeModel(em.divide_trees(trees, table), table, 0.0), even_split(table)), 2
    )
    np.testing.assert_allclose(second.parameters.rules, first.parameters.rules, rtol=1e-12)
    one, _ = tabulate(trees, 1)
    expected = em.expect(em.divide_trees(trees, one), one, even_split(one)).log_likelihood
    assert first.log_likelihood == pytest.approx(expected)
    np.testing.assert_allclose(even_split(one).rules, one.frequency)


def test_going_on_from_a_step_is_as_never_having_stopped(rng):
    trees = binarized(TREES)
    table, _ = tabulate(trees, 3)
    parts, start = em.divide_trees(trees, table), random_parameters(table, rng)
    whole = list(itertools.islice(steps(em.TreeModel(parts, table, 0.5), start), 8))
    rest = list(itertools.islice(steps(em.TreeModel(parts, table, 0.5), whole[3]), 4))
    assert [step.iteration for step in rest] == [4, 5, 6, 7]
    for step, expected in zip(rest, whole[4:], strict=True):
        assert step.bound == expected.bound
        assert np.array_equal(step.parameters.rules, expected.parameters.rules)


def test_a_bound_that_falls_and_a_tree_of_probability_zero_are_errors(rng, monkeypatch):
    trees = binarized(TREES)
    table, _ = tabulate(trees, 2)
    parts = em.divide_trees(trees, table)
    good = next(itertools.islice(steps(em.TreeModel(parts, table, 0.0), random_parameters(table, rng)), 10, None))
    worse = random_parameters(table, np.random.default_rng(0))
    monkeypatch.setattr(em, "maximise", lambda *arguments: worse)
    with pytest.raises(NumericalError, match="step 11 lowered its bound"):
        next(steps(em.TreeModel(parts, table, 0.0), good))
    dead = RuleParameters(good.parameters.root, np.zeros(len(good.parameters.rules)))
    with pytest.raises(NumericalError, match="probability zero"):
        em.expect(parts, table, dead)


def test_a_random_split_averages_to_the_relative_frequencies(rng):
    trees = binarized(TREES)
    table, _ = tabulate(trees, 2)
    found = random_parameters(table, rng)
    np.testing.assert_allclose(state_sums(table, found.rules), 1)
    even = even_split(table)
    for ours, theirs in ((found.rules, even.rules), (found.root, even.root)):
        factor = np.abs(np.log(ours[theirs > 0] / theirs[theirs > 0]))
        assert (factor <= 2 * np.log(5.0) + 1e-9).all() and np.ptp(factor) > 0.5
    assert found.root.sum() == pytest.approx(1)
    again = random_parameters(table, np.random.default_rng(3))
    assert np.array_equal(again.rules, found.rules)


def test_the_model_has_the_probabilities_of_the_parameters(rng):
    trees = binarized(TREES)
    table, lexicon = tabulate(trees, 2)
    parameters = random_parameters(table, rng)
    grammar = to_grammar(trees, table, parameters, lexicon)
    blocks = table.blocks(parameters.rules)
    for rule in range(len(grammar.binary)):
        np.testing.assert_array_equal(grammar.binary.tensor(rule, grammar.n_states), blocks[rule])
    for rule in range(len(grammar.unary)):
        block = blocks[len(grammar.binary) + rule]
        np.testing.assert_array_equal(grammar.unary.matrix(rule, grammar.n_states), block[:, 0])
    np.testing.assert_array_equal(
        grammar.lexical.values, np.concatenate([b.ravel() for b in blocks[-len(grammar.lexical) :]])
    )
    assert grammar.root_probability.sum() == pytest.approx(1)
