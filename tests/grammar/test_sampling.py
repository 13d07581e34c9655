"""Sampling from L-PCFGs: exact for true parameters in any basis, safe for estimates."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from enumerated_trees import exact_probabilities
from grammars import as_components, grammar_from_tables, in_another_basis

from lpcfg_cli.errors import InputError
from lpcfg_cli.grammar.lexicon import CLASS_MARK
from lpcfg_cli.grammar.sampling import Sampler, placeholder, plain_grammar, rule_options, tree_masses
from lpcfg_cli.grammar.sampling_kernels import choose
from lpcfg_cli.grammar.text_grammar import parse_grammar
from lpcfg_cli.treebank.binarize import unbinarize
from lpcfg_cli.treebank.binary import BINARY, LEXICAL, UNARY
from lpcfg_cli.treebank.brackets import bracket_strings

TWO_STATES = """
ROOT ->
    3  S[sg]
    2  S[pl]
    1  N[pl]
S[sg] ->
    4  N[sg] V[sg]
    1  N[sg] V[sg] S[pl]
    1  (P) V[sg]
S[pl] ->
    4  N[pl] V[pl]
    2  S[sg] N[{sg pl*3}]
    1  S[sg] V[pl] N[sg]
    1  N[pl]
    1  Q[deep]
Q[deep] ->
    1  N[sg] Q[flat]
Q[flat] ->
    1  V[pl]
N[sg] = dog*5 fish
N[pl] = dogs*3 fish*2
V[sg] = barks*3 swam
V[pl] = bark*3 swam*4
"""
"""Number agrees across subtrees, ambiguously for fish and swam; all kinds of rules, Q above a
unary rule and below one but never both; recursion on both sides."""

N_SAMPLES = 20_000
MOST_WORDS = 4


@pytest.fixture(scope="module")
def two_states():
    return parse_grammar(TWO_STATES).grammar


@pytest.fixture(scope="module")
def exact(two_states):
    return exact_probabilities(two_states, MOST_WORDS)


def sampled(grammar, n=N_SAMPLES, seed=0, max_words=60):
    trees, report = Sampler(grammar).sample(n, np.random.default_rng(seed), max_words)
    return list(bracket_strings(unbinarize(trees))), report


def assert_same_distribution(lines, exact):
    """Each tree's frequency is near its probability, and so are all together by χ² (five standard deviations)."""
    counts, n = Counter(lines), len(lines)
    short = [line for line in counts if line.count(" ") - line.count(" (") <= MOST_WORDS]
    assert set(short) <= set(exact), "a tree that the grammar does not have"
    cells = [(counts[line], n * p) for line, p in exact.items() if n * p >= 5]
    cells.append((n - sum(c for c, _ in cells), n - sum(e for _, e in cells)))
    deviations = [(count - expected) / np.sqrt(expected) for count, expected in cells]
    assert len(cells) > 50
    assert np.abs(deviations).max() < 4.5
    degrees = len(cells) - 1
    assert abs(np.sum(np.square(deviations)) - degrees) < 5 * np.sqrt(2 * degrees)


def test_probabilities_of_small_trees_by_hand(exact):
    assert exact["(S (N dog) (V barks))"] == pytest.approx(3 / 6 * 4 / 6 * 5 / 6 * 3 / 4)
    assert exact["(S (N fish) (V swam))"] == pytest.approx(
        1 / 2 * 2 / 3 * 1 / 6 * 1 / 4 + 1 / 3 * 4 / 9 * 2 / 5 * 4 / 7
    )
    assert exact["(S (P (V swam)))"] == pytest.approx(1 / 2 * 1 / 6 * 1 / 4)
    assert exact["(N dogs)"] == pytest.approx(1 / 6 * 3 / 5)
    assert "(S (N dogs) (V barks))" not in exact
    assert 0.8 < sum(exact.values()) < 1


def test_samples_follow_the_exact_distribution(two_states, exact):
    lines, report = sampled(two_states)
    assert_same_distribution(lines, exact)
    assert report.clipped == report.too_long == report.dead_ends == report.height == 0
    assert not report.is_plain
    assert report.mass == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(3))
def test_samples_do_not_depend_on_the_basis(two_states, exact, seed):
    """C14 Theorem 3: an invertible map of each nonterminal does not change the distribution, and here not the trees."""
    moved = in_another_basis(two_states, np.random.default_rng(seed))
    assert (moved.binary.values < 0).any()
    lines, report = sampled(moved, seed=seed + 10)
    assert_same_distribution(lines, exact)
    assert report.clipped == 0, "rounding is no clipping"
    assert lines == sampled(two_states, seed=seed + 10)[0]


def test_factored_tensors_give_the_same_trees(two_states):
    assert sampled(as_components(two_states), 500)[0] == sampled(two_states, 500)[0]


def test_the_plain_pcfg_has_trees_that_states_exclude(two_states):
    plain = plain_grammar(two_states)
    lines, _ = sampled(plain, 2000)
    assert "(S (N dogs) (V barks))" in lines
    assert_same_distribution(sampled(plain)[0], _proper(exact_probabilities(plain, MOST_WORDS), plain))


