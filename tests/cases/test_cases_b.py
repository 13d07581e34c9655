"""B: binarization and unary chains."""

from __future__ import annotations

import pytest
from case_runs import labels_of, tree_of
from oracles import clean_tree, leaves, read_trees, write_tree


def gold(case, name):
    texts = [path.read_text() for path in sorted(case(name, "train").iterdir())]
    return [write_tree(clean_tree(tree)) for text in texts for tree in read_trees(text)]


@pytest.mark.parametrize("unaries", ["latent", "collapse"])
@pytest.mark.parametrize("name", ["B01", "B02", "B06"])
def test_binarizing_and_undoing_gives_back_the_trees(train, case, name, unaries):
    assert train(name, "--unaries", unaries).trees == gold(case, name)


def test_b01_a_flat_node_of_60_children(train, parse):
    run = train("B01")
    assert sum(symbol.is_intermediate and symbol.labels == ("NP",) for symbol in run.symbols) <= 2
    (line,) = parse("B01", "B01").out.splitlines()
    assert len(leaves(tree_of(line))) == 62


def test_b01_remembered_siblings_stay_bounded(train):
    symbols = train("B01", "--horizontal", "1").symbols
    assert sum(symbol.is_intermediate and symbol.labels == ("NP",) for symbol in symbols) <= 4


@pytest.mark.parametrize("unaries", ["latent", "collapse"])
def test_b02_a_long_unary_chain_keeps_its_order(parse, unaries):
    (line,) = parse("B02", "B02", train_options=("--unaries", unaries)).out.splitlines()
    assert line in ("(TOP (S (VP (NP (QP (CD 12))))))", "(TOP (FRAG (NP (CD 12))))")


def test_b04_no_symbols_of_our_own_come_out(parse, train, case):
    known = {"TOP"} | train("_base").categories
    outcome = parse("B04")
    for line in outcome.out.splitlines():
        assert set(labels_of(line)) <= known
        assert "@" not in line
    tagged = case("B04", "tagged.txt").read_text().split("\n")
    for line, text in zip(outcome.out.splitlines(), tagged, strict=False):
        assert [tag for tag, _ in leaves(tree_of(line))] == [token.rpartition("/")[2] for token in text.split()]


def test_b06_trees_that_are_only_a_tag(train, parse):
    assert len(train("B06").trees) == 6
    assert train("B06").trees[:2] == ["(UH hush)", "(NN silence)"]
    assert parse("B06", "B06").out == "(TOP (UH hush))\n"
