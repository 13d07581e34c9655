"""Prefix probabilities: against enumeration, a numpy twin, and identities."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from derivations import derivations, value_of
from grammars import as_components, grammar_from_tables, in_another_basis, random_grammar, words_of
from prefix_twin import Twin

from lpcfg_cli.parsing.coarse_kernels import coarse_inside
from lpcfg_cli.parsing.prefix import PrefixGrammar
from lpcfg_cli.parsing.surprisal import bits_of

WORDS = ("x", "y", "z")


def finite_grammar(rng, signed):
    """S, A and B over the tags t, u and v, without recursion: no string has more than five words."""
    m = (2, 3, 2, 2, 1, 2)

    def draw(*symbols):
        values = rng.uniform(0.1, 1.0, [m[a] for a in symbols])
        return values * rng.choice([-1, 1], values.shape) if signed else values

    binary = [(0, 1, 2), (1, 3, 4), (1, 3, 3), (2, 1, 5), (2, 4, 5), (0, 3, 2)]
    unary, lexical = [(0, 1), (1, 3), (2, 5), (2, 1)], [(3, 0), (3, 1), (4, 1), (5, 2), (4, 2), (5, 0)]
    return grammar_from_tables(
        ["S", "A", "B", "t", "u", "v"],
        m,
        {0: draw(0), 1: draw(1)},
        {rule: draw(*rule) for rule in binary},
        {rule: draw(*rule) for rule in unary},
        {(a, x): draw(a) for a, x in lexical},
        WORDS,
    )


def small(grammar, scale=0.05):
    """The grammar with weaker binary and unary rules, so that the sum over all strings converges."""
    rules = {"binary": (grammar.binary, scale), "unary": (grammar.unary, 0.3)}
    weaker = {
        name: replace(part, values=part.values * factor, probability=part.probability * factor)
        for name, (part, factor) in rules.items()
    }
    return replace(grammar, **weaker)


def totals(grammar, sentence, threshold=0.0):
    """Prefix totals of a sentence as the package computes them, undivided."""
    prefix = PrefixGrammar(grammar)
    found = prefix.prefixes(words_of(grammar, sentence), threshold)
    return found.sign * np.exp2(found.log2) * prefix.mass


def enumerated_strings(grammar, most):
    """The value of each string of at most `most` words, by its derivations."""
    found = {}
    for n in range(1, most + 1):
        for string in itertools.product(WORDS, repeat=n):
            words = words_of(grammar, string)
            found[string] = sum(value_of(grammar, words, *one) for one in derivations(grammar, words))
    return found


@pytest.mark.parametrize("signed", [False, True])
def test_prefix_totals_are_sums_over_all_strings(signed):
    grammar = finite_grammar(np.random.default_rng(3), signed)
    strings = enumerated_strings(grammar, 5)
    longest = [string for string, value in strings.items() if len(string) == 5 and value]
    assert longest and PrefixGrammar(grammar).is_converged
    for sentence in [*longest[:4], ("x", "y", "x"), ("y",), ("z", "z")]:
        found = totals(grammar, sentence)
        sums = [sum(v for s, v in strings.items() if s[:j] == sentence[:j]) for j in range(len(sentence) + 1)]
        np.testing.assert_allclose(found, [*sums, strings[sentence]], rtol=1e-9, atol=1e-12)


def test_recursive_rules_are_summed_over_all_depths():
    grammar = small(random_grammar(np.random.default_rng(5), (2, 1, 2, 1, 2, 1), signed=False), 0.004)
    strings = enumerated_strings(grammar, 4)
    found = totals(grammar, ("x", "y"))
    sums = [sum(v for s, v in strings.items() if s[:j] == ("x", "y")[:j]) for j in range(3)]
    np.testing.assert_allclose(found[:3], sums, rtol=1e-4)
    assert found[2] > sums[2]  # the strings of more than four words


@pytest.mark.parametrize("factored", [False, True])
@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_pass_equals_its_twin(seed, signed, factored):
    rng = np.random.default_rng(seed)
    grammar = small(random_grammar(rng, signed=signed))
    sentence = rng.choice(WORDS, 7)
    expected = Twin(grammar).totals(words_of(grammar, sentence))
    found = totals(as_components(grammar) if factored else grammar, sentence)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-14)


@pytest.mark.parametrize("signed", [False, True])
def test_what_follows_a_prefix_sums_to_the_prefix(signed):
    grammar = small(random_grammar(np.random.default_rng(8), signed=signed))
    for prefix in [("x",), ("x", "y"), ("y", "z", "x", "x")]:
        found = totals(grammar, prefix)
        longer = [totals(grammar, (*prefix, word))[len(prefix) + 1] for word in WORDS]
        assert sum(longer) + found[-1] == pytest.approx(found[-2], rel=1e-9)
    assert sum(totals(grammar, (word,))[1] for word in WORDS) == pytest.approx(PrefixGrammar(grammar).mass)


def test_totals_do_not_depend_on_the_basis():
    rng = np.random.default_rng(2)
    grammar = small(random_grammar(rng, signed=False))
    sentence = ("x", "z", "y", "y", "x")
    np.testing.assert_allclose(totals(in_another_basis(grammar, rng), sentence), totals(grammar, sentence), rtol=1e-8)


def test_pruning_loses_no_more_than_was_pruned():
    grammar = small(random_grammar(np.random.default_rng(4), signed=False))
    sentence = ("x", "y", "z", "y", "x", "y", "z", "y")
    exact = totals(grammar, sentence)
    hardly, much = (totals(grammar, sentence, threshold) for threshold in (1e-12, 0.02))
    np.testing.assert_allclose(hardly, exact, rtol=1e-9)
    assert (much <= exact * (1 + 1e-12)).all() and (much < exact * 0.9999).any()
    assert much[1] == pytest.approx(exact[1])  # no item has ended before the first word


def test_an_item_is_pruned_by_its_share_of_the_prefix():
    grammar = finite_grammar(np.random.default_rng(3), signed=False)
    plain, sentence = PrefixGrammar(grammar).plain, ("x", "y", "x", "z", "z")
    words = words_of(grammar, sentence)
    inside, _ = coarse_inside(5, plain.coarse, words)
    bottom, top = plain.shares(words, inside)
    at_first = [sum(bottom[0, 1]), sum(top[0, :, 1])]
    # every tree has one bottom item over the first word, and one top item above it
    assert at_first[0] == pytest.approx(1.0)
    assert at_first[1] == pytest.approx(1.0)
    assert bottom.max() <= 1 + 1e-12 and top.max() <= 1 + 1e-12


def test_impossible_words_have_probability_zero_and_nothing_follows():
    grammar = finite_grammar(np.random.default_rng(3), signed=False)
    strings = enumerated_strings(grammar, 5)
    longest = next(string for string, value in strings.items() if len(string) == 5 and value)
    prefix = PrefixGrammar(grammar)
    bits = bits_of([prefix.prefixes(words_of(grammar, (*longest, "x", "y")), 0.0)])
    assert np.isfinite(bits[:5]).all() and np.isposinf(bits[5]) and np.isnan(bits[6:]).all() and len(bits) == 8


def test_the_mean_of_several_grammars_is_that_of_their_prefix_probabilities():
    grammars = [small(random_grammar(np.random.default_rng(seed), signed=False)) for seed in (1, 2)]
    sentence = ("x", "y", "y")
    each = [totals(one, sentence) / PrefixGrammar(one).mass for one in grammars]
    mean = np.mean(each, 0)
    found = bits_of([PrefixGrammar(one).prefixes(words_of(one, sentence), 0.0) for one in grammars])
    np.testing.assert_allclose(found, -np.log2(mean[1:] / mean[:-1]), rtol=1e-9)
