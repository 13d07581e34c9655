"""Upper halves of float32: which numbers have them, and that sums of them are those of the numbers."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from test_lanes import LENGTHS, compiled_dots, compiled_sums, numba_of, sums_in_kernel

from lpcfg_cli.arrays.halves import aligned_zeros, have_upper_halves, stored_rows, upper_halves, whole_numbers
from lpcfg_cli.grammar.model import round_bits


def few_bits(size):
    return round_bits(np.random.default_rng(size).normal(size=size), 8)


@pytest.mark.parametrize("dtype", [np.uint16, np.float32, np.float64])
@pytest.mark.parametrize("size", [1, 15, 64, 1000])
def test_zeros_begin_a_line_and_a_line_follows(size, dtype):
    for _ in range(5):
        zeros = aligned_zeros(size, dtype)
        assert zeros.shape == (size,) and zeros.dtype == dtype and not np.any(zeros)
        begin, whole = zeros.ctypes.data, zeros.base
        assert begin % 64 == 0
        assert begin + zeros.nbytes + 64 <= whole.ctypes.data + whole.nbytes


def test_numbers_come_back():
    numbers = np.append(few_bits(100), np.float32([0.0, -0.0, np.inf, -np.inf, 1.0, 2.0**-130]))
    assert have_upper_halves(numbers)
    for columns in (1, 2, 53, 106):
        rows = numbers.reshape(-1, columns)
        found = whole_numbers(stored_rows(upper_halves(rows)))
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found.view(np.uint32), rows.view(np.uint32))


def test_a_shift_and_a_mask_give_the_halves_of_a_block():
    rows = few_bits(3 * 37).reshape(3, 37)
    halves = stored_rows(upper_halves(rows))
    for row, stored in zip(rows, halves, strict=True):
        for first in (0, 16):
            words = stored[first : first + 16].view(np.uint32)
            np.testing.assert_array_equal((words << 16).view(np.float32), row[first : first + 8])
            np.testing.assert_array_equal((words & 0xFFFF0000).view(np.float32), row[first + 8 : first + 16])
        np.testing.assert_array_equal(stored[32:].astype(np.uint32) << 16, row[32:].view(np.uint32))


def test_transposed_matrices_side_by_side_are_stored_each_as_it_is():
    rows = few_bits(2 * 3 * 37).reshape(2, 37, 3).swapaxes(1, 2)
    whole = stored_rows(rows)
    assert whole.flags.c_contiguous and not np.shares_memory(whole, rows)
    np.testing.assert_array_equal(whole, rows)
    for one, halved in zip(rows, stored_rows(upper_halves(rows)), strict=True):
        np.testing.assert_array_equal(whole_numbers(halved), one)


@pytest.mark.parametrize(
    "numbers", [np.float32([1, 1 + 2**-8]), np.float32([0.1]), np.array([1.0]), np.array([1.0], np.float16)]
)
def test_other_numbers_have_none(numbers):
    """More bits, or another type."""
    assert not have_upper_halves(numbers)


@pytest.mark.parametrize("columns", LENGTHS)
@pytest.mark.parametrize("n", [1, 2, 4, 7])
def test_sums_of_halves_are_those_of_the_numbers_to_the_last_bit(n, columns):
    """Also where other numbers, even infinite ones, follow the matrix."""
    matrix = np.append(few_bits(9 * columns + 4), np.full(40, np.inf, np.float32))
    rng = np.random.default_rng(columns)
    vectors, out = (rng.normal(size=size).astype(np.float32) for size in (9 * n, columns * n))
    at, out_at, shape = 9 * rng.permutation(n), columns * np.arange(n), (9, columns)
    plain, compiled, tiled = (out.copy() for _ in range(3))
    halves = np.full(len(matrix), 0x7F80, np.uint16)
    rows = matrix[4 : 4 + 9 * columns].reshape(shape)
    halves[4 : 4 + 9 * columns] = stored_rows(upper_halves(rows)).ravel()
    sums_in_kernel(plain, out_at, halves, 4, shape, vectors, at, (1, 9), False)
    compiled_sums(compiled, out_at, halves, 4, shape, vectors, at, (1, 9), False)
    numba_of(sums_in_kernel, {"SUM_TILES": {3: 2, 1: 1}})(tiled, out_at, halves, 4, shape, vectors, at, (1, 9), False)
    compiled_sums(out, out_at, matrix, 4, shape, vectors, at, (1, 9), False)
    np.testing.assert_allclose(plain, out, rtol=0, atol=1e-5)
    np.testing.assert_array_equal(compiled, out)
    np.testing.assert_array_equal(tiled, out)


def test_halves_of_float64_and_of_other_arrays_than_the_matrix_are_refused():
    """Compiled code would read other numbers, or beyond the array."""
    halves, whole, one = np.zeros(64, np.uint16), np.zeros(8, np.float32), np.zeros(8)
    for out, matrix, vectors in ((one, halves, one), (whole, whole, halves), (halves, whole, whole)):
        with pytest.raises(numba.TypingError):
            compiled_sums(out, 0, matrix, 0, (2, 2), vectors, 0, (0, 2), False)
    for out, matrix, vectors in ((whole, halves, whole), (whole, whole, halves)):
        with pytest.raises(numba.TypingError):
            compiled_dots(out, 0, matrix, 0, (2, 2), vectors, 0, (0, 2))
