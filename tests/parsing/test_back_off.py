"""Rules never seen: their probabilities against plain dictionaries, and the trees of sentences that need them."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from grammars import random_grammar

import lpcfg_cli as lpcfg
from lpcfg_cli.parsing import parser as parser_module
from lpcfg_cli.parsing.back_off import ANY_LABEL, UNSEEN_RULE, back_off_grammar, halves_of, number_of_rules

TREES = """(S (NP (D the) (N dog)) (VP (V saw) (NP (D a) (N cat))))
(S (NP (D the) (N cat)) (VP (V slept) (ADV well)))
(S (NP (D a) (N dog)) (VP (V saw) (NP (D the) (N cat)) (PP (P with) (NP (D a) (N dog)))))
"""


def halves(grammar):
    """{(symbol, side): {child: share}}, those of S pooled with those of @S; side is "left", "right" or "only"."""
    names, binary, unary = [s.name for s in grammar.symbols], grammar.binary, grammar.unary
    found = defaultdict(lambda: defaultdict(float))
    for a in names:
        for r in range(len(binary)):
            if names[binary.parent[r]].lstrip("@") == a.lstrip("@"):
                found[a, "left"][names[binary.left[r]]] += binary.probability[r]
                found[a, "right"][names[binary.right[r]]] += binary.probability[r]
        for r in range(len(unary)):
            if names[unary.parent[r]].lstrip("@") == a.lstrip("@"):
                found[a, "only"][names[unary.child[r]]] += unary.probability[r]
    return {key: {b: x / sum(share.values()) for b, x in share.items()} for key, share in found.items()}


def expected_rules(grammar, any_label):
    """Probabilities of all rules, by name, from the definition: {(a, b, c) or (a, b): probability}."""
    names, shares = [s.name for s in grammar.symbols], halves(grammar)
    bounded = [name for name in names if not name.startswith("@")]
    anywhere = {b: 0.1 + sum(share.get(b, 0) for share in shares.values()) for b in bounded}
    size = sum(anywhere.values())
    weights = defaultdict(float)
    binary, unary = grammar.binary, grammar.unary
    for r in range(len(binary)):
        weights[names[binary.parent[r]], names[binary.left[r]], names[binary.right[r]]] += binary.probability[r]
    for r in range(len(unary)):
        weights[names[unary.parent[r]], names[unary.child[r]]] += unary.probability[r]
    own = set(weights)
    for a in names:
        left, right = shares.get((a, "left"), {}), shares.get((a, "right"), {})
        if not left:
            continue
        for b in names:
            for c in names:
                any_b, any_c = (any_label * anywhere.get(x, 0) / size for x in (b, c))
                seen_left, seen_right = left.get(b, 0), right.get(c, 0)
                share = seen_left * (seen_right + any_c) if seen_left else any_b * seen_right
                if share:
                    weights[a, b, c] += UNSEEN_RULE * share
    for a in (s.name for s in grammar.symbols if not s.is_preterminal and not s.is_intermediate):
        for b in bounded:
            if any_label and b != a and (a, b) not in own:
                weights[a, b] = UNSEEN_RULE * any_label * anywhere[b] / size
    total = defaultdict(float)
    for rule, weight in weights.items():
        total[rule[0]] += weight
    return {rule: weight / total[rule[0]] for rule, weight in weights.items()}


def rules_by_name(grammar):
    names, binary, unary = [s.name for s in grammar.symbols], grammar.binary, grammar.unary
    found = {
        (names[a], names[b], names[c]): p
        for a, b, c, p in zip(binary.parent, binary.left, binary.right, binary.probability, strict=True)
    }
    return found | {
        (names[a], names[b]): p for a, b, p in zip(unary.parent, unary.child, unary.probability, strict=True)
    }


@pytest.mark.parametrize("any_label", [ANY_LABEL, 0.3, 0.0])
@pytest.mark.parametrize("seed", range(3))
def test_probabilities_are_those_of_the_definition(seed, any_label):
    grammar = random_grammar(np.random.default_rng(seed), signed=False)
    expected = expected_rules(grammar, any_label)
    found = rules_by_name(back_off_grammar(grammar, halves_of(grammar), any_label))
    assert found == pytest.approx(expected)
    assert len(found) > len(rules_by_name(grammar))


def test_rules_are_in_the_order_that_the_parser_needs():
    grammar = random_grammar(np.random.default_rng(0))
    smoothed = back_off_grammar(grammar, halves_of(grammar))
    binary, unary = smoothed.binary, smoothed.unary
    rows = list(zip(binary.left, binary.right, binary.parent, strict=True))
    assert rows == sorted(set(rows))
    rows = list(zip(unary.child, unary.parent, unary.hidden, strict=True))
    assert rows == sorted(set(rows))


def test_the_bound_on_the_number_of_rules_holds():
    for seed in range(3):
        grammar = random_grammar(np.random.default_rng(seed))
        found = halves_of(grammar)
        assert len(grammar.binary) < len(back_off_grammar(grammar, found).binary) <= number_of_rules(found)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    path = tmp_path_factory.mktemp("tiny") / "trees.mrg"
    path.write_text(TREES)
    return lpcfg.train(path)


@pytest.mark.parametrize(
    ("sentence", "tree"),
    [
        # a VP of V, PP was never seen, but V began one and PP ended one
        ("the/D dog/N slept/V with/P a/D cat/N",
         "(TOP (S (NP (D the) (N dog)) (VP (V slept) (PP (P with) (NP (D a) (N cat))))))"),
        # nothing ever followed a V directly but NP and ADV; an N is a label in a place where it was never seen
        ("the/D dog/N saw/V cat/N", "(TOP (S (NP (D the) (N dog)) (VP (V saw) (N cat))))"),
    ],
)  # fmt: skip
def test_a_sentence_outside_the_grammar_gets_a_whole_tree(tiny, sentence, tree):
    parse = tiny.parse([tuple(token.split("/")) for token in sentence.split()])
    assert (parse.status, str(parse)) == ("backed-off", tree)
    assert parse.logprob < 0
    assert len(parse.nbest(3)) == 3


def test_without_the_time_for_it_the_sentence_is_covered_by_pieces(tiny, monkeypatch):
    monkeypatch.setattr(parser_module, "MOST_STEPS", 0)
    parse = tiny.parse([("the", "D"), ("dog", "N"), ("saw", "V"), ("cat", "N")])
    assert (parse.status, str(parse)) == ("partial", "(TOP (NP (D the) (N dog)) (V saw) (N cat))")


def test_with_too_many_rules_only_seen_halves_are_combined(tiny, monkeypatch):
    monkeypatch.setattr(parser_module, "MOST_RULES", 0)
    alone = parser_module.Parser(tiny.parser.grammar, tiny.parser.settings)
    assert [len(other.grammar.binary) for other in alone.back_offs] == [
        len(back_off_grammar(tiny.parser.grammar, halves_of(tiny.parser.grammar), 0.0).binary)
    ]
    tagged = [("the", "D"), ("dog", "N"), ("slept", "V"), ("with", "P"), ("a", "D"), ("cat", "N")]
    assert alone.parse(tagged).status == "backed-off"
    assert alone.parse([("the", "D"), ("dog", "N"), ("saw", "V"), ("cat", "N")]).status == "partial"


@pytest.mark.parametrize(
    ("trees", "sentence", "tree"),
    [
        # neither a binary rule nor a half of one
        ("(S (UH Hush))\n", [("Hush", "UH"), ("Hush", "UH")], "(TOP (S (UH Hush)) (S (UH Hush)))"),
        # no unary rule
        ("(S (A a) (B b))\n", [("b", "B"), ("b", "B")], "(TOP (S (B b) (B b)))"),
    ],
)
def test_a_treebank_without_rules_of_a_kind(tmp_path, trees, sentence, tree):
    (tmp_path / "trees.mrg").write_text(trees)
    assert str(lpcfg.train(tmp_path / "trees.mrg").parse(sentence)) == tree
