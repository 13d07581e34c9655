"""Binarized trees with readable labels, and their undoing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from oracles import tuples_of, write_tree
from strategies import raw_treebanks
from test_binarizing import NEUTRAL, settings_of

from lpcfg_cli.config import BinarizeSettings
from lpcfg_cli.treebank.binary_trees import binary_trees, intermediate_roots, unbinarized_trees
from lpcfg_cli.treebank.brackets import bracket_strings, treebank_from_text
from lpcfg_cli.treebank.heads import parse_head_rules
from lpcfg_cli.treebank.symbols import escape, labels_of_name, unescape


def lines(text, heads="", **options):
    rules = parse_head_rules(heads) if heads else NEUTRAL
    return list(bracket_strings(binary_trees(treebank_from_text(text), BinarizeSettings(**options), rules)))


WIDE = "(VP (V v) (NP n) (PP p) (SBAR s))"


@pytest.mark.parametrize(
    ("text", "options", "tree"),
    [
        (WIDE, {}, "(VP (@VP (@VP (V v) (NP n)) (PP p)) (SBAR s))"),
        (WIDE, {"horizontal": 1}, "(VP (@VP~SBAR (@VP~PP (V v) (NP n)) (PP p)) (SBAR s))"),
        (WIDE, {"direction": "right"}, "(VP (V v) (@VP (NP n) (@VP (PP p) (SBAR s))))"),
        (WIDE, {"direction": "head", "heads": "VP left PP"}, "(VP (@VP (V v) (@VP (NP n) (PP p))) (SBAR s))"),
        ("(S (VP (V v) (NP n)))", {"vertical": 2}, "(S (VP^S (V v) (NP n)))"),
        ("(S (A (B (N n))) (V v))", {}, "(S (A (B (N n))) (V v))"),
        ("(S (A (B (N n))) (V v))", {"unaries": "collapse"}, "(S (A|B|N n) (V v))"),
        ("(S (ADVP|PRT (@ n)) (V v))", {}, "(S (ADVP%7CPRT (%40 n)) (V v))"),
        ("(()) ( (A a) (B b) (C c))", {}, "(()) ( (@ (A a) (B b)) (C c))"),
    ],
)
def test_labels_of_binarized_trees(text, options, tree):
    assert " ".join(lines(text, **options)) == tree


@given(raw_treebanks, settings_of)
def test_any_trees_come_back_exactly(trees, settings):
    treebank = treebank_from_text("\n".join(map(write_tree, trees)))
    binary = binary_trees(treebank, settings, NEUTRAL)
    assert binary.n_children().max(initial=0) <= 2
    assert binary.n_trees == treebank.n_trees and binary.n_words == treebank.n_words
    assert len(intermediate_roots(binary)) == 0
    text = "\n".join(bracket_strings(binary))  # as a file holds it
    assert tuples_of(unbinarized_trees(treebank_from_text(text))) == trees


def test_roots_that_binarization_does_not_make_are_found():
    treebank = treebank_from_text("(@S (A a)) (()) (S (@S (A a))) (@ a) (@X^Y (A a))")
    assert intermediate_roots(treebank).tolist() == [0, 4]


def test_collapsed_chains_are_nodes():
    (tree,) = lines("(S (A (B (X x) (Y y))) (Z z))", unaries="collapse")
    assert tree == "(S (A|B (X x) (Y y)) (Z z))"
    sizes = np.diff(unbinarized_trees(treebank_from_text(tree)).tree_start)
    assert sizes.tolist() == [6]


def test_names_are_read_back():
    assert labels_of_name("@NP~DT^S", False) == ()
    assert labels_of_name("@", True) == ("@",)
    assert labels_of_name("S|VP^S^TOP", False) == ("S", "VP")
    assert labels_of_name("A%7CB%25", False) == ("A|B%",)
    assert unescape("%zz%41") == "%zz%41"  # no escapes of ours
    assert unescape(escape("%7C|@(%")) == "%7C|@(%"
