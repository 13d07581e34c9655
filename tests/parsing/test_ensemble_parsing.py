"""Parsing with several grammars of the same rules, against all derivations scored by each grammar in turn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from charts import Sentence, applications_of, decoder_scores, name_of
from derivations import applications, brackets, derivations
from grammars import random_grammar, words_of

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.config import ParseSettings
from lpcfg_cli.grammar.model import LexicalRules
from lpcfg_cli.grammar.validity import groups_of_same_rules
from lpcfg_cli.parsing.candidates import WordCandidates
from lpcfg_cli.parsing.parse import Status
from lpcfg_cli.parsing.parser import Parser

SIZES = [(2, 3, 2, 1, 3, 2), (1, 2, 3, 2, 1, 1), (3, 1, 1, 2, 2, 3)]


def members(n, **how):
    return [random_grammar(np.random.default_rng(seed), SIZES[seed], **how) for seed in range(n)]


def means_by_brute_force(grammars, text, decoder):
    """The mean score of each derivation, by its applications."""
    by_member = []
    for grammar in grammars:
        every = list(Sentence(grammar, text).derivations())
        by_member.append({one.name: score for one, score in zip(every, decoder_scores(every, decoder), strict=True)})
    assert all(scores.keys() == by_member[0].keys() for scores in by_member)
    return {keys: np.mean([scores[keys] for scores in by_member]) for keys in by_member[0]}


def best_of_each_tree(grammars, text, decoder):
    """The best mean score of the derivations with the same brackets; given tags are written, whatever the symbols."""
    found = {}
    means, words = means_by_brute_force(grammars, text, decoder), words_of(grammars[0], text.split())
    for _, tree in derivations(grammars[0], words):
        score = means[name_of(applications(tree))]
        key = tuple(sorted(brackets(grammars[0], tree)))
        found[key] = max(score, found.get(key, score))
    return found


def rules_of(parse, grammar):
    """The rule applications of the one tree of a parse."""
    (derivation,) = parse.derivations
    return applications_of(derivation, grammar)


def parser_of(grammars, **settings):
    return Parser(grammars, ParseSettings(threshold=0.0, rule_threshold=0.0, fine_threshold=0.0, **settings))


@pytest.mark.parametrize("decoder", ["sum", "max-rule", "signed"])
@pytest.mark.parametrize("text", ["x y", "x x y", "x y x y", "y y z x y"])
@pytest.mark.parametrize("n", [2, 3])
def test_maximises_the_mean_of_the_members_scores(n, text, decoder):
    grammars = members(n)
    parse = parser_of(grammars, decoder=decoder).parse([(word, "any") for word in text.split()])
    expected = means_by_brute_force(grammars, text, decoder)
    found = expected[name_of(rules_of(parse, grammars[0]))]
    assert found == pytest.approx(max(expected.values()), abs=1e-4)
    assert parse.status is Status.PARSED


def test_together_they_find_what_no_member_finds_alone():
    differs = 0
    for text in ("x y x y", "x x y y x", "y y z x y", "x y x y x"):
        sentence = [(word, "any") for word in text.split()]
        grammars = members(3)
        alone = [rules_of(parser_of(g).parse(sentence), g) for g in grammars]
        differs += rules_of(parser_of(grammars).parse(sentence), grammars[0]) not in alone
    assert differs


def test_n_best_trees_have_the_mean_scores():
    grammars = members(3)
    parse = parser_of(grammars, decoder="max-rule", nbest=6).parse(
        [(word, "any") for word in ["x", "x", "y", "y", "x"]]
    )
    expected = sorted(best_of_each_tree(grammars, "x x y y x", "max-rule").values(), reverse=True)[:6]
    assert [score for score, _ in parse.ranked] == pytest.approx(expected, rel=1e-5, abs=1e-4)


def test_copies_of_one_grammar_parse_as_it_does_alone():
    grammar = random_grammar(np.random.default_rng(5))
    for text in ("x y", "x y x y", "y y z x y"):
        sentence = [(word, "any") for word in text.split()]
        one, three = (parser_of(g, decoder="max-rule").parse(sentence) for g in (grammar, [grammar] * 3))
        assert np.array_equal(one.derivations[0].symbol, three.derivations[0].symbol)
        assert one.log_probability == three.log_probability


def test_a_member_without_a_usable_total_is_passed_over():
    good, bad = members(2)
    bad = replace(bad, root_vector=np.zeros_like(bad.root_vector))
    sentence = [(word, "any") for word in ["x", "x", "y", "y", "x"]]
    together = parser_of([good, bad], decoder="max-rule").parse(sentence)
    assert rules_of(together, good) == rules_of(parser_of(good, decoder="max-rule").parse(sentence), good)
    assert together.status is Status.PARSED


def test_a_members_words_are_scaled_to_those_of_the_first():
    """A grammar whose lexical probabilities are all k times larger proposes the same vectors."""
    first, second = members(2)
    lexical = second.lexical
    larger = replace(lexical, probability=7 * lexical.probability, values=7 * lexical.values)
    sentence = [(word, "any") for word in "xyz"]
    words = WordCandidates(first).of_sentence(sentence)
    plain = WordCandidates(second).like(words, sentence)
    scaled = WordCandidates(replace(second, lexical=larger)).like(words, sentence)
    assert np.allclose(plain.vector, scaled.vector, rtol=1e-12)
    assert np.array_equal(plain.symbol, words.symbol)
    sums = [np.add.reduceat(part, words.start[:-1]).tolist() for part in (words.probability, plain.probability)]
    assert sums[0] == sums[1]


def test_a_word_that_a_member_never_saw_with_a_tag_gets_the_tags_unseen_vector():
    first, second = members(2)
    lexical = second.lexical
    kept = np.flatnonzero(~((lexical.symbol == 3) & (np.arange(len(lexical)) < lexical.entry_start[1])))  # (t, x)
    blocks = [lexical.values[lexical.start[r] : lexical.start[r + 1]] for r in kept]
    fewer = LexicalRules(
        lexical.symbol[kept],
        lexical.probability[kept],
        np.array([np.searchsorted(kept, k) for k in lexical.entry_start]),
        starts(np.array([len(block) for block in blocks])),
        np.concatenate(blocks),
    )
    other = replace(second, lexical=fewer)
    words = WordCandidates(first).of_sentence([("x", "any")])
    like = WordCandidates(other).like(words, [("x", "any")])
    at = words.symbol.tolist().index(3)
    vector = like.vector[like.vector_start[at] : like.vector_start[at + 1]]
    unseen = other.unseen_vector[other.state_start[3] : other.state_start[4]]
    assert np.allclose(vector / vector.sum(), unseen / unseen.sum())


def test_grammars_are_grouped_by_their_rules():
    one, two = members(2)
    binary = replace(two.binary, parent=two.binary.parent[::-1].copy())
    other, renamed = replace(one, binary=binary), replace(two, symbols=two.symbols[::-1])
    assert groups_of_same_rules([one, other, two, renamed, replace(other)]) == [[one, two], [other, other], [renamed]]


def test_the_oracle_sees_several_trees():
    assert len(list(derivations(members(1)[0], words_of(members(1)[0], ["x", "x", "y"])))) > 1
