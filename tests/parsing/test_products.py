"""Products of matrices and vectors in longer arrays, and forests side by side, against numpy and against one by one."""

from __future__ import annotations

import numpy as np
import pytest
from forests import forest_of
from grammars import random_grammar, words_of

from lpcfg_cli.arrays.kernel_options import ENTRY, njit
from lpcfg_cli.arrays.lanes import DOT_TILES
from lpcfg_cli.config import ParseSettings
from lpcfg_cli.grammar.model import with_significant_bits
from lpcfg_cli.parsing import kernel_rules
from lpcfg_cli.parsing import marginals as marginals_module
from lpcfg_cli.parsing.kernel_rules import tensor_rules
from lpcfg_cli.parsing.marginals import Sum, all_marginals, batch_marginals, rule_marginals
from lpcfg_cli.parsing.parser import Parser
from lpcfg_cli.parsing.product_kernels import (
    FEWEST,
    add_product,
    add_products,
    add_transposed_product,
    add_transposed_products,
    rows_in_cache,
)
from lpcfg_cli.tagging.tagger import OPEN_TAG

TEXTS = ["x y x y", "x", "x x y y x z y", "y x", "x y x z y x y", "z", "y y z", "x x y y x"]


@njit(**ENTRY)
def both_products(matrix, start, shape, vectors, starts, outs):
    add_product(matrix, start, shape, vectors[0], starts[0], outs[0], starts[1])
    add_transposed_product(matrix, start, shape, vectors[1], starts[2], outs[1], starts[3])


@pytest.mark.parametrize("rows", [1, 3, 4, 5, 8, 11])
@pytest.mark.parametrize("columns", [1, 2, 16, 33])
def test_products_are_those_of_numpy_and_touch_nothing_else(rows, columns):
    rng = np.random.default_rng(rows * 100 + columns)
    matrix, vectors = rng.normal(size=rows * columns + 9), (rng.normal(size=50), rng.normal(size=50))
    outs = rng.normal(size=50), rng.normal(size=50)
    expected = outs[0].copy(), outs[1].copy()
    whole = matrix[5 : 5 + rows * columns].reshape(rows, columns)
    expected[0][3 : 3 + rows] += whole @ vectors[0][2 : 2 + columns]
    expected[1][1 : 1 + columns] += vectors[1][4 : 4 + rows] @ whole
    both_products(matrix, 5, (rows, columns), vectors, (2, 3, 4, 1), outs)
    for found, one in zip(outs, expected, strict=True):
        np.testing.assert_allclose(found, one, rtol=1e-12)


@njit(**ENTRY)
def products_of_several(matrix, start, shape, vectors, ats, outs, out_ats):
    add_products(matrix, start, shape, vectors[0], ats[0], outs[0], out_ats[0])
    add_transposed_products(matrix, start, shape, vectors[1], ats[1], outs[1], out_ats[1], True)
    add_transposed_products(matrix, start, shape, vectors[1], ats[1], outs[2], out_ats[1], False)


