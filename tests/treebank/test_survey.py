"""Figures and anomalies of treebanks."""

from __future__ import annotations

import pytest
from hypothesis import given
from oracles import clean_tree, leaves, node_spans, phrases, write_tree
from strategies import treebanks

from lpcfg_cli.config import CleanSettings
from lpcfg_cli.treebank.brackets import treebank_from_text
from lpcfg_cli.treebank.survey import repeated, sentences, survey


def of(text):
    return survey(treebank_from_text(text), CleanSettings())


def depth(tree):
    return 1 if isinstance(tree[1], str) else 1 + max(map(depth, tree[1]))


def chain(tree):
    """The chain of phrases over one span from this one downwards."""
    if isinstance(tree[1], str):
        return 0
    return 1 + (chain(tree[1][0]) if len(tree[1]) == 1 else 0)


@given(treebanks())
def test_figures_are_those_of_the_trees(trees):
    result = of("\n".join(map(write_tree, trees)))
    kept = [tree for tree in map(clean_tree, trees) if tree]
    assert (result.trees, result.words) == (len(kept), sum(len(leaves(tree)) for tree in kept))
    assert dict(result.tags).keys() == {tag for tree in kept for tag, _ in leaves(tree)}
    assert sum(count for _, count in result.phrases) == sum(len(phrases(tree)) for tree in kept)
    assert result.longest.size == max(sum(tag != "-NONE-" for tag, _ in leaves(tree)) for tree in trees)
    inner = [phrase for tree in trees for phrase in phrases(tree)]
    assert result.widest.size == max((len(phrase[1]) for phrase in inner), default=0)
    assert result.deepest.size == max(map(depth, trees))
    assert result.longest_chain.size == max(map(chain, inner), default=0)
    assert result.one_word == sum(len(leaves(tree)) == 1 for tree in kept)


def test_extremes_are_named_by_their_nodes():
    result = of("(S (NN a))\n(S (NP (NN a) (NN b) (NN c)) (VP (VP (VB d))))")
    assert (result.widest.size, result.widest.node) == (3, 3)
    assert (result.longest_chain.size, result.longest_chain.node) == (2, 7)
    assert (result.deepest.size, result.deepest.node) == (4, 9)
    assert node_spans(("S", (("NN", "a"),)))[0] == ("S", 0, 1)


ODD = {
    "untagged-trace": [
        "(S (NP-SBJ *T*-1) (NP (NN a)))",
        "(S (C 0) (C that))",
        "(S (NP *pro*) (VB a))",
        "(S (X *-12))",
        "(S (NP=1 *) (NP (NN b)))",
    ],
    "phrase-and-tag": ["(S (NP a) (NP (NN b)))", "(S (NP-SBJ it) (NP (NN b)))"],
    "word-like-label": ["(S " + "(NP (NN a)) " * 200 + "(boat (NN a)))", "(S (sank a) " + "(NN a) " * 200 + ")"],
    "odd-label": ["(S (N\u00a0P (NN a)))", "(S (N[P (NN a)))"],
    "attached-function": ["(S (NP*SUB (NN a)) (NP (NN b)))", "(S (PP;*SBJ* (NN a)))"],
    "nameless": ["(S ((NP (NN a))) (VB b))"],
    "unary-cycle": ["(S (NP (S (NN a))))", "(S (NP (VP (S (NN a) (NN b)))))"],
    "control-character": ["(S (NN a\x92b))", "(S (NN a\ufffd))"],
    "blank-in-word": ["(S (NN a\u200ab))"],
}


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in ODD.items() for text in texts])
def test_an_oddity_is_found(kind, text):
    found = [anomaly for anomaly in of(text).anomalies if anomaly.kind == kind]
    assert len(found) == 1
    assert len(found[0].nodes) >= 1


def test_what_only_looks_odd_is_left_alone():
    text = (
        "(S (NP (SYM *)) (NP (SYM ***)) (NN *P) (FW *trust) (CD 0) (CD 12) (NNP S|VP))\n"
        "( (S (NP-SBJ=1 (-NONE- *T*-1)) (ADVP|PRT (RB up)) (NP (NP (NP (NN RFLAT-1)))) (`` ``) (-LRB- [) ($ $)))"
    )
    assert [anomaly.text for anomaly in of(text).anomalies] == []


def test_sentences_that_come_again_are_paired():
    own = sentences(treebank_from_text("(S (NN a) (VB b))(S (X (-NONE- *)) (NN c))(())(S (NN d))"))
    other = sentences(treebank_from_text("(())(Y (NN c))(S (NP (VB a)) (VB b))(Y (NN c))"))
    assert own == [("a", "b"), ("c",), (), ("d",)]
    assert repeated(own, other) == [(0, 2), (1, 1)]
