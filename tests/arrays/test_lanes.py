"""Sums of products with vector registers: compiled and plain, against sums of Python numbers."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from lpcfg_cli.arrays import lanes
from lpcfg_cli.arrays.kernel_options import ENTRY, njit
from lpcfg_cli.arrays.lanes import add_dots, add_outer, add_sums

LENGTHS = [1, 2, 7, 8, 9, 15, 16, 17, 24, 33, 64]
TYPES = [np.float32, np.float64]
DOT_TILINGS = [{4: (4, 1), 1: (4, 1)}, {3: (2, 1), 1: (4, 1)}, {2: (3, 2, 1), 1: (1,)}]
SUM_TILINGS = [{4: 2, 2: 4, 1: 4}, {4: 1, 2: 2, 1: 4}, {5: 1, 3: 2, 1: 1}]
PLACES = [(3, 2), (np.array([1, 9, 14, 9, 2]), np.array([0, 7, 3, 3, 1])), (np.zeros(0, int), np.zeros(0, int))]
"""Where results and vectors begin: of one, of several, two of which have one place, and of none."""


def dots_in_kernel(out, out_at, matrix, start, shape, vectors, at, rows):
    add_dots(out, out_at, matrix, start, shape, vectors, at, rows)


def sums_in_kernel(out, out_at, matrix, start, shape, vectors, at, rows, is_new):
    add_sums(out, out_at, matrix, start, shape, vectors, at, rows, is_new)


compiled_dots, compiled_sums = njit(**ENTRY)(dots_in_kernel), njit(**ENTRY)(sums_in_kernel)


@njit(**ENTRY)
def compiled_outer(out, start, shape, factor, vectors, left, right, is_new):
    add_outer(out, start, shape, factor, vectors, left, right, is_new)


def drawn(seed, sizes, dtype):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=size).astype(dtype) for size in sizes]


def assert_near(found, expected):
    np.testing.assert_allclose(found, expected, rtol=0, atol=100 * np.finfo(found.dtype).eps)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("columns", LENGTHS)
@pytest.mark.parametrize("dots", [add_dots, compiled_dots])
@pytest.mark.parametrize("rows", [(0, 7), (0, 4), (2, 5), (6, 7), (3, 3)])
def test_dots(rows, dots, columns, dtype):
    for out_at, at in PLACES:
        out, matrix, vectors = drawn(columns, (25, 7 * columns + 10, columns + 10), dtype)
        expected = out.tolist()
        for place, begin in zip(np.atleast_1d(out_at), np.atleast_1d(at), strict=True):
            for r in range(*rows):
                row = matrix[5 + r * columns : 5 + (r + 1) * columns].tolist()
                expected[place + r] += sum(a * float(vectors[begin + k]) for k, a in enumerate(row))
        dots(out, out_at, matrix, 5, (7, columns), vectors, at, rows)
        assert_near(out, expected)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("columns", LENGTHS)
@pytest.mark.parametrize("rows", [(0, 1), (0, 8), (2, 5), (7, 8)])
@pytest.mark.parametrize("sums", [add_sums, compiled_sums])
def test_sums(sums, rows, columns, dtype):
    for is_new in (False, True):
        for out_at, at in ((3, 2), (1 + columns * np.array([1, 0, 4, 2, 3]), np.array([0, 8, 3, 3, 1]))):
            out, matrix, vectors = drawn(columns, (5 * columns + 9, 8 * columns + 9, 17), dtype)
            expected = out.tolist()
            for place, begin in zip(np.atleast_1d(out_at), np.atleast_1d(at), strict=True):
                for c in range(columns):
                    terms = (float(vectors[begin + k]) * float(matrix[4 + k * columns + c]) for k in range(*rows))
                    expected[place + c] = sum(terms) + (0.0 if is_new else expected[place + c])
                if is_new:
                    out[place : place + columns] = np.nan
            sums(out, out_at, matrix, 4, (8, columns), vectors, at, rows, is_new)
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


@pytest.mark.parametrize("wrong", ["matrix", "places", "type"])
def test_arrays_with_gaps_and_of_several_types_are_refused(wrong):
    """Compiled code would read what lies between."""
    out, matrix, vectors, at = np.zeros(4), np.zeros(8), np.zeros(4), np.zeros(2, int)
    given = {
        "matrix": (out, at, matrix[::2], 0, (2, 2), vectors, at, (0, 2)),
        "places": (out, np.zeros(4, int)[::2], matrix, 0, (2, 2), vectors, at, (0, 2)),
        "type": (out, at, matrix.astype(np.float32), 0, (2, 2), vectors, at, (0, 2)),
    }[wrong]
    with pytest.raises(numba.TypingError):
        compiled_dots(*given)


def numba_of(function, patches):
    """The function, compiled without a cache, while some constants are others."""
    kernel = numba.njit(function)

    def compiled(*given):
        with pytest.MonkeyPatch.context() as patch:
            for name, value in patches.items():
                patch.setattr(lanes, name, value)
            kernel(*given)

    return compiled


@pytest.mark.parametrize("tiles", list(zip(DOT_TILINGS, SUM_TILINGS, strict=True)))
def test_a_result_does_not_depend_on_those_beside_it_nor_on_the_processor(tiles):
    """To the last bit: sentences parsed together have the trees of each by itself."""
    dots = numba_of(dots_in_kernel, {"DOT_TILES": tiles[0]})
    sums = numba_of(sums_in_kernel, {"SUM_TILES": tiles[1]})
    for columns in LENGTHS:
        assert_same_as_each(dots, sums, columns)


def assert_same_as_each(dots, sums, columns):
    """That the results for several rows and vectors are those for each of them."""
    matrix, vectors = drawn(columns, (9 * columns, 9 * columns + 9), np.float32)
    shape, at = (9, columns), columns * np.array([4, 0, 1, 8, 2, 6, 3])
    out_at, sum_at = 9 * np.arange(7), columns * np.arange(7)
    each_dot, each_sum = np.zeros(63, np.float32), np.zeros(7 * columns, np.float32)
    for g in range(7):
        for r in range(9):
            compiled_dots(each_dot, int(out_at[g]), matrix, 0, shape, vectors, int(at[g]), (r, r + 1))
        compiled_sums(each_sum, int(sum_at[g]), matrix, 0, shape, vectors, int(at[g]), (0, 9), False)
    together = np.zeros_like(each_dot)
    dots(together, out_at, matrix, 0, shape, vectors, at, (0, 9))
    np.testing.assert_array_equal(together, each_dot)
    together = np.zeros_like(each_sum)
    sums(together, sum_at, matrix, 0, shape, vectors, at, (0, 9), False)
    np.testing.assert_array_equal(together, each_sum)
