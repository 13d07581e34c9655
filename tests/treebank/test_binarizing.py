"""Binarization and its undoing."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import node_spans, tuples_of, write_tree
from strategies import few_labels, few_tags, few_words, treebanks

from lpcfg_cli.config import BinarizeSettings, CleanSettings
from lpcfg_cli.errors import SyntaxProblem, WrongParentError
from lpcfg_cli.treebank.binarize import binarize, unbinarize
from lpcfg_cli.treebank.binary import BINARY, LEXICAL, UNARY
from lpcfg_cli.treebank.binary_text import read_binary_trees, symbols_to_json, tables_from_json, write_binary_trees
from lpcfg_cli.treebank.brackets import bracket_strings, treebank_from_text
from lpcfg_cli.treebank.clean import clean
from lpcfg_cli.treebank.heads import load_head_rules, parse_head_rules
from lpcfg_cli.treebank.symbols import Symbol

NEUTRAL = load_head_rules("neutral")

WIDE = "(VP (V v) (NP n) (PP p) (SBAR s))"
"""The example of C13 §4."""

settings_of = st.builds(
    BinarizeSettings,
    unaries=st.sampled_from(["latent", "collapse"]),
    direction=st.sampled_from(["left", "right", "head"]),
    horizontal=st.integers(-1, 3),
    vertical=st.integers(1, 3),
)


def lines(text, heads="", **options):
    rules = parse_head_rules(heads) if heads else NEUTRAL
    return list(write_binary_trees(binarize(treebank_from_text(text), BinarizeSettings(**options), rules)))


@pytest.mark.parametrize(
    ("options", "tree"),
    [
        ({}, "(VP/l (@VP/l (@VP/l (V v) (NP n)) (PP p)) (SBAR s))"),
        ({"horizontal": 1}, "(VP/l (@VP~SBAR/l (@VP~PP/l (V v) (NP n)) (PP p)) (SBAR s))"),
        ({"horizontal": -1}, "(VP/l (@VP~SBAR/l (@VP~PP~SBAR/l (V v) (NP n)) (PP p)) (SBAR s))"),
        ({"direction": "right"}, "(VP/l (V v) (@VP/l (NP n) (@VP/l (PP p) (SBAR s))))"),
        ({"direction": "right", "horizontal": 1}, "(VP/l (V v) (@VP~V/l (NP n) (@VP~NP/l (PP p) (SBAR s))))"),
        ({"direction": "right", "horizontal": 9}, "(VP/l (V v) (@VP~V/l (NP n) (@VP~NP~V/l (PP p) (SBAR s))))"),
        ({"direction": "head"}, "(VP/l (@VP/l (@VP/l (V v) (NP n)) (PP p)) (SBAR s))"),
        (
            {"direction": "head", "heads": "VP left PP", "horizontal": 1},
            "(VP/l (@VP~SBAR/r (V v) (@VP~V/r (NP n) (PP p))) (SBAR s))",
        ),
        (
            {"direction": "head", "heads": "VP left PP", "horizontal": 2},
            "(VP/l (@VP~SBAR/r (V v) (@VP~V~SBAR/r (NP n) (PP p))) (SBAR s))",
        ),
        (
            {"direction": "head", "heads": "VP left SBAR"},
            "(VP/r (V v) (@VP/r (NP n) (@VP/r (PP p) (SBAR s))))",
        ),
        ({"heads": "VP left NP"}, "(VP/l (@VP/l (@VP/r (V v) (NP n)) (PP p)) (SBAR s))"),
        ({"heads": "VP left SBAR"}, "(VP/r (@VP/l (@VP/l (V v) (NP n)) (PP p)) (SBAR s))"),
    ],
)
def test_wide_node(options, tree):
    assert lines(WIDE, **options) == [tree]


@pytest.mark.parametrize(
    ("text", "options", "tree"),
    [
        ("(S (NP (N n)) (V v))", {}, "(S/l (NP/u (N n)) (V v))"),
        ("(S (NP (N n)) (V v))", {"unaries": "collapse"}, "(S/l (NP|N n) (V v))"),
        ("(S (A (B (C (N n)))) (V v))", {}, "(S/l (A/u+B+C (N n)) (V v))"),
        ("(S (A (B (C (N n)))) (V v))", {"unaries": "collapse"}, "(S/l (A|B|C|N n) (V v))"),
        ("(S (VP (V v) (NP n)))", {}, "(S/u (VP/l (V v) (NP n)))"),
        ("(S (VP (V v) (NP n)))", {"unaries": "collapse"}, "(S|VP/l (V v) (NP n))"),
        ("(S (X (VP (V v) (NP n) (PP p))))", {"unaries": "collapse"}, "(S|X|VP/l (@S|X|VP/l (V v) (NP n)) (PP p))"),
        ("(S (NP (N n) (N m)) (VP (V v)))", {"vertical": 2}, "(S/l (NP^S/l (N n) (N m)) (VP^S/u (V v)))"),
        (
            "(R (S (A (B (N n) (N m))) (V v)))",
            {"vertical": 3},
            "(R/u (S^R/l (A^S^R/u (B^A^S/l (N n) (N m))) (V v)))",
        ),
        (
            "(R (N n) (S (VP (V v) (NP n) (PP p))))",
            {"vertical": 2},
            "(R/l (N n) (S^R/u (VP^S/l (@VP^S/l (V v) (NP n)) (PP p))))",
        ),
        (
            "(R (N n) (S (VP (V v) (NP n) (PP p))))",
            {"vertical": 2, "horizontal": 1, "unaries": "collapse"},
            "(R/l (N n) (S|VP^R/l (@S|VP^R~PP/l (V v) (NP n)) (PP p)))",
        ),
        ("(UH Hush)", {"vertical": 2}, "(UH Hush)"),
        ("(S|VP (@VP (N/l %) (^ a)) (~ b))", {}, "(S%7CVP/l (%40VP/l (N%2Fl %) (%5E a)) (%7E b))"),
    ],
)
def test_unary_chains_ancestors_and_odd_labels(text, options, tree):
    assert lines(text, **options) == [tree]


@given(treebanks(), settings_of)
def test_undoing_gives_back_the_trees_for_any_labels_and_settings(trees, settings):
    treebank = treebank_from_text("\n".join(map(write_tree, trees)))
    for rules in (NEUTRAL, load_head_rules("english")):
        assert tuples_of(unbinarize(binarize(treebank, settings, rules))) == trees


@given(treebanks(), settings_of)
def test_text_form_is_read_back_as_it_was(trees, settings):
    binary = binarize(treebank_from_text("\n".join(map(write_tree, trees))), settings, NEUTRAL)
    text = "".join(f"{line}\n" for line in write_binary_trees(binary))
    again = read_binary_trees(text, *tables_from_json(symbols_to_json(binary)))
    for name in ("symbol", "kind", "hidden", "parent", "left", "right", "is_right", "head_is_right", "head"):
        np.testing.assert_array_equal(getattr(again, name), getattr(binary, name), err_msg=name)
    for name in ("start", "stop", "tree_start"):
        np.testing.assert_array_equal(getattr(again, name), getattr(binary, name), err_msg=name)
    assert (again.symbols, again.hidden_labels) == (binary.symbols, binary.hidden_labels)
    assert tuples_of(unbinarize(again)) == trees


@given(treebanks(), settings_of)
def test_symbols_and_their_names_are_all_different(trees, settings):
    symbols = binarize(treebank_from_text("\n".join(map(write_tree, trees))), settings, NEUTRAL).symbols
    assert len(set(symbols)) == len({(symbol.is_preterminal, symbol.name) for symbol in symbols}) == len(symbols)
    assert [Symbol.from_json(symbol.as_json()) for symbol in symbols] == symbols


@given(treebanks(label=few_labels, tag=few_tags, word=few_words, max_leaves=12, max_children=6), settings_of)
def test_spans_and_heads_are_those_of_the_trees(trees, settings):
    treebank = treebank_from_text("\n".join(map(write_tree, trees)))
    rules = load_head_rules("english")
    binary = binarize(treebank, settings, rules)
    for tree, first, stop in zip(trees, binary.tree_start[:-1], binary.tree_start[1:], strict=True):
        nodes = np.arange(first, stop)
        spans = {(int(i), int(j)) for i, j in zip(binary.start[nodes], binary.stop[nodes], strict=True)}
        assert spans >= {(i, j) for _, i, j in node_spans(tree)}
        assert binary.start[binary.head[first]] == head_word(tree, rules)


def head_word(tree, rules):
    """Position of the head word: heads of phrases followed down, one node at a time."""
    place = 0
    while not isinstance(tree[1], str):
        head = rules(tree[0], [label for label, _ in tree[1]])
        place += sum(node_spans(child)[0][2] for child in tree[1][:head])
        tree = tree[1][head]
    return place


@given(treebanks(), settings_of)
def test_kinds_of_nodes_follow_from_their_children(trees, settings):
    binary = binarize(treebank_from_text("\n".join(map(write_tree, trees))), settings, NEUTRAL)
    n_children = np.bincount(binary.parent[binary.parent >= 0], minlength=binary.n_nodes)
    np.testing.assert_array_equal(binary.kind, np.select([n_children == 0, n_children == 2], [LEXICAL, BINARY], UNARY))
    under_unary = binary.kind[binary.left[binary.kind == UNARY]]
    assert not np.any(under_unary == UNARY)
    if settings.unaries == "collapse":
        assert not np.any(binary.kind == UNARY)


def test_intermediate_symbols_do_not_grow_with_the_width():
    text = "(NP " + " ".join(f"(T{k} w)" for k in range(60)) + ")"
    binary = binarize(treebank_from_text(text), BinarizeSettings(), NEUTRAL)
    assert sum(symbol.is_intermediate for symbol in binary.symbols) == 1


def test_an_empty_treebank_stays_empty():
    binary = binarize(treebank_from_text(""), BinarizeSettings(), NEUTRAL)
    assert (binary.n_trees, binary.n_nodes, binary.symbols) == (0, 0, [])
    assert tuples_of(unbinarize(binary)) == []


def test_a_symbol_that_the_tables_lack_is_told_with_the_command():
    with pytest.raises(
        WrongParentError, match=r"^t\.mrg: the symbol 'VP/l' is not in the symbols\.json .*`lpcfg binarize`"
    ):
        read_binary_trees("(VP/l (V v) (N n))", [Symbol(("V",), True), Symbol(("N",), True)], [], "t.mrg")


def test_a_damaged_text_form_is_told_with_its_place():
    with pytest.raises(SyntaxProblem, match=r"^t\.mrg:2:1: a tree that starts here"):
        read_binary_trees("(V v)\n(V v", [Symbol(("V",), True)], [], "t.mrg")


DEEP = {
    "right-branching": "(S (A a) " * 20_000 + "(B b)" + ")" * 20_000,
    "left-branching": "(S " * 20_000 + "(B b)" + " (A a))" * 20_000,
    "unary chain of one label": "(S " * 20_000 + "(B b)" + ")" * 20_000,
    "unary chain of two labels": "(S (VP " * 10_000 + "(B b)" + "))" * 10_000,
    "wide node": "(S " + "(A a) " * 5_000 + ")",
}


@pytest.mark.parametrize("shape", DEEP)
@pytest.mark.parametrize("unaries", ["latent", "collapse"])
def test_trees_of_extreme_shape_take_seconds_at_most(shape, unaries):
    began = time.process_time()
    treebank, _ = clean(treebank_from_text(DEEP[shape]), CleanSettings())
    binary = binarize(treebank, BinarizeSettings(unaries=unaries), NEUTRAL)
    text = "\n".join(write_binary_trees(binary))
    again = read_binary_trees(text, *tables_from_json(symbols_to_json(binary)))
    assert list(bracket_strings(unbinarize(again))) == list(bracket_strings(treebank))
    assert time.process_time() - began < 5
