"""Words without tags: weights of candidates against enumeration of all taggings."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from grammars import random_grammar
from inside_outside_twin import inside_outside

from lpcfg_cli.config import ParseSettings
from lpcfg_cli.parsing.candidates import WordCandidates
from lpcfg_cli.parsing.output import bracket_lines
from lpcfg_cli.parsing.parser import Parser
from lpcfg_cli.tagging.tagger import OPEN_TAG, Tagger

TAGS = ("t", "u", "v")
PRIOR = np.array([0.5, 0.3, 0.2])
WORDS = ("x", "y", "z")
SCORES = np.array([[0.3, 0.9, -0.4], [1.1, -0.2, 0.6], [0.0, 0.1, 0.2]])


def tagger_of(scores=SCORES):
    """A tagger that uses only the word itself."""
    n = len(TAGS)
    return Tagger(
        TAGS,
        PRIOR,
        tuple(f"word={word}" for word in WORDS),
        np.arange(len(WORDS) + 1) * n,
        np.tile(np.arange(n, dtype=np.int32), len(WORDS)),
        scores.astype(np.float32).ravel(),
        np.ones((n + 1, n)),
    )


def weight_of(grammar, word, tag):
    """[p(t | word) / p(t)] / p(word | t), up to a factor that all tags of the word share."""
    score = np.exp(SCORES[WORDS.index(word)])
    posterior = (score / score.sum())[TAGS.index(tag)]
    _, probability, _ = WordCandidates(grammar).of_word(word, tag)
    return posterior / PRIOR[TAGS.index(tag)] / probability[0]


@pytest.mark.parametrize("text", ["x y", "z x y", "y x z x"])
def test_the_total_is_that_of_all_taggings_weighted(text):
    grammar = random_grammar(np.random.default_rng(2))
    words = text.split()
    open_words = WordCandidates(grammar, tagger_of(), 0.0).of_sentence([(word, OPEN_TAG) for word in words])
    tagged = WordCandidates(grammar)
    total = 0.0
    for tags in product(TAGS, repeat=len(words)):
        sentence = list(zip(words, tags, strict=True))
        own = inside_outside(grammar, tagged.of_sentence(sentence)).total
        total += own * np.prod([weight_of(grammar, *token) for token in sentence])
    best = [max(TAGS, key=lambda tag: SCORES[WORDS.index(word)][TAGS.index(tag)]) for word in words]
    common = np.prod([weight_of(grammar, *token) for token in zip(words, best, strict=True)])
    assert inside_outside(grammar, open_words).total == pytest.approx(total / common, rel=1e-6)


def test_one_tag_a_word_is_parsing_the_taggers_tags():
    grammar = random_grammar(np.random.default_rng(3))
    words = ["x", "y", "z", "x"]
    tagger = tagger_of()
    candidates = WordCandidates(grammar, tagger, 1.0)
    found = candidates.of_sentence([(word, OPEN_TAG) for word in words])
    expected = candidates.of_sentence(list(zip(words, tagger.best_tags(words), strict=True)))
    for name in found._fields:
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name))


def test_given_tags_stand_beside_open_ones():
    grammar = random_grammar(np.random.default_rng(3))
    parser = Parser(grammar, ParseSettings(threshold=0.0, rule_threshold=0.0, tag_threshold=0.0), tagger_of())
    for tag in TAGS:
        sentence = [("x", tag), ("y", OPEN_TAG), ("z", OPEN_TAG)]
        (line,) = bracket_lines([sentence], [parser.parse(sentence)], grammar)
        assert f"({tag} x)" in line
        assert sum(f"({other} y)" in line for other in TAGS) == 1


def test_what_the_tagger_is_sure_of_is_what_the_tree_has():
    grammar = random_grammar(np.random.default_rng(5), signed=False)
    for sure in product(range(3), repeat=3):
        scores = np.zeros((3, 3))
        scores[np.arange(3), sure] = 25.0
        parser = Parser(grammar, ParseSettings(), tagger_of(scores))
        sentence = [(word, OPEN_TAG) for word in WORDS]
        (line,) = bracket_lines([sentence], [parser.parse(sentence)], grammar)
        assert all(f"({TAGS[t]} {word})" in line for t, word in zip(sure, WORDS, strict=True))


def test_preterminals_of_one_tag_keep_their_proportions():
    grammar = random_grammar(np.random.default_rng(4))
    t, u = (next(k for k, s in enumerate(grammar.symbols) if s.tag == tag) for tag in "tu")
    symbols = list(grammar.symbols)
    symbols[u] = replace(symbols[u], labels=("A", "t"))  # as when unary chains are collapsed
    candidates = WordCandidates(replace(grammar, symbols=symbols), tagger_of(), 0.0)
    plain = candidates.of_word("x", "t")
    found, probability, vectors = candidates.of_open_word("x", [("v", 2.0), ("t", 3.0)])
    assert found[1:].tolist() == plain[0].tolist() == [t, u]
    assert probability[1] / probability[2] == pytest.approx(plain[1][0] / plain[1][1])
    assert probability[1:].mean() / probability[0] == pytest.approx(3.0 / 2.0)
    for vector, before, after, unscaled in zip(vectors[1:], plain[2], probability[1:], plain[1], strict=True):
        np.testing.assert_allclose(vector, before * after / unscaled)


def test_a_sentence_that_is_not_parsed_gets_the_taggers_tags():
    parser = Parser(random_grammar(np.random.default_rng(3)), ParseSettings(), tagger_of())
    assert parser.tagged([("x", OPEN_TAG), ("y", "w")]) == [("x", "u"), ("y", "w")]
    assert parser.tagged([("x", "t")]) == [("x", "t")]


def test_the_taggers_ratios_hold_for_every_member_of_an_ensemble():
    first, second = (random_grammar(np.random.default_rng(seed), signed=False) for seed in (6, 7))
    sentence = [("x", OPEN_TAG), ("z", OPEN_TAG)]
    words = WordCandidates(first, tagger_of(), 0.0).of_sentence(sentence)
    like = WordCandidates(second).like(words, sentence)
    for at, symbol in enumerate(like.symbol):
        word = sentence[int(np.searchsorted(words.start, at, side="right")) - 1][0]
        _, (own,), (vector,) = WordCandidates(second).of_word(word, second.symbols[symbol].tag)
        found = like.vector[like.vector_start[at] : like.vector_start[at + 1]]
        np.testing.assert_allclose(found, vector * words.probability[at] / own)