@pytest.mark.parametrize("n", [0, 1, 3, 4, 9])
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (3, 2), (4, 16), (5, 33), (24, 576), (13, 1024), (9, 7)])
def test_products_of_several_vectors_are_those_of_each_by_itself_to_the_last_bit(n, rows, columns):
    """Vectors in any order; two sums may go to one place, and replaced results may be anything before."""
    rng = np.random.default_rng(rows * columns + n)
    matrix = rng.normal(size=rows * columns + 9).astype(np.float32)
    vectors = tuple(rng.normal(size=n * size + 7).astype(np.float32) for size in (columns, rows))
    ats = tuple(3 + size * rng.permutation(n) for size in (columns, rows))
    outs = (
        rng.normal(size=n * rows + 7).astype(np.float32),
        np.full(n * columns + 7, np.nan, np.float32),
        rng.normal(size=n * columns + 7).astype(np.float32),
    )
    out_ats = 2 + rows * (np.arange(n) // 2), 2 + columns * rng.permutation(n)
    before, expected = [out.copy() for out in outs], tuple(out.copy() for out in outs)
    for number in range(n):
        one = [part[number : number + 1] for part in (*ats, *out_ats)]
        products_of_several(matrix, 5, (rows, columns), vectors, tuple(one[:2]), expected, tuple(one[2:]))
    products_of_several(matrix, 5, (rows, columns), vectors, ats, outs, out_ats)
    for out, one in zip(outs, expected, strict=True):
        np.testing.assert_array_equal(out, one)
    whole = matrix[5 : 5 + rows * columns].reshape(rows, columns).astype(float)
    sums = before[0].astype(float)
    for at, out_at in zip(ats[0], out_ats[0], strict=True):
        sums[out_at : out_at + rows] += whole @ vectors[0][at : at + columns]
    np.testing.assert_allclose(outs[0], sums, rtol=1e-3, atol=1e-3)
    for at, out_at in zip(ats[1], out_ats[1], strict=True):
        product, place = vectors[1][at : at + rows].astype(float) @ whole, slice(out_at, out_at + columns)
        np.testing.assert_allclose(outs[1][place], product, rtol=1e-3, atol=1e-5)
        np.testing.assert_allclose(outs[2][place], before[2][place] + product, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("columns", [1, 7, 100, 256, 1024, 5000])
def test_rows_for_many_vectors_stay_in_the_cache(columns):
    rows = rows_in_cache.py_func(columns)
    assert rows >= FEWEST and rows % FEWEST == 0
    assert all(FEWEST % most == 0 for most, *_ in DOT_TILES.values())
    assert rows == FEWEST or rows * columns <= 4096 < (rows + FEWEST) * columns


def questions(factored, dtype, bits=0):
    """Questions to two grammars, in turn, about sentences of several lengths."""
    grammars = [random_grammar(np.random.default_rng(seed), factored=factored) for seed in (0, 1)]
    grammars = [with_significant_bits(grammar, bits) for grammar in grammars]
    rules, found = [tensor_rules(grammar, dtype) for grammar in grammars], []
    for number, text in enumerate(TEXTS):
        words = words_of(grammars[number % 2], text.split())
        forest, inside = forest_of(grammars[number % 2], words)
        found.append((Sum(inside, words, rules[number % 2]), forest))
    return found


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("factored", [False, True])
@pytest.mark.parametrize("most_edges", [1, 40, 1 << 17])
def test_sentences_side_by_side_have_the_marginals_of_each_by_itself_to_the_last_bit(
    factored, dtype, most_edges, monkeypatch
):
    monkeypatch.setattr(marginals_module, "MOST_EDGES", most_edges)
    asked = questions(factored, dtype)
    for (one, forest), found in zip(asked, all_marginals(asked), strict=True):
        expected = rule_marginals(forest, one.inside, one.words, one.rules)
        assert found[:2] == expected[:2] and found.total != 0
        for ours, theirs in zip(found[2:], expected[2:], strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("factored", [False, True])
def test_parameters_of_few_bits_are_halved_and_give_the_same_marginals_to_the_last_bit(factored, monkeypatch):
    halved = questions(factored, np.float32, bits=8)
    assert all(one.rules.inside_values.dtype == one.rules.outside_values.dtype == np.uint16 for one, _ in halved)
    monkeypatch.setattr(kernel_rules, "have_upper_halves", lambda values: False)
    for (half, forest), (whole, _) in zip(halved, questions(factored, np.float32, bits=8), strict=True):
        assert whole.rules.inside_values.dtype == np.float32
        ours = rule_marginals(forest, half.inside, half.words, half.rules)
        theirs = rule_marginals(forest, whole.inside, whole.words, whole.rules)
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(one, other)


def test_parameters_of_more_bits_are_not_halved():
    for dtype, bits in ((np.float32, 9), (np.float32, 0), (np.float64, 8)):
        assert all(one.rules.inside_values.dtype == dtype for one, _ in questions(False, dtype, bits))


def test_order_in_a_batch_changes_nothing():
    asked = questions(True, np.float32)[::2]
    forwards, backwards = batch_marginals(asked), batch_marginals(asked[::-1])[::-1]
    for one, two in zip(forwards, backwards, strict=True):
        assert one[:2] == two[:2]
        np.testing.assert_array_equal(one.edge, two.edge)


@pytest.mark.parametrize("members", [1, 3])
def test_sentences_parsed_together_have_the_parses_of_each_by_itself(members):
    """Also those whose pruned forest has no tree, which are parsed a second time, and empty ones."""
    grammars = [random_grammar(np.random.default_rng(seed)) for seed in range(members)]
    parser = Parser(grammars, ParseSettings(threshold=0.02, fine_threshold=0.4))
    sentences = [[(word, OPEN_TAG) for word in text.split()] for text in TEXTS]
    parser.candidates.of_sentence = lambda sentence, allowed: words_of(grammars[0], [word for word, _ in sentence])
    together = parser.parse_together([*sentences[:3], [], *sentences[3:]])
    alone = [parser.parse(sentence) for sentence in [*sentences[:3], [], *sentences[3:]]]
    assert len({parse.status for parse in alone}) == 1 + (members > 1) + 1
    for one, two in zip(together, alone, strict=True):
        assert (one.status, one.n_applications) == (two.status, two.n_applications)
        np.testing.assert_array_equal(one.log_probability, two.log_probability)
        for ours, theirs in zip(one.derivations, two.derivations, strict=True):
            np.testing.assert_array_equal(ours.symbol, theirs.symbol)
