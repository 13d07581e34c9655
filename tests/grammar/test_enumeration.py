"""All trees of a grammar, and their exact probabilities, against brute force."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from derivations import derivations, value_of
from enumerated_trees import exact_probabilities
from grammars import as_components, in_another_basis, random_grammar, words_of

from lpcfg_cli.errors import InputError
from lpcfg_cli.grammar import enumeration
from lpcfg_cli.grammar.enumeration import all_trees
from lpcfg_cli.grammar.text_grammar import KNOWN, parse_grammar, shipped_grammar
from lpcfg_cli.grammar.tree_values import tree_values
from lpcfg_cli.treebank.binarize import unbinarize
from lpcfg_cli.treebank.brackets import bracket_strings

ALL_KINDS = """
ROOT ->
    3  S[sg]
    1  N[pl]
S[sg] ->
    4  N[sg] V[sg]
    1  N[sg] V[sg] S[pl]
    1  (P) V[sg]
S[pl] ->
    4  N[pl] V[pl]
    1  Q
Q ->
    1  N[{sg pl}] Q
    1  N[sg] V[pl]
N[sg] = dog*5 fish
N[pl] = dogs*3 fish*2
V[sg] = barks*3 swam
V[pl] = bark*3 swam*4
"""


def by_text(grammar, trees):
    """{bracketed tree: value}, derivations of one tree added up; without those of value zero."""
    found = defaultdict(float)
    for text, value in zip(bracket_strings(unbinarize(trees)), tree_values(grammar, trees), strict=True):
        found[text] += value
    return {text: value for text, value in found.items() if value > 0}


@pytest.mark.parametrize("name", ["all kinds", *KNOWN])
def test_trees_and_probabilities_are_those_of_brute_force(name):
    grammar = (parse_grammar(ALL_KINDS) if name == "all kinds" else shipped_grammar(name)).grammar
    found, exact = by_text(grammar, all_trees(grammar, 4)), exact_probabilities(grammar, 4)
    assert len(found) > 30
    assert found == pytest.approx(exact, rel=1e-12)


def test_too_many_trees_are_refused_before_memory_is_full(monkeypatch):
    grammar = shipped_grammar("separable").grammar
    monkeypatch.setattr(enumeration, "MOST_TREES", 162)
    assert all_trees(grammar, 3).n_trees == 18 + 162
    with pytest.raises(InputError, match=r"more than 162 trees of 4 words. Ask for shorter ones"):
        all_trees(grammar, 4)


def test_most_of_the_shipped_grammars_probability_is_in_short_trees():
    for name in KNOWN:
        grammar = shipped_grammar(name).grammar
        masses = [tree_values(grammar, all_trees(grammar, n)).sum() for n in (2, 3, 4)]
        assert masses == sorted(masses)
        assert 0.9 < masses[-1] < 1


@pytest.mark.parametrize("factored", [False, True])
def test_values_are_those_of_derivations_for_signed_parameters(factored):
    grammar = random_grammar(np.random.default_rng(3), factored=factored)
    trees = all_trees(grammar, 3)
    values = tree_values(grammar, trees)
    total = 0.0
    for x in "xyz":
        for y in "xyz":
            words = words_of(grammar, [x, y])
            total += sum(value_of(grammar, words, symbol, tree) for symbol, tree in derivations(grammar, words))
    assert values[trees.sentence_lengths() == 2].sum() == pytest.approx(total, rel=1e-10)
    moved = in_another_basis(as_components(grammar), np.random.default_rng(4))
    np.testing.assert_allclose(tree_values(moved, trees), values, atol=1e-8 * np.abs(values).max())


def test_a_tree_with_an_unknown_rule_or_word_has_the_value_zero():
    whole = parse_grammar(ALL_KINDS).grammar
    part = parse_grammar(ALL_KINDS.replace("    1  (P) V[sg]\n", "").replace("barks*3 ", "")).grammar
    trees = all_trees(whole, 2)
    texts = list(bracket_strings(unbinarize(trees)))
    values = dict(zip(texts, tree_values(part, trees), strict=True))
    assert {text for text, value in values.items() if value == 0} >= {
        text for text in texts if "(P" in text or "barks" in text
    }
    assert values["(S (N dog) (V swam))"] > 0
