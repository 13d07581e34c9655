"""Weights of trees: a tree of weight k counts as k equal trees, in all counts, moments and parameters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from em_trees import binarized, tabulate
from hypothesis import given
from hypothesis import strategies as st
from tiny_trees import TINY_TREES

from lpcfg_cli.arrays.grouping import group_by, means_by
from lpcfg_cli.config import (
    EmSettings,
    EstimateSettings,
    FeatureSettings,
    LexiconSettings,
    PivotSettings,
    Settings,
    SvdSettings,
)
from lpcfg_cli.features.archive import feature_arrays, features_from_arrays
from lpcfg_cli.grammar.tree_values import rule_values, tree_values
from lpcfg_cli.learning import pivot, tree_em
from lpcfg_cli.learning.clusters import count_states
from lpcfg_cli.learning.learner import LearningContext
from lpcfg_cli.learning.learners import LEARNERS
from lpcfg_cli.learning.preparation import lexicon_of, prepare
from lpcfg_cli.learning.random_em import random_split
from lpcfg_cli.learning.smoothing import smoothed_binary, smoothed_unary
from lpcfg_cli.learning.spectral import unseen_probabilities
from lpcfg_cli.spectral.scaling import cross_moment
from lpcfg_cli.tagging.training import train_tagger
from lpcfg_cli.treebank.binary_text import read_binary_trees, symbols_to_json, write_binary_trees
from lpcfg_cli.treebank.brackets import bracket_strings, treebank_from_text

LINES = list(bracket_strings(treebank_from_text(TINY_TREES)))
WEIGHTS = [1 + k % 3 for k in range(len(LINES))]
SETTINGS = Settings(
    lexicon=LexiconSettings(rare_below=4),
    features=FeatureSettings(templates="full"),
    svd=SvdSettings(states=3, tolerance=1e-6),
    estimate=EstimateSettings(binary_c=3.0, unary_c=2.0, lexical_max_count=3),
    em=EmSettings(iterations=3, refine=2, tolerance=0.0),
)


def pair(weights=WEIGHTS, lines=LINES):
    """A weighted treebank, and the treebank in which each tree stands as often as its weight says."""
    repeated = [line for line, weight in zip(lines, weights, strict=True) for _ in range(weight)]
    return replace(binarized(lines), weight=np.array(weights, float)), binarized(repeated)


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def one_of_each(values, weights=WEIGHTS):
    """The values of the first of equal trees."""
    return values[np.cumsum([0, *weights[:-1]])]


@pytest.mark.parametrize("name", ["spectral", "em", "pcfg", "markov"])
def test_a_tree_of_weight_k_is_k_trees(name):
    settings = replace(SETTINGS, estimate=replace(SETTINGS.estimate, learner=name))
    weighted, repeated = pair()
    grammars = [
        LEARNERS[name].fit(prepare(trees, settings)[0], settings, LearningContext()).grammar
        for trees in (weighted, repeated)
    ]
    found, expected = grammars
    assert found.lexicon == expected.lexicon
    for kind in ("binary", "unary", "lexical"):
        close(getattr(found, kind).probability, getattr(expected, kind).probability)
    close(found.root_probability, expected.root_probability)
    close(found.unseen_probability, expected.unseen_probability)
    values, others = (tree_values(grammar, weighted) for grammar in grammars)
    assert np.ptp(others) > 0
    np.testing.assert_allclose(values, others, rtol=1e-8)  # free of the signs and bases of the SVD


def test_the_parameters_of_probabilistic_learners_are_the_same():
    settings = replace(SETTINGS, estimate=replace(SETTINGS.estimate, learner="em"))
    found, expected = (
        rule_values(LEARNERS["em"].fit(prepare(trees, settings)[0], settings, LearningContext()).grammar)
        for trees in pair()
    )
    assert found.keys() == expected.keys()
    for rule, values in found.items():
        np.testing.assert_allclose(values, expected[rule], rtol=1e-9, atol=1e-15)


def test_features_and_their_cross_moments_are_the_same():
    described = [prepare(trees, SETTINGS)[0].features for trees in pair()]
    for side in ("inside", "outside"):
        close(*(getattr(one, side).count for one in described))
    for symbol in range(len(described[0].order.row_start) - 1):
        moments = []
        for one in described:
            phi, psi = (part.matrix(symbol, one.order, SETTINGS.features) for part in (one.inside, one.outside))
            moments.append(cross_moment(phi, psi, one.order.weight_of(symbol)).toarray())
        close(*moments)


def test_rules_counts_and_expectations_are_the_same():
    weighted, repeated = pair()
    tables = [tabulate(trees, 3)[0] for trees in (weighted, repeated)]
    for name in ("count", "frequency", "root_frequency", "n_states"):
        close(*(getattr(table, name) for table in tables))
    assert tables[0].count.sum() == repeated.n_nodes
    start = random_split(tables[0], 3.0, np.random.default_rng(1))
    found, expected = (
        tree_em.expect(tree_em.divide_trees(trees, table), table, start)
        for trees, table in zip((weighted, repeated), tables, strict=True)
    )
    close(found.counts.root, expected.counts.root)
    close(found.counts.rules, expected.counts.rules)
    assert found.log_likelihood == pytest.approx(expected.log_likelihood, rel=1e-12)


def test_states_of_clusters_are_counted_with_weights():
    weighted, repeated = pair()
    tables = [tabulate(trees, [2] * len(trees.symbols))[0] for trees in (weighted, repeated)]
    state = np.random.default_rng(2).integers(0, 2, weighted.n_nodes)
    sizes = np.diff(weighted.tree_start)
    by_tree = np.split(state, np.cumsum(sizes)[:-1])
    of_all = np.concatenate([own for own, weight in zip(by_tree, WEIGHTS, strict=True) for _ in range(weight)])
    found, expected = count_states(weighted, tables[0], state), count_states(repeated, tables[1], of_all)
    close(found.root, expected.root)
    close(found.rules, expected.rules)


def test_the_decompositions_of_pivot_are_the_same():
    """Its parameters are not compared: they depend on features drawn for each node."""
    found, expected = (
        pivot.decompose_symbols(data.features, data.projections(), PivotSettings())
        for data in (prepare(trees, SETTINGS)[0] for trees in pair())
    )
    assert max(one.n_states for one in found) > 1
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one.states, other.states, atol=1e-6)


def test_all_learners_take_weights():
    """Weight moves probability to the rules of the tree that has it."""
    heavy = [20 if k == 3 else 1 for k in range(len(LINES))]
    for name, learner in LEARNERS.items():
        settings = replace(SETTINGS, estimate=replace(SETTINGS.estimate, learner=name))
        shares = []
        for weights in (heavy, [1] * len(LINES)):
            data, _ = prepare(pair(weights)[0], settings)
            grammar = learner.fit(data, settings, LearningContext()).grammar
            root = next(a for a, symbol in enumerate(grammar.symbols) if symbol.shown == "SBARQ")
            shares.append(grammar.root_probability[root])
        assert shares[0] == pytest.approx(20 / (20 + len(LINES) - 1), rel=1e-9), name
        assert shares[1] == pytest.approx(1 / len(LINES), rel=1e-9), name


@given(st.lists(st.integers(1, 3), min_size=2, max_size=6), st.integers(0, 99))
def test_smoothed_moments_are_those_of_repeated_instances(weights, seed):
    rng = np.random.default_rng(seed)
    sides = [rng.normal(size=(len(weights), m)) for m in (2, 3, 2)]
    default = tuple(rng.normal(size=m) for m in (2, 3, 2))
    often, ones = [np.repeat(side, weights, axis=0) for side in sides], np.ones(sum(weights))
    weight = np.array(weights, float)
    close(smoothed_binary(*sides, weight, default, 4.0).dense(), smoothed_binary(*often, ones, default, 4.0).dense())
    two = default[:2]
    close(smoothed_unary(*sides[:2], weight, two, 4.0), smoothed_unary(*often[:2], ones, two, 4.0))


def test_sums_and_means_are_weighted():
    groups = group_by(np.arange(4), [np.array([7, 5, 7, 5])])
    assert groups.sums(np.array([0.5, 1.0, 0.25, 2.0])).tolist() == [3.0, 0.75]
    means = means_by(np.array([0, 0, 2]), 3, np.array([[1.0], [5.0], [7.0]]), np.array([0.3, 0.1, 0.2]))
    close(means, [[2.0], [0.0], [7.0]])


def test_words_of_little_weight_are_known_and_tokens_are_rounded():
    trees = replace(binarized(["(S (A a) (B b))", "(S (A c) (B b))"]), weight=np.array([0.2, 2.6]))
    rare = lexicon_of(trees, LexiconSettings(rare_below=9, classes="tag")).rare
    assert dict(zip(rare.words, rare.counts, strict=True)) == {"a": 1, "b": 3, "c": 3}


def test_words_of_a_total_weight_of_at_most_1_foretell_unknown_words():
    trees = replace(binarized(["(S (A a) (B b))", "(S (A c) (B b))"]), weight=np.array([0.5, 1.5]))
    found = dict(zip((symbol.name for symbol in trees.symbols), unseen_probabilities(trees), strict=True))
    assert found == {"S": 0, "A": pytest.approx(0.6 / 2.1), "B": pytest.approx(0.1 / 2.1)}


def test_the_tagger_weighs_sentences():
    sentences = [[("run", "NN")], [("run", "VB")]]
    for weights, expected in (([3.0, 1.0], 0.75), ([1.0, 3.0], 0.25)):
        tagger = train_tagger(sentences, SETTINGS.tagger, 0, weight_of=np.array(weights))
        assert dict(zip(tagger.tags, tagger.prior, strict=True))["NN"] == pytest.approx(expected)
        assert (tagger.best_tags(["run"])[0] == "NN") == (expected > 0.5)


def test_weights_are_stored_with_trees_and_features_unless_all_are_1():
    plain = binarized(LINES)
    weighted = plain.with_taught(np.array([0.5, 0.25]))
    assert weighted.weight.tolist() == [1.0] * (len(LINES) - 2) + [0.5, 0.25]
    assert symbols_to_json(weighted)["taught"] == [0.5, 0.25]
    assert "taught" not in symbols_to_json(plain)
    text = "".join(f"{line}\n" for line in write_binary_trees(weighted))
    assert read_binary_trees(text, plain.symbols, plain.hidden_labels).n_taught == 0
    for trees, is_stored in ((weighted, True), (plain, False)):
        data, _ = prepare(trees, SETTINGS)
        arrays = feature_arrays(data.features, data.entry)
        assert ("row_weight" in arrays) == is_stored
        again = features_from_arrays({name: array.values for name, array in arrays.items()})
        assert again.order.weight.tobytes() == data.features.order.weight.tobytes()
        assert again.inside.count.dtype == (np.float64 if is_stored else np.int32)
