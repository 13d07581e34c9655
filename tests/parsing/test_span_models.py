"""Constituents of forests, files of span models, and their use by the parser."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from forests import forest_of, posteriors_of
from grammars import random_grammar, words_of

from lpcfg_cli.config import ParseSettings, SpanSettings
from lpcfg_cli.errors import NotAnArtefactError
from lpcfg_cli.parsing.expected_brackets import bracket_labels, bracket_posteriors, mean_brackets
from lpcfg_cli.parsing.parser import Parser
from lpcfg_cli.parsing.spans import constituents as constituents_module
from lpcfg_cli.parsing.spans.archive import (
    EXAMPLES,
    SPANS,
    example_arrays,
    load_examples,
    load_spans,
    span_arrays,
)
from lpcfg_cli.parsing.spans.constituents import LEAST, Constituents, bracket_matrix, chains_of, constituents_of
from lpcfg_cli.parsing.spans.examples import is_in_tree, make_examples
from lpcfg_cli.parsing.spans.learning import SpanExample, learn_span_model
from lpcfg_cli.parsing.spans.span_model import SpanModel, log_odds
from lpcfg_cli.storage.artefacts import Array, write_arrays
from lpcfg_cli.treebank.brackets import treebank_from_text
from lpcfg_cli.treebank.chains import tree_chains

TEXTS = ["x", "x y", "x x y", "x y x y", "y y z x y"]


def judged(grammar, text, like=(None, None)):
    """Constituents' arguments and posteriors of brackets of a sentence, under one grammar."""
    words = words_of(grammar, text.split())
    forest, inside = forest_of(grammar, words)
    mean = posteriors_of(grammar, words, forest, inside)
    labels, chains = bracket_labels(grammar, like[0]), chains_of(grammar, like[1])
    return (forest, mean, 1, chains), labels


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("text", TEXTS)
def test_constituents_have_the_brackets_of_a_forest(text, seed, monkeypatch):
    one, labels = judged(random_grammar(np.random.default_rng(seed), signed=seed % 2 == 0), text)
    forest, mean, _, chains = one
    expected = bracket_posteriors(forest, mean, 1, labels).bracket
    found = bracket_matrix(constituents_of([one]), forest, chains.numbers, labels)
    assert (found <= expected + 1e-12).all()
    assert (expected - found).max() <= LEAST * len(chains.numbers)
    monkeypatch.setattr(constituents_module, "LEAST", 0.0)
    whole = constituents_of([one])
    np.testing.assert_allclose(bracket_matrix(whole, forest, chains.numbers, labels), expected, atol=1e-12)
    assert (np.diff(whole.start * 100 + whole.stop) >= 0).all()


@pytest.mark.parametrize("text", TEXTS[1:])
def test_grammars_that_binarize_differently_have_constituents_in_common(text, monkeypatch):
    monkeypatch.setattr(constituents_module, "LEAST", 0.0)
    grammars = [random_grammar(np.random.default_rng(seed), signed=False) for seed in (0, 1)]
    symbols = list(grammars[1].symbols)
    symbols[0], symbols[1] = symbols[1], symbols[0]  # so that the same labels have other numbers
    one, labels = judged(grammars[0], text)
    two, others = judged(replace(grammars[1], symbols=symbols), text, (labels, one[3]))
    labels, chains = bracket_labels(grammars[0], others), chains_of(grammars[0], two[3])
    pair = [(*one[:3], chains), two]
    own, other = (bracket_posteriors(*part[:3], of) for part, of in zip(pair, (labels, others), strict=True))
    found = bracket_matrix(constituents_of(pair), one[0], chains.numbers, labels)
    np.testing.assert_allclose(found, mean_brackets(own, [other]).bracket, atol=1e-12)


def test_odds_are_those_of_a_constituent_against_none():
    found = Constituents(np.array([0, 0, 1]), np.array([2, 2, 2]), np.array([0, 1, 0]), np.array([0.5, 0.3, 1.0]))
    np.testing.assert_allclose(log_odds(found), np.log(np.array([0.5, 0.3, 1.0]) + 1e-5) - np.log([0.2, 0.2, 1e-3]))


# --- files


def random_model(seed=0, **changes):
    rng = np.random.default_rng(seed)
    units = rng.integers(-127, 128, 1 << 10)
    units[0] = 127
    known = np.unique(rng.integers(1 << 63, size=5, dtype=np.uint64))
    return replace(SpanModel(units.astype(np.int8), 0.0371, 0.4, known, 2), **changes)


def stored(path, **changes):
    arrays = span_arrays(random_model())
    for name, values in changes.items():
        arrays[f"spans_{name}"] = Array(values, ("x",) * values.ndim)
    write_arrays(path, SPANS, {name: array for name, array in arrays.items() if array.values.size}, {}, 0, {})
    return path


