"""n-best trees against all derivations, scored one by one."""

from __future__ import annotations

import numpy as np
import pytest
from grammars import random_grammar, words_of
from test_decoding import applications_of, best_by_brute_force

from lpcfg_cli.config import ParseSettings
from lpcfg_cli.parsing.parser import Parse, Parser, Status


def ranked_by_parser(grammar, text, decoder, n):
    settings = ParseSettings(threshold=0.0, rule_threshold=0.0, decoder=decoder, nbest=n)
    parser = Parser(grammar, settings)
    words = words_of(grammar, text.split())
    parser.candidates.of_sentence = lambda sentence: words
    return words, parser.parse([(word, "any") for word in text.split()])


@pytest.mark.parametrize("decoder", ["sum", "max-rule", "signed"])
@pytest.mark.parametrize("text", ["x y", "x x y", "x y x y", "y y z x y", "x x y y x"])
@pytest.mark.parametrize("n", [2, 7, 1000])
def test_are_the_best_of_all_derivations_in_order(text, decoder, n):
    grammar = random_grammar(np.random.default_rng(2))
    words, parse = ranked_by_parser(grammar, text, decoder, n)
    _, everything = best_by_brute_force(grammar, words, decoder)
    by_keys = {tuple(sorted(keys)): score for score, keys in everything}
    expected = sorted(by_keys.values(), reverse=True)[:n]
    found = [score for score, _ in parse.ranked]
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-4)
    assert found == sorted(found, reverse=True)
    trees = [tuple(sorted(applications_of(Parse([d], Status.PARSED), grammar))) for _, d in parse.ranked]
    assert len(set(trees)) == len(trees) == min(n, len(by_keys))
    for score, keys in zip(found, trees, strict=True):
        assert by_keys[keys] == pytest.approx(score, rel=1e-5, abs=1e-4)


def test_first_is_the_one_best_tree():
    grammar = random_grammar(np.random.default_rng(6))
    for text in ("x x y y x", "x y x z y x y", "y x y x x z y y x"):
        _, parse = ranked_by_parser(grammar, text, "max-rule", 5)
        (best,) = parse.derivations
        _, first = parse.ranked[0]
        for part in ("symbol", "kind", "hidden", "parent"):
            np.testing.assert_array_equal(getattr(first, part), getattr(best, part))
