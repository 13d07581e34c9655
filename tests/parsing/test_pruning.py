"""Pruning of a forest by one grammar for the others, against the derivations without pruned steps."""

from __future__ import annotations

import numpy as np
import pytest
from derivations import applications, derivations, identities, value_of
from forests import forest_of, marginals_of, named, posteriors_of
from grammars import random_grammar, words_of

from lpcfg_cli.config import ParseSettings
from lpcfg_cli.parsing.parse import Status
from lpcfg_cli.parsing.parser import Parser
from lpcfg_cli.parsing.pruning import probable, surviving_forest

SENTENCES = ["x y", "x x y", "x y x y", "y y z x y", "x x y y x"]


def pruned(grammar, text, threshold):
    """The sentence's words, its forest, coarse inside and posteriors, and what survives the threshold."""
    words = words_of(grammar, text.split())
    forest, inside = forest_of(grammar, words)
    posteriors = posteriors_of(grammar, words, forest, inside)
    return words, forest, inside, posteriors, probable(forest, posteriors, threshold)


@pytest.mark.parametrize("text", SENTENCES)
def test_nothing_is_below_a_threshold_of_zero(text):
    _, forest, _, _, kept = pruned(random_grammar(np.random.default_rng(0)), text, 0.0)
    for ours, theirs in zip(surviving_forest(forest, kept), forest, strict=True):
        np.testing.assert_array_equal(ours, theirs)
        assert ours.dtype == theirs.dtype


@pytest.mark.parametrize("threshold", [0.01, 0.1, 0.3])
@pytest.mark.parametrize("text", SENTENCES)
def test_another_grammar_sees_the_derivations_without_improbable_steps(text, threshold):
    first, second = (random_grammar(np.random.default_rng(seed), signed=seed == 1) for seed in (0, 1))
    _, forest, inside, posteriors, kept = pruned(first, text, threshold)
    words = words_of(second, text.split())
    smaller = surviving_forest(forest, kept)
    survivors = set(named(smaller, kept.of(posteriors)))
    likely = named(forest, posteriors)
    assert {key for key in survivors if key[0] in ("binary", "unary")} == {
        key for key, value in likely.items() if value >= threshold and key[0] in ("binary", "unary")
    }
    assert named(smaller, kept.of(posteriors)).items() <= likely.items()
    expected = sum(
        value_of(second, words, symbol, tree)
        for symbol, tree in derivations(second, words)
        if survivors.issuperset([*applications(tree), *identities(second, tree)])
    )
    found = marginals_of(second, words, smaller, inside)
    scale = 2.0 ** float(found.exponent + inside.exponent[0, len(text.split())])
    assert found.total * scale == pytest.approx(expected, rel=1e-9, abs=1e-12)


def parse(grammars, text, **settings):
    settings = ParseSettings(threshold=0, rule_threshold=0, **settings)
    return Parser(grammars, settings).parse([(word, "any") for word in text.split()])


def test_a_threshold_that_leaves_no_tree_is_lifted():
    grammars = [random_grammar(np.random.default_rng(seed), signed=False) for seed in range(2)]
    everything, nothing = (parse(grammars, "x y x y x x", fine_threshold=t) for t in (0.0, 1.1))
    assert everything.status is Status.PARSED and nothing.status is Status.UNPRUNED
    np.testing.assert_array_equal(everything.derivations[0].symbol, nothing.derivations[0].symbol)


def test_whatever_is_left_there_is_a_tree():
    """Also if top items survive without any bottom item below them."""
    statuses = set()
    for seed in range(4):
        grammars = [random_grammar(np.random.default_rng(k)) for k in (seed, seed + 1)]
        for text in ("x", "y y", "x y", "x x y"):
            statuses |= {parse(grammars, text, fine_threshold=t).status for t in (0.3, 0.5, 0.7, 0.9)}
    assert statuses == {Status.PARSED, Status.UNPRUNED}


def test_only_what_is_probable_is_left_to_decode():
    grammars = [random_grammar(np.random.default_rng(seed), signed=False) for seed in range(2)]
    whole, less = (parse(grammars, "x y x y x x", fine_threshold=t) for t in (0.0, 0.05))
    assert 0 < less.n_applications < whole.n_applications
    alone = parse(grammars[:1], "x y x y x x", fine_threshold=0.05)
    assert alone.n_applications == whole.n_applications  # one grammar hides nothing from itself
