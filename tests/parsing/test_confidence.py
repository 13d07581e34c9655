"""Probabilities of trees and brackets, and n-best trees, against all derivations one by one, grouped by their trees."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from charts import decoder_scores
from derivations import applications, derivations, identities, value_of, written_tree
from grammars import random_grammar, words_of
from harness import Derivation
from test_expected_brackets import distribution

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.config import ParseSettings
from lpcfg_cli.parsing.confidence import Confidence
from lpcfg_cli.parsing.output import to_treebank
from lpcfg_cli.parsing.parse import Status
from lpcfg_cli.parsing.parser import Parser
from lpcfg_cli.tagging.tagger import OPEN_TAG

SENTENCES = ["x", "x y", "x x y", "x y x y", "y y z x y"]


def with_variants(seed, signed=False):
    """A grammar that has each unary rule twice, once with a hidden A, so that several derivations write one tree."""
    grammar = random_grammar(np.random.default_rng(seed), signed=signed)
    unary = grammar.unary
    twice = np.repeat(np.arange(len(unary)), 2)
    blocks = [unary.values[unary.start[r] : unary.start[r + 1]] * (0.5 + k % 2) for k, r in enumerate(twice)]
    doubled = replace(
        unary,
        parent=unary.parent[twice],
        child=unary.child[twice],
        hidden=np.tile(np.array([0, 1], np.int32), len(unary)),
        probability=unary.probability[twice],
        start=starts([len(block) for block in blocks]),
        values=np.concatenate(blocks),
    )
    return replace(grammar, hidden_labels=[(), ("A",)], unary=doubled)


def parser_of(grammars, words, **settings):
    parser = Parser(grammars, ParseSettings(threshold=0.0, rule_threshold=0.0, fine_threshold=0.0, **settings))
    parser.candidates.with_tags = lambda sentence, tags: words
    return parser


def parse_of(grammar, text, **settings):
    words = words_of(grammar, text.split())
    parser = parser_of(grammar, words, nbest=10_000, **settings)
    return parser.parse([(word, OPEN_TAG) for word in text.split()], with_confidence=True)


def tree_of_parse(derivation, parse, text, grammar):
    """`written_tree` of a derivation of the parser."""
    one = replace(parse, derivations=[derivation])
    trees = to_treebank([[(word, OPEN_TAG) for word in text.split()]], [one], grammar)
    i, j = trees.spans()
    chains, tags = defaultdict(list), []
    for node in range(trees.n_nodes):
        label = trees.strings[trees.label[node]]
        if trees.word[node] >= 0:
            tags.append(label)
        elif chains[i[node], j[node]][-1:] != [label]:
            chains[i[node], j[node]].append(label)
    return tuple(sorted((span, tuple(labels)) for span, labels in chains.items())), tuple(tags)


@pytest.mark.parametrize("text", SENTENCES)
@pytest.mark.parametrize("signed", [False, True])
def test_trees_have_the_sum_of_their_derivations(text, signed):
    grammar = with_variants(3, signed)
    words = words_of(grammar, text.split())
    trees, probability = distribution(grammar, words)
    values = [value_of(grammar, words, *tree) for tree in derivations(grammar, words)]
    sums, posteriors = defaultdict(float), defaultdict(float)
    for tree, value, p in zip(trees, values, probability, strict=True):
        sums[written_tree(grammar, tree)] += value
        posteriors[written_tree(grammar, tree)] += p
    parse = parse_of(grammar, text)
    found = {
        tree_of_parse(derivation, parse, text, grammar): one
        for (_, derivation), one in zip(parse.ranked, parse.confidences, strict=True)
    }
    assert found.keys() == sums.keys() and len(found) == len(parse.ranked)
    size = max(map(abs, values))
    for tree, one in found.items():
        assert one.posterior == pytest.approx(posteriors[tree], abs=1e-4)
        if abs(sums[tree]) > 1e-4 * size:
            assert np.isnan(one.log_probability) == (sums[tree] < 0)
        if sums[tree] > 1e-4 * size:
            assert one.log_probability == pytest.approx(np.log(sums[tree]), abs=1e-3)
    assert sum(one.posterior for one in found.values()) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("signed", [False, True])
def test_brackets_have_the_sum_of_the_trees_that_have_them(signed):
    grammar = with_variants(4, signed)
    parse = parse_of(grammar, "x y x y")
    total = defaultdict(float)
    for one in parse.confidences:
        for bracket in {(b.label, b.start, b.stop) for b in one.brackets}:
            total[bracket] += one.posterior
    n_checked = 0
    for one in parse.confidences:
        found = defaultdict(float)
        for b in one.brackets:  # a repeated bracket is less probable than one
            found[b.label, b.start, b.stop] = max(b.posterior, found[b.label, b.start, b.stop])
        assert found == pytest.approx({key: total[key] for key in found}, abs=1e-4)
        n_checked += len(found)
    assert n_checked > 20


def test_of_several_grammars_the_mean_posterior_counts():
    grammars = [with_variants(seed) for seed in (5, 6)]
    both = parse_of_all(grammars, "x y x y")
    alone = [parse_of(grammar, "x y x y") for grammar in grammars]
    shares = [
        {
            tree_of_parse(d, one, "x y x y", grammars[0]): c.posterior
            for (_, d), c in zip(one.ranked, one.confidences, strict=True)
        }
        for one in alone
    ]
    assert len(both.ranked) == len(shares[0]) > 5
    for (_, derivation), one in zip(both.ranked, both.confidences, strict=True):
        tree = tree_of_parse(derivation, both, "x y x y", grammars[0])
        assert one.posterior == pytest.approx(np.mean([share[tree] for share in shares]), abs=1e-4)


def parse_of_all(grammars, text):
    sentence = [(word, OPEN_TAG) for word in text.split()]
    parser = parser_of(grammars, words_of(grammars[0], text.split()), nbest=10_000)
    for (candidates, _, _), grammar in zip(parser.others, grammars[1:], strict=True):
        candidates.like = lambda words, sentence, grammar=grammar: words_of(grammar, text.split())
    return parser.parse(sentence, with_confidence=True)


@pytest.mark.parametrize("n", [2, 5, 1000])
@pytest.mark.parametrize("text", SENTENCES)
def test_n_best_trees_are_the_best_of_different_trees(text, n):
    grammar = with_variants(7)
    words = words_of(grammar, text.split())
    every = [
        (
            tree,
            Derivation((*applications(tree), *identities(grammar, tree)), value_of(grammar, words, root, tree), None),
        )
        for root, tree in derivations(grammar, words)
    ]
    scores = decoder_scores([one for _, one in every], "max-rule")
    best = {}
    for (tree, _), score in zip(every, scores, strict=True):
        key = written_tree(grammar, tree)
        best[key] = max(score, best.get(key, -np.inf))
    parser = parser_of(grammar, words, nbest=n, decoder="max-rule")
    parse = parser.parse([(word, OPEN_TAG) for word in text.split()])
    found = {tree_of_parse(d, parse, text, grammar): score for score, d in parse.ranked}
    assert len(found) == len(parse.ranked) == min(n, len(best))
    assert len(best) < len(every) or text == "x"
    assert list(found.values()) == pytest.approx(sorted(best.values(), reverse=True)[:n], abs=1e-4)
    assert all(best[tree] == pytest.approx(score, abs=1e-4) for tree, score in found.items())


def test_a_given_tag_is_one_whatever_the_preterminal():
    grammar = with_variants(8)
    words = words_of(grammar, ["x", "y"])
    sentence = [("x", "any"), ("y", "any")]
    given = parser_of(grammar, words, nbest=1000).parse(sentence, with_confidence=True)
    opened = parse_of(grammar, "x y")
    assert 1 < len(given.ranked) < len(opened.ranked)
    assert sum(one.posterior for one in given.confidences) == pytest.approx(1, abs=1e-4)


def test_a_parse_has_confidences_only_if_asked():
    grammar = with_variants(9)
    parser = parser_of(grammar, words_of(grammar, ["x", "y"]))
    sentence = [("x", OPEN_TAG), ("y", OPEN_TAG)]
    assert parser.parse(sentence).confidences == []
    parse = parser.parse(sentence, with_confidence=True)
    assert parse.status is Status.PARSED
    (one,) = parse.confidences
    assert isinstance(one, Confidence) and one.log_probability <= parse.log_probability
    assert one.posterior == pytest.approx(np.exp(one.log_probability - parse.log_probability), rel=1e-4)
