"""The entropy of the next word, against sums over all strings of a grammar without recursion."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from derivations import derivations, value_of
from grammars import words_of
from test_prefix import WORDS, finite_grammar

from lpcfg_cli.grammar.production_grammar import parse_productions
from lpcfg_cli.parsing.prefix_words import STRANGE, Predicted
from lpcfg_cli.parsing.surprisal import SurprisalModel, SurprisalOptions
from lpcfg_cli.tagging.tagger import OPEN_TAG


def entropy(values):
    shares = np.array([value for value in values if value > 0], float)
    shares /= shares.sum()
    return -float(shares @ np.log2(shares))


def following(strings, prefix):
    """What may follow a prefix: each word, an unknown word, and the end."""
    n = len(prefix)
    by_word = [sum(v for s, v in strings.items() if s[: n + 1] == (*prefix, word)) for word in WORDS]
    return [*((1 - STRANGE) * value for value in by_word), STRANGE * sum(by_word), strings.get(prefix, 0.0)]


@pytest.mark.parametrize("seed", [3, 4])
def test_it_is_the_entropy_over_all_strings(seed):
    grammar = finite_grammar(np.random.default_rng(seed), signed=False)
    strings = {}
    for n in range(1, 6):
        for string in itertools.product(WORDS, repeat=n):
            words = words_of(grammar, string)
            strings[string] = sum(value_of(grammar, words, *one) for one in derivations(grammar, words))
    model = SurprisalModel([grammar], SurprisalOptions(threshold=0.0, entropy=True))
    sentences = [string for string, value in strings.items() if value and len(string) in (2, 4, 5)]
    assert len(sentences) > 20
    for sentence in sentences[:: len(sentences) // 12]:
        found = model.of_sentence([(word, OPEN_TAG) for word in sentence])
        expected = [entropy(following(strings, sentence[:j])) for j in range(len(sentence) + 1)]
        np.testing.assert_allclose(found.entropy, expected, rtol=1e-7, atol=1e-9)


def test_signed_parameters_have_none_where_a_probability_is_negative():
    grammar = finite_grammar(np.random.default_rng(3), signed=True)
    model = SurprisalModel([grammar], SurprisalOptions(threshold=0.0, signed=True, entropy=True))
    found = model.of_sentence([("x", OPEN_TAG), ("y", OPEN_TAG)])
    assert np.isnan(found.entropy).any()


TEXT = 'S -> A B\nA -> "x" [1] | "y" [1]\nB -> C "z"\n'.replace('C "z"', "C D") + 'C -> "c"\nD -> "d" [1] | "e" [3]\n'


def test_words_tags_and_both():
    grammar, _ = parse_productions(TEXT)
    tokens = [("x", "A"), ("c", "C"), ("e", "D")]
    strange = entropy([1 - STRANGE, STRANGE])
    bits = {}
    for predicted in Predicted:
        model = SurprisalModel([grammar], SurprisalOptions(predicted, 0.0, entropy=True))
        bits[predicted] = model.of_sentence(tokens).entropy
    assert bits[Predicted.TAGS] == pytest.approx([0, 0, 0, 0], abs=1e-9)
    expected = [1 * (1 - STRANGE) + strange, strange, entropy([1, 3]) * (1 - STRANGE) + strange, 0]
    assert bits[Predicted.WORDS] == pytest.approx(expected, abs=1e-9)
    assert bits[Predicted.BOTH] == pytest.approx(expected, abs=1e-9)


def test_an_ensemble_has_the_entropy_of_the_mean():
    one, _ = parse_productions('S -> A B\nA -> "x" [3] | "y" [1]\nB -> "x" [1] | "y" [1]\n')
    two, _ = parse_productions('S -> A B\nA -> "x" [1] | "y" [3]\nB -> "x" [9] | "y" [1]\n')
    model = SurprisalModel([one, two], SurprisalOptions(threshold=0.0, entropy=True))
    found = model.of_sentence([("x", OPEN_TAG), ("y", OPEN_TAG)]).entropy
    known = 1 - STRANGE
    strange = entropy([known, STRANGE])
    # after x the first grammar has three quarters of the weight
    share = 0.75 * 0.5 + 0.25 * 0.9
    expected = [known * 1 + strange, known * entropy([share, 1 - share]) + strange, 0]
    assert found == pytest.approx(expected, abs=1e-9)
    assert math.isclose(found[2], 0, abs_tol=1e-9)
