"""The parser as NLTK's `ParserI`."""

from __future__ import annotations

import math

import pytest
from nltk.parse.api import ParserI
from nltk.tree import ProbabilisticTree, Tree

import lpcfg_cli
from lpcfg_cli.adaptors.nltk_parser import LpcfgParser

WORDS = ["The", "keeper", "lit", "the", "lamp", "."]
SENTENCES = [WORDS, ["John", "(", "slept", ")"], "They sold old rope.", []]


@pytest.fixture(scope="module")
def model(trained):
    return lpcfg_cli.load(trained)


def plain(tree):
    return Tree(tree.label(), list(tree))


def test_it_is_a_parser_of_nltk(model, trained):
    parser = LpcfgParser(trained, nbest=3)
    assert isinstance(parser, ParserI)
    assert plain(parser.parse_one(WORDS)) == model.parse(WORDS).tree
    assert list(map(plain, parser.parse_all(WORDS))) == [one.tree for one in model.parse(WORDS).nbest(3)]


def test_many_sentences_are_as_one_by_one(model):
    parser = LpcfgParser(model, nbest=2)
    found = [[str(tree) for tree in trees] for trees in parser.parse_sents(SENTENCES)]
    assert found == [[str(tree) for tree in parser.parse(one)] for one in SENTENCES]
    assert found[1][0].count("(") > 3 and parser.parse_one(SENTENCES[1]).leaves() == SENTENCES[1]
    assert len(found[0]) == 2 and found[3] == ["( )"]


def test_trees_have_their_probabilities(model):
    trees = list(LpcfgParser(model, nbest=4).parse(WORDS))
    ranked = model.parse(WORDS).nbest(4)
    assert len(trees) == len(ranked) > 1
    for tree, one in zip(trees, ranked, strict=True):
        if math.isnan(one.logprob):
            assert not isinstance(tree, ProbabilisticTree)
        else:
            assert math.log(tree.prob()) == pytest.approx(one.logprob)
    assert trees[0].prob() / math.exp(model.parse(WORDS).logprob) == pytest.approx(ranked[0].posterior, rel=0.05)


def test_tags_are_kept(model):
    tagged = [(word, "NN") for word in WORDS]
    parser = LpcfgParser(model)
    (tree,) = parser.tagged_parse(tagged)
    assert tree.pos() == tagged
    assert [[str(one) for one in trees] for trees in parser.tagged_parse_sents([tagged])] == [[str(tree)]]
    (mixed,) = parser.parse([("The", None), ("keeper", "JJ"), *WORDS[2:]])
    assert mixed.pos()[1] == ("keeper", "JJ") and mixed.pos()[0] == ("The", "DT")


def test_its_grammar_is_the_plain_pcfg(model):
    grammar = LpcfgParser(model).grammar()
    assert str(grammar.start()) == "ROOT"
    assert sum(rule.prob() for rule in grammar.productions(lhs=grammar.start())) == pytest.approx(1)
    assert any("keeper" in rule.rhs() for rule in grammar.productions())


def test_no_trees_are_refused(model):
    with pytest.raises(ValueError, match="nbest is 0"):
        LpcfgParser(model, nbest=0)
