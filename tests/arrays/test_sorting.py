"""Compiled sorting, compared with numpy's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpcfg_cli.arrays.sorting_kernels import sort_integers


@given(st.lists(st.one_of(st.integers(-(2**63), 2**63 - 1), st.integers(0, 3)), max_size=40))
def test_short_lists(numbers):
    values = np.array(numbers, np.int64)
    sort_integers(values)
    assert values.tolist() == sorted(numbers)


@pytest.mark.parametrize("order", [1, -1])
def test_long_lists(order):
    values = np.random.default_rng(1).integers(-1000, 1000, 5000)
    for given_values in (values, np.sort(values)[::order].copy()):
        expected = np.sort(given_values)
        sort_integers(given_values)
        assert np.array_equal(given_values, expected)
