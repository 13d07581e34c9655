"""Decoding against brute force, and what the parser does when there is no tree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from charts import FLOOR, SCORES, DecodedSentence, Sentence, decoder_scores
from grammars import random_grammar
from harness import check_best, enumerated_total

from lpcfg_cli.config import ParseSettings
from lpcfg_cli.parsing import parser as parser_module
from lpcfg_cli.parsing.layout import Marginals
from lpcfg_cli.parsing.output import bracket_lines
from lpcfg_cli.parsing.parse import Status
from lpcfg_cli.parsing.parser import Parser
from lpcfg_cli.parsing.scores import absolute_shares, log_shares, shares_of, signed_shares


@pytest.mark.parametrize("decoder", list(SCORES))
@pytest.mark.parametrize("text", ["x y", "x x y", "x y x y", "y y z x y", "x x y y x"])
@pytest.mark.parametrize("seed", range(4))
def test_parser_finds_the_best_of_all_derivations(text, seed, decoder):
    sentence = DecodedSentence(random_grammar(np.random.default_rng(seed)), text, decoder)
    check_best(sentence)
    assert sentence.parse().status is Status.PARSED


def test_signed_and_absolute_decoding_differ_where_the_total_is_negative():
    differs = 0
    for seed in range(20):
        grammar = random_grammar(np.random.default_rng(seed))
        every = list(Sentence(grammar, "x x y y x").derivations())
        if enumerated_total(every) < 0:
            by_sum, by_sign = (np.argmax(decoder_scores(every, decoder)) for decoder in ("sum", "signed"))
            differs += by_sum != by_sign
    assert differs > 0


def parse_lines(grammar, lines, **settings):
    parser = Parser(grammar, ParseSettings(**settings))
    sentences = [[tuple(token.split("/")) for token in line.split()] for line in lines]
    parses = [parser.parse(sentence) for sentence in sentences]
    return parses, list(bracket_lines(sentences, parses, grammar))


def test_sentence_outside_the_grammar_is_covered_by_pieces_under_one_root(monkeypatch):
    monkeypatch.setattr(parser_module, "MOST_STEPS", 0)  # no time for rules never seen
    grammar = random_grammar(np.random.default_rng(0))
    parses, lines = parse_lines(grammar, ["z/v z/v z/v"])
    assert parses[0].status is Status.PARTIAL
    assert lines == ["(TOP (A (v z)) (A (v z)) (A (v z)))"] or lines[0].count("(v z)") == 3
    assert lines[0].startswith("(TOP (")


def test_unknown_tag_is_kept_and_stands_for_any():
    grammar = random_grammar(np.random.default_rng(0))
    _, lines = parse_lines(grammar, ["x/GW y/u"])
    assert "(GW x)" in lines[0] and "(u y)" in lines[0]


def test_unseen_word_parses_by_its_tag():
    grammar = random_grammar(np.random.default_rng(0))
    parses, lines = parse_lines(grammar, ["never/t seen/u"])
    assert parses[0].status is Status.PARSED
    assert "(t never)" in lines[0] and "(u seen)" in lines[0]


def test_empty_sentence_gives_an_empty_tree_in_its_place():
    grammar = random_grammar(np.random.default_rng(0))
    parses, lines = parse_lines(grammar, ["x/t y/u", "", "y/u"])
    assert [parse.status for parse in parses] == [Status.PARSED, Status.EMPTY, Status.PARSED]
    assert lines[1] == "(())"


def test_brackets_and_blanks_in_words_are_escaped():
    grammar = random_grammar(np.random.default_rng(0))
    parser = Parser(grammar, ParseSettings())
    sentence = [("t(est)", "t"), ("a b", "u")]
    (line,) = bracket_lines([sentence], [parser.parse(sentence)], grammar)
    assert "(t t-LRB-est-RRB-)" in line and "(u a_b)" in line


def test_useless_total_falls_back_to_the_plain_pcfg():
    grammar = random_grammar(np.random.default_rng(0))
    broken = replace(grammar, root_vector=np.full_like(grammar.root_vector, np.nan))
    parses, lines = parse_lines(broken, ["x/t y/u"])
    assert parses[0].status is Status.COARSE
    assert "(t x)" in lines[0]


def test_too_high_a_threshold_falls_back_to_parsing_without_pruning():
    grammar = random_grammar(np.random.default_rng(0))
    parses, lines = parse_lines(grammar, ["x/t x/t y/u y/u"], threshold=0.999)
    pruned_nothing, expected = parse_lines(grammar, ["x/t x/t y/u y/u"], threshold=0.0, rule_threshold=0.0)
    assert parses[0].status is Status.UNPRUNED
    assert pruned_nothing[0].status is Status.PARSED
    assert lines == expected


def test_product_decoding_has_no_ties_where_the_total_nearly_cancels():
    """|µ|/|Z| cut at 1 would make all applications equal; shares of the largest marginal do not."""
    marginals = Marginals(0, 1e-9, np.array([0.5, -0.25]), np.array([]), np.array([1e-9]), np.array([-0.05]))
    scores = log_shares(shares_of(marginals))
    np.testing.assert_allclose(scores.edge, np.log([1.0, 0.5]))
    np.testing.assert_allclose(scores.lexical, np.log([FLOOR]))
    np.testing.assert_allclose(scores.identity, np.log([0.1]))


def test_scores_of_a_genuine_total_are_posteriors():
    marginals = Marginals(0, 0.5, np.array([0.5, 0.1]), np.array([0.2]), np.array([0.5]), np.array([0.3]))
    np.testing.assert_allclose(absolute_shares(shares_of(marginals)).edge, [1.0, 0.2])
    np.testing.assert_array_equal(absolute_shares(shares_of(marginals)).identity, [0.0])  # C13 sums over rules
    np.testing.assert_allclose(log_shares(shares_of(marginals)).unary, np.log([0.4]))
    negative = marginals._replace(edge=np.array([-0.5, 0.1]))
    np.testing.assert_allclose(signed_shares(shares_of(negative)).edge, [-1.0, 0.2])
