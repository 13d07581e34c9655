"""Numbers for rows of integers."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lpcfg_cli.arrays.grouping import number_rows
from lpcfg_cli.arrays.numbering_kernels import number_keys

small = st.integers(-3, 3)
wide = st.integers(-(2**30), 2**30)


@given(st.integers(1, 4), st.data())
def test_rows_are_numbered_as_by_a_dictionary_of_tuples(n_columns, data):
    row = st.tuples(*[st.one_of(small, wide)] * n_columns)
    rows = data.draw(st.lists(row, max_size=40))
    number, first = number_rows([np.array([row[k] for row in rows], np.int64) for k in range(n_columns)])
    table: dict = {}
    assert number.tolist() == [table.setdefault(row, len(table)) for row in rows]
    assert first.tolist() == [rows.index(row) for row in table]


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=60))
def test_keys_may_be_any_64_bit_integers(keys):
    number, first = number_keys(np.array(keys, np.int64))
    table: dict = {}
    assert number.tolist() == [table.setdefault(key, len(table)) for key in keys]
    assert first.tolist() == [keys.index(key) for key in table]


def test_columns_of_truth_values_count_as_integers():
    number, first = number_rows([np.array([True, False, True]), np.array([5, 5, 5], np.int8)])
    assert (number.tolist(), first.tolist()) == ([0, 1, 0], [0, 1])


def test_keys_that_share_a_hash_slot_stay_apart():
    # multiples of a large power of two differ only in the bits that the hash keeps
    keys = np.arange(2000, dtype=np.int64) << 50
    number, _ = number_keys(np.concatenate([keys, keys]))
    assert number.tolist() == [*range(2000), *range(2000)]
