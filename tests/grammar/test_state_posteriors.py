"""Posteriors of latent states in trees, against enumeration of the states; and their summaries."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from lpcfg_cli.config import BinarizeSettings
from lpcfg_cli.grammar.state_summary import summarise
from lpcfg_cli.grammar.synth import load_grammar
from lpcfg_cli.grammar.text_grammar import shipped_grammar
from lpcfg_cli.grammar.tree_values import rule_values, state_posteriors, tree_values
from lpcfg_cli.stages.states import extremes
from lpcfg_cli.treebank.archive import load_binary_trees
from lpcfg_cli.treebank.binarize import binarize
from lpcfg_cli.treebank.binary import LEXICAL, UNARY
from lpcfg_cli.treebank.brackets import treebank_from_text
from lpcfg_cli.treebank.heads import load_head_rules

BLURRED = "(S (N sky) (V shines)) (S (V drips) (S (N road) (V drips)))"


def binary(text):
    return binarize(treebank_from_text(text), BinarizeSettings(), load_head_rules("neutral"))


def enumerated(grammar, trees):
    """Posteriors by the sum over all assignments of states; trees of few nodes."""
    values, found = rule_values(grammar), []
    numbers = {symbol: k for k, symbol in enumerate(grammar.symbols)}
    for first, stop in itertools.pairwise(trees.tree_start.tolist()):
        nodes = range(first, stop)
        symbols = {n: trees.symbols[trees.symbol[n]] for n in nodes}
        weights = np.zeros((len(nodes), int(grammar.n_states.max())))
        for states in itertools.product(*(range(grammar.n_states[numbers[symbols[n]]]) for n in nodes)):
            state = dict(zip(nodes, states, strict=True))
            root = grammar.state_start[numbers[symbols[first]]] + state[first]
            p = grammar.root_vector[root]
            for n in nodes:
                left, right = int(trees.left[n]), int(trees.right[n])
                if trees.kind[n] == LEXICAL:
                    p *= values[symbols[n], trees.strings[trees.word[n]]][state[n]]
                elif trees.kind[n] == UNARY:
                    p *= values[symbols[n], trees.hidden_labels[trees.hidden[n]], symbols[left]][state[n], state[left]]
                else:
                    key = (symbols[n], symbols[left], symbols[right])
                    p *= values[key][state[n], state[left], state[right]]
            weights[np.arange(len(nodes)), states] += p
        found.append(weights / weights.sum(1, keepdims=True))
    return np.vstack(found)


@pytest.mark.parametrize("text", [BLURRED, "(S (V shines)) (S (N road) (S (V drips)))"])
def test_posteriors_are_those_of_all_assignments_of_states(text):
    grammar, trees = shipped_grammar("blurred").grammar, binary(text)
    np.testing.assert_allclose(state_posteriors(grammar, trees), enumerated(grammar, trees), atol=1e-12)


def test_long_trees_have_posteriors_too():
    text = "(S (N sky) " * 600 + "(S (N sky) (V shines))" + ")" * 600
    grammar, trees = shipped_grammar("blurred").grammar, binary(text)
    assert tree_values(grammar, trees)[0] == 0  # it underflows
    np.testing.assert_allclose(state_posteriors(grammar, trees).sum(1), 1)


def test_all_training_trees_have_a_value(trained):
    """Also those with words of the shortest class, whose name is a single NUL."""
    grammar, (_, trees) = load_grammar(trained), load_binary_trees(trained)
    assert "\0" in grammar.lexicon.entries
    assert (tree_values(grammar, trees) != 0).all()


def test_trees_with_unknown_rules_have_none():
    grammar = shipped_grammar("blurred").grammar
    assert not state_posteriors(grammar, binary("(S (N sky) (N sky))")).any()


def test_summaries_name_what_is_distinctive():
    trees = binary("(S (NP (D the) (N dog)) (V runs)) (S (V see) (NP (D a) (N cat))) (S (V see) (NP (D a) (N cow)))")
    names = [symbol.shown for symbol in trees.symbols]
    nodes = np.flatnonzero(trees.symbol == names.index("NP"))
    first, second = summarise(trees, nodes, np.array([[1.0, 0], [0, 1], [0.5, 0.5]]), ["0", "1"])
    assert (first.share, second.share) == (0.5, 0.5)
    assert dict(first.contexts)["S -> _ V"] == pytest.approx(2 / 3) and dict(second.contexts) == {"S -> V _": 1.0}
    assert dict(first.rules) == {"D N": 1.0} and first.examples[0] == "the dog"
    nouns = np.flatnonzero(trees.symbol == names.index("N"))
    (all_nouns,) = summarise(trees, nouns, np.ones((3, 1)), ["0"])
    assert all_nouns.share == 1 and all_nouns.words == []  # nothing differs from the whole


def test_extremes_are_the_ends_of_each_dimension():
    inside = np.array([[k, 100 - k] for k in range(101)], float) * np.linspace(1, 9, 101)[:, None]
    weights = extremes(inside)
    assert weights.shape == (101, 4) and (weights.sum(0) == 10).all()
    assert np.flatnonzero(weights[:, 0]).tolist() == list(range(91, 101)) == np.flatnonzero(weights[:, 3]).tolist()
    assert np.flatnonzero(weights[:, 1]).tolist() == list(range(10)) == np.flatnonzero(weights[:, 2]).tolist()
