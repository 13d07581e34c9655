"""Parameters rounded to few significant bits: the error bound, idempotence, and what stays as it is."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from grammars import random_grammar
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lpcfg_cli.grammar.model import SINGLE_BITS, round_bits, with_significant_bits

NORMAL = st.floats(2.0**-100, 2.0**100, width=32).flatmap(lambda x: st.sampled_from([x, -x])) | st.just(0.0)
"""Numbers that a float32 holds with all of its bits, of either sign."""

VALUES = arrays(np.float64, st.integers(0, 20), elements=NORMAL)
BITS = st.integers(4, SINGLE_BITS)


def nearest(value, bits):
    """The nearest number with so many significant bits, ties to even, by exact arithmetic of fractions."""
    mantissa, exponent = np.frexp(value)
    return float(np.ldexp(round(float(mantissa) * 2**bits), int(exponent) - bits))


@given(VALUES, BITS)
def test_numbers_become_the_nearest_ones_with_so_many_bits(values, bits):
    rounded = round_bits(values, bits)
    assert rounded.dtype == np.float32
    np.testing.assert_array_equal(rounded, [nearest(value, bits) for value in values])
    assert (np.abs(rounded - values) <= 2.0**-bits * np.abs(values)).all()


@given(VALUES, BITS)
def test_rounding_again_changes_nothing_and_order_stays(values, bits):
    rounded = round_bits(values, bits)
    assert round_bits(rounded, bits).tobytes() == rounded.tobytes()
    assert (np.diff(rounded[np.argsort(values, kind="stable")]) >= 0).all()


def test_all_bits_of_single_precision_only_change_the_type():
    values = np.random.default_rng(1).normal(size=100)
    assert round_bits(values, SINGLE_BITS).tobytes() == values.astype(np.float32).tobytes()


@pytest.mark.parametrize("factored", [False, True])
def test_only_parameters_of_rules_are_rounded(factored):
    grammar = random_grammar(np.random.default_rng(2), factored=factored)
    rounded = with_significant_bits(grammar, 8)
    for part in ("binary", "unary", "lexical"):
        given_part, found = getattr(grammar, part), getattr(rounded, part)
        assert found.values.tobytes() == round_bits(given_part.values, 8).tobytes() != given_part.values.tobytes()
        names = {field.name for field in fields(found)} - {"values"}
        assert all(getattr(found, name) is getattr(given_part, name) for name in names)
    kept = {field.name for field in fields(grammar)} - {"binary", "unary", "lexical"}
    assert all(getattr(rounded, name) is getattr(grammar, name) for name in kept)


def test_no_bits_told_keep_everything():
    grammar = random_grammar(np.random.default_rng(3))
    assert with_significant_bits(grammar, 0) is grammar