def _proper(probabilities, grammar):
    """Normalised by the mass of all trees, which is below 1 as the child of a unary rule may not have a unary rule."""
    mass = float(grammar.root_vector @ tree_masses(rule_options(grammar)[0]).top)
    return {text: p / mass for text, p in probabilities.items()}


def test_masses_are_the_sum_over_all_trees(two_states, exact):
    options, _ = rule_options(two_states)
    masses = tree_masses(options)
    assert masses.is_converged
    assert np.allclose(masses.top, 1.0)
    moved = in_another_basis(two_states, np.random.default_rng(4))
    assert moved.root_vector @ tree_masses(rule_options(moved)[0]).top == pytest.approx(1.0)


def test_relative_frequencies_approach_the_plain_probabilities(two_states):
    trees, _ = Sampler(two_states).sample(N_SAMPLES, np.random.default_rng(3), 60)
    count = np.bincount(trees.symbol, minlength=two_states.n_symbols)
    is_binary = trees.kind == BINARY
    for rule in range(len(two_states.binary)):
        a, b, c = (getattr(two_states.binary, side)[rule] for side in ("parent", "left", "right"))
        matches = (trees.symbol == a) & is_binary
        matches &= (trees.symbol[trees.left] == b) & (trees.symbol[trees.right] == c)
        expected = count[a] * two_states.binary.probability[rule]
        assert abs(matches.sum() - expected) < 4.5 * np.sqrt(expected)


def test_node_tables_are_complete(two_states):
    trees, report = Sampler(two_states).sample(200, np.random.default_rng(0), 60)
    assert trees.n_trees == report.trees == 200
    assert report.words == (trees.kind == LEXICAL).sum() == trees.sentence_lengths().sum()
    assert report.choices == trees.n_nodes
    assert ((trees.word >= 0) == (trees.kind == LEXICAL)).all()
    assert ((trees.hidden >= 0) == (trees.kind == UNARY)).all()


def test_long_trees_are_drawn_again(two_states):
    lines, report = sampled(two_states, 2000, max_words=3)
    longest = max(line.count(" ") - line.count(" (") for line in lines)
    assert longest == 3
    assert report.too_long > 0
    assert report.trees == 2000


def test_a_length_that_no_tree_has_is_an_error():
    grammar = parse_grammar("ROOT ->\n  1 S\nS ->\n  1 A A A\nA = a\n").grammar
    with pytest.raises(InputError, match="at most 2 words"):
        Sampler(grammar).sample(1, np.random.default_rng(0), 2)


def test_no_trees_wanted(two_states):
    trees, report = Sampler(two_states).sample(0, np.random.default_rng(0), 10)
    assert trees.n_trees == report.words == 0


def test_deep_trees_need_no_recursion():
    grammar = parse_grammar("ROOT ->\n  1 S\nS ->\n  0.999 A S\n  0.001 A A\nA = a\n").grammar
    _, report = sampled(grammar, 5, max_words=20_000)
    assert report.words / report.trees > 200


def signed_grammar(excess):
    """Half of the S are ``x x``; S → t S has the remaining weight plus `excess`, and S → u u a negative weight."""
    one = np.ones((1, 1, 1))
    binary = {(0, 1, 1): one / 2, (0, 1, 0): one * (0.5 + excess), (0, 2, 2): one * -excess}
    words = {(1, 0): np.ones(1), (2, 1): np.ones(1)}
    return grammar_from_tables(["S", "t", "u"], [1, 1, 1], {0: np.ones(1)}, binary, {}, words, ["x", "y"])


def test_negative_weights_are_clipped_and_counted():
    lines, report = sampled(signed_grammar(0.1), 500)
    assert not any("y" in line for line in lines)
    assert 0 < report.clipped == sum(line.count("(S") for line in lines)


def test_diverging_masses_fall_back_to_the_plain_pcfg():
    grammar = signed_grammar(0.6)
    plain = replace(grammar, binary=replace(grammar.binary, probability=np.array([0.6, 0.3, 0.1])))
    lines, report = sampled(plain, 500)
    assert report.is_plain
    assert any("y" in line for line in lines)
    assert report.clipped == 0


def test_choices_by_hand():
    weights = np.array([1.0, -2.0, 3.0])
    assert choose(weights, 0.24) == (0, 4.0, 2.0)
    assert choose(weights, 0.26) == (2, 4.0, 2.0)
    assert choose(weights, 1.0) == (2, 4.0, 2.0)
    assert choose(-np.abs(weights), 0.5) == (-1, 0.0, 6.0)


@pytest.mark.parametrize(
    ("entry", "word"),
    [
        ("dog", "dog"),
        (CLASS_MARK, "<rare>"),
        (CLASS_MARK + "C~ing", "<C~ing>"),
        (CLASS_MARK + "~a)(b", "<~a..b>"),
    ],
)
def test_classes_are_written_as_words(entry, word):
    assert placeholder(entry) == word
