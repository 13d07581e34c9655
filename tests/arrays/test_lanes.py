"""Sums of products with vector registers: compiled and plain, against sums of Python numbers."""

from __future__ import annotations

import numpy as np
import pytest

from lpcfg_cli.arrays.kernel_options import ENTRY, njit
from lpcfg_cli.arrays.lanes import add_dots, add_outer, add_sums

LENGTHS = [1, 2, 7, 8, 9, 15, 16, 17, 24, 33, 64]
TYPES = [np.float32, np.float64]


@njit(**ENTRY)
def compiled_dots(out, out_at, matrix, row_at, vectors, at, length):
    add_dots(out, out_at, matrix, row_at, vectors, at, length)


@njit(**ENTRY)
def compiled_sums(out, out_at, matrix, start, shape, vectors, at, is_new):
    add_sums(out, out_at, matrix, start, shape, vectors, at, is_new)


@njit(**ENTRY)
def compiled_outer(out, start, shape, factor, vectors, left, right, is_new):
    add_outer(out, start, shape, factor, vectors, left, right, is_new)


def drawn(seed, sizes, dtype):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=size).astype(dtype) for size in sizes]


def assert_near(found, expected):
    np.testing.assert_allclose(found, expected, rtol=0, atol=100 * np.finfo(found.dtype).eps)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dots", [add_dots, compiled_dots])
def test_dots(dots, length, dtype):
    for out_at, row_at, at in (((3,), (2,), (1,)), ((1, 9, 14, 9), (4, 4 + length, 5, 0), (0, length, 7, 3))):
        out, matrix, vectors = drawn(length, (20, 2 * length + 10, 2 * length + 10), dtype)
        expected = out.tolist()
        for place, first in zip(out_at, at, strict=True):
            for r, row in enumerate(row_at):
                expected[place + r] += sum(float(matrix[row + k]) * float(vectors[first + k]) for k in range(length))
        dots(out, out_at, matrix, row_at, vectors, at, length)
        assert_near(out, expected)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("columns", LENGTHS)
@pytest.mark.parametrize("rows", [1, 2, 5, 8])
@pytest.mark.parametrize("sums", [add_sums, compiled_sums])
def test_sums(sums, rows, columns, dtype):
    for is_new in (False, True):
        for out_at, at in (((3,), (2,)), ((1, 2 + columns, 3 + 2 * columns, 3 + 3 * columns), (0, rows, 3, 1))):
            sizes = 4 * columns + 9, rows * columns + 9, 2 * rows + 9
            out, matrix, vectors = drawn(columns, sizes, dtype)
            expected = out.tolist()
            for place, first in zip(out_at, at, strict=True):
                for c in range(columns):
                    terms = (float(vectors[first + k]) * float(matrix[4 + k * columns + c]) for k in range(rows))
                    expected[place + c] = sum(terms) + (0.0 if is_new else expected[place + c])
            if is_new:
                for place in out_at:
                    out[place : place + columns] = np.nan
            sums(out, out_at, matrix, 4, (rows, columns), vectors, at, is_new)
            assert_near(out, expected)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("columns", LENGTHS)
@pytest.mark.parametrize("outer", [add_outer, compiled_outer])
def test_outer(outer, columns, dtype):
    for is_new in (False, True):
        out, vectors = drawn(columns, (3 * columns + 9, columns + 9), dtype)
        expected = out.tolist()
        for b in range(3):
            for c in range(columns):
                place = 5 + b * columns + c
                term = 0.7 * float(vectors[1 + b]) * float(vectors[4 + c])
                expected[place] = term + (0.0 if is_new else expected[place])
        outer(out, 5, (3, columns), 0.7, vectors, 1, 4, is_new)
        assert_near(out, expected)


@pytest.mark.parametrize("columns", LENGTHS)
def test_a_result_does_not_depend_on_those_beside_it(columns):
    """To the last bit: sentences parsed together have the trees of each by itself."""
    matrix, vectors = drawn(columns, (4 * columns, 4 * columns), np.float32)
    at, rows = (0, columns, 2 * columns, 3 * columns), (0, columns, 2 * columns, 3 * columns)
    together, each = np.zeros(16, np.float32), np.zeros(16, np.float32)
    compiled_dots(together, (0, 4, 8, 12), matrix, rows, vectors, at, columns)
    for g in range(4):
        for r in range(4):
            compiled_dots(each, (4 * g + r,), matrix, (rows[r],), vectors, (at[g],), columns)
    np.testing.assert_array_equal(together, each)
    together, each = np.zeros(4 * columns, np.float32), np.zeros(4 * columns, np.float32)
    compiled_sums(together, at, matrix, 0, (4, columns), vectors, (0, 0, columns - 1, 1), False)
    for place, first in zip(at, (0, 0, columns - 1, 1), strict=True):
        compiled_sums(each, (place,), matrix, 0, (4, columns), vectors, (first,), False)
    np.testing.assert_array_equal(together, each)
