"""Sparse feature matrices of each symbol."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from feature_oracle import linked_nodes, naive_features
from hypothesis import given
from oracles import write_tree
from strategies import small_treebanks

from lpcfg_cli.config import BinarizeSettings, FeatureSettings
from lpcfg_cli.features.matrices import extract, sort_nodes
from lpcfg_cli.features.template import NodeView
from lpcfg_cli.features.templates import choose_templates
from lpcfg_cli.treebank.binarize import binarize
from lpcfg_cli.treebank.binary import LEXICAL, NONE
from lpcfg_cli.treebank.brackets import treebank_from_text
from lpcfg_cli.treebank.heads import load_head_rules


def extracted(text, names="full"):
    trees = binarize(treebank_from_text(text), BinarizeSettings(), load_head_rules("english"))
    view = NodeView(trees, np.where(trees.kind == LEXICAL, trees.word, NONE))
    order = sort_nodes(trees.symbol, len(trees.symbols))
    templates = choose_templates(names)
    sides = [extract(view, [t for t in templates if t.is_inside == inside], order) for inside in (True, False)]
    return view, order, *sides


def naive_matrix(nodes, symbol, names):
    """Rows: the symbol's nodes; columns: the values of each template, as first met; entries 0 or 1."""
    mine = [node for node in nodes if node.symbol == symbol]
    columns: dict = {}
    entries = []
    for name in names:
        for row, node in enumerate(mine):
            value = naive_features(node, name)
            if value is not None:
                entries.append((row, columns.setdefault((name, value), len(columns))))
    matrix = np.zeros((len(mine), len(columns)))
    for row, column in entries:
        matrix[row, column] += 1
    return matrix


@given(small_treebanks)
def test_matrices_equal_those_made_node_by_node(trees):
    view, order, *sides = extracted("\n".join(map(write_tree, trees)))
    nodes = linked_nodes(view.trees, view.lexical_entry)
    names = [[t.name for t in choose_templates("full") if t.is_inside == inside] for inside in (True, False)]
    for symbol, value in enumerate(view.trees.symbols):
        for matrices, side in zip(sides, names, strict=True):
            expected = naive_matrix(nodes, value, side)
            plain = matrices.matrix(symbol, order, FeatureSettings(scale=False)).toarray()
            np.testing.assert_array_equal(plain, expected)
            scale = np.sqrt(len(expected) / (expected.sum(0) + 5))
            scaled = matrices.matrix(symbol, order, FeatureSettings()).toarray()
            np.testing.assert_allclose(scaled, expected * scale, rtol=1e-14)


@given(small_treebanks)
def test_the_columns_of_a_template_are_those_it_has_alone(trees):
    text = "\n".join(map(write_tree, trees))
    view, order, _, together = extracted(text, "full")
    names = [t.name for t in choose_templates("full") if not t.is_inside]
    for number, name in enumerate(names):
        *_, alone = extracted(text, ("rule", "word", name))
        for symbol in range(len(view.trees.symbols)):
            both = [side.matrix(symbol, order, FeatureSettings(scale=False)).toarray() for side in (together, alone)]
            own = together.template[slice(*together.column_start[symbol : symbol + 2])] == number
            np.testing.assert_array_equal(both[0][:, own], both[1])


@given(small_treebanks)
def test_rows_are_the_nodes_of_each_symbol_in_order(trees):
    view, order, *_ = extracted("\n".join(map(write_tree, trees)), "simple")
    for symbol in range(len(view.trees.symbols)):
        rows = order.node[order.row_start[symbol] : order.row_start[symbol + 1]]
        assert rows.tolist() == np.flatnonzero(view.trees.symbol == symbol).tolist()


@pytest.mark.parametrize("kappa", [0.0, 5.0, 2.5])
def test_scaling_by_hand(kappa):
    # five nodes N: dog three times, cat twice; three under S, two under T
    text = "(S (N dog) (S (N cat) (N dog))) (T (N dog) (N cat))"
    view, order, inside, outside = extracted(text, ("rule", "word", "parent"))
    symbol = next(k for k, s in enumerate(view.trees.symbols) if s.is_preterminal)
    settings = FeatureSettings(kappa=kappa)
    dog, cat = sqrt(5 / (3 + kappa)), sqrt(5 / (2 + kappa))
    expected = [[dog, 0], [0, cat], [dog, 0], [dog, 0], [0, cat]]
    np.testing.assert_allclose(inside.matrix(symbol, order, settings).toarray(), expected, rtol=1e-15)
    expected = [[dog, 0], [dog, 0], [dog, 0], [0, cat], [0, cat]]
    np.testing.assert_allclose(outside.matrix(symbol, order, settings).toarray(), expected, rtol=1e-15)


def test_a_symbol_without_nodes_has_an_empty_matrix():
    _, _, inside, _ = extracted("(S (N a) (V b))", "simple")
    order = sort_nodes(np.array([0, 2, 2]), 4)
    assert order.row_start.tolist() == [0, 1, 1, 3, 3]
    assert inside.matrix(0, order, FeatureSettings()).shape == (1, 1)