def test_a_model_has_the_same_weights_after_a_round_trip(tmp_path):
    first = load_spans(stored(tmp_path / "spans.npz"), SPANS)
    write_arrays(tmp_path / "again.npz", SPANS, span_arrays(first), {}, 0, {})
    again = load_spans(tmp_path / "again.npz", SPANS)
    for one in (first, again):
        np.testing.assert_array_equal(one.weight, random_model().weight)
        np.testing.assert_array_equal(one.known, random_model().known)
        assert (one.trust, one.member) == (0.4, 2)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"units": np.zeros(3, np.int8)}, "3 weights; expected a power of 2"),
        ({"units": np.zeros(4, np.int16)}, "spans_units is int16"),
        ({"scale": np.array([0.1])}, "spans_scale"),
        ({"scale": np.array([-0.1, 1.0])}, "spans_scale goes from -0.1"),
        ({"known": np.array([3, 2], np.uint64)}, "spans_known is not in order"),
        ({"member": np.array([-1])}, "spans_member goes from -1"),
        ({"member": np.zeros(0, np.int64)}, "spans_member is missing"),
        ({"units": np.zeros((2, 2), np.int8)}, "spans_units"),
    ],
)
def test_odd_parts_of_a_file_are_errors_that_name_them(tmp_path, changes, message):
    path = stored(tmp_path / "spans.npz", **changes)
    with pytest.raises(NotAnArtefactError, match=r"its parts do not fit together.*Run `lpcfg spans`") as caught:
        load_spans(path, SPANS)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def examples():
    chains = [("A\tB",), ("A", "B"), ("ü",)]
    found = Constituents(np.array([0, 0]), np.array([1, 2]), np.array([2, 0]), np.array([0.25, 1.0]))
    none = Constituents(*(np.zeros(0, part.dtype) for part in found))
    return [
        SpanExample(["\ud800", "b c"], ["T", "U"], found, chains, np.array([False, True])),
        SpanExample(["d"], ["T"], none, chains, np.zeros(0, bool)),
    ]


def test_examples_are_the_same_after_a_round_trip(tmp_path):
    write_arrays(tmp_path / "examples.npz", EXAMPLES, example_arrays(examples()), {}, 0, {})
    for one, other in zip(load_examples(tmp_path / "examples.npz"), examples(), strict=True):
        assert (one.words, one.tags, one.chains) == (other.words, other.tags, other.chains)
        np.testing.assert_array_equal(one.is_gold, other.is_gold)
        for values, expected in zip(one.found, other.found, strict=True):
            np.testing.assert_array_equal(values, expected)
            assert values.dtype == expected.dtype
    write_arrays(tmp_path / "none.npz", EXAMPLES, example_arrays([]), {}, 0, {})
    assert load_examples(tmp_path / "none.npz") == []


@pytest.mark.parametrize("name", ["chain", "is_gold", "first"])
def test_examples_that_do_not_fit_together_are_an_error(tmp_path, name):
    arrays = example_arrays(examples())
    arrays[name] = Array(arrays[name].values.astype(np.int64) + 9, ("x",))
    write_arrays(tmp_path / "examples.npz", EXAMPLES, arrays, {}, 0, {})
    with pytest.raises(NotAnArtefactError, match="do not fit together"):
        load_examples(tmp_path / "examples.npz")


# --- in the parser


def parser_of(spans=None, member_count=1, **settings):
    grammars = [random_grammar(np.random.default_rng(seed), signed=False) for seed in range(member_count)]
    return Parser(grammars, ParseSettings(**settings), spans=spans)


def test_a_model_of_a_grammar_that_is_not_there_is_an_error():
    with pytest.raises(ValueError, match="the span model is for model 2, but there are only 1"):
        parser_of(random_model())


def test_an_empty_sentence_has_no_constituents():
    first, second = parser_of().constituents_together([[], [("x", "any")]])
    assert first is None
    assert second.stop.max() == 1


def test_the_model_gives_a_single_word_its_chains():
    parser = parser_of()
    (found,) = parser.constituents_together([[("x", "any")]])
    spans = random_model(units=np.zeros(4, np.int8), trust=1.0, member=0)
    judged = spans.posteriors(found, ["x"], ["t"], list(parser.chains.numbers))
    odds = np.exp(log_odds(found))
    np.testing.assert_allclose(judged.probability, odds / (1 + odds.sum()), rtol=1e-9)


@pytest.mark.parametrize("text", TEXTS)
def test_without_weight_the_trees_are_those_without_the_model(text):
    sentence = [(word, "any") for word in text.split()]
    spans = random_model(member=1)
    without, ignored, used = (
        parser_of(model, 2, span_weight=weight).parse(sentence, 5)
        for model, weight in ((None, 1.0), (spans, 0.0), (spans, 1.0))
    )
    assert [score for score, _ in ignored.ranked] == [score for score, _ in without.ranked]
    assert [score for score, _ in used.ranked] != [score for score, _ in without.ranked]


GOLD = "(S (A (t x)) (A (A (t x) (u y)) (u y)))"


def test_constituents_of_the_tree_are_marked():
    parser, (tree,) = parser_of(), tree_chains(treebank_from_text(GOLD))
    assert tree.chains == {(0, 4): ("S",), (0, 1): ("A",), (1, 4): ("A",), (1, 3): ("A",)}
    ((example,),) = make_examples(parser, [tree])
    numbers = zip(*(part.tolist() for part in example.found[:3]), strict=True)
    expected = [tree.chains.get((i, j)) == example.chains[c] for i, j, c in numbers]
    assert example.is_gold.tolist() == expected == is_in_tree(example.found, example.chains, tree.chains).tolist()
    assert 0 < sum(expected) < len(expected)


def test_learning_raises_the_likelihood_and_depends_on_the_seed_alone():
    trees = list(tree_chains(treebank_from_text(GOLD * 3 + "(S (A (t x)) (u y))" * 3)))
    (made,) = make_examples(parser_of(), trees)
    first, again, other = (
        learn_span_model(made, SpanSettings(2, passes=8), np.random.default_rng(seed)) for seed in (0, 0, 1)
    )
    assert len(first.likelihood) == 8
    assert (np.diff(first.likelihood) > 0).all()
    assert first.likelihood == again.likelihood != other.likelihood
    np.testing.assert_array_equal(first.model.weight, again.model.weight)
