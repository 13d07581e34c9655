"""Products of vectors entry by entry: compiled and plain, against sums of Python numbers."""

from __future__ import annotations

import numpy as np
import pytest
from quick_kernels import quickly_compiled

from lpcfg_cli.arrays.entrywise import add_derivatives, add_entrywise, add_scaled, dot, prefetch
from lpcfg_cli.arrays.kernel_options import ENTRY, njit

LENGTHS = [0, 1, 3, 7, 8, 15, 16, 17, 33, 100]
TYPES = [np.float32, np.float64]


@njit(**ENTRY)
def compiled_scaled(out, out_at, factor, vectors, at, length):
    add_scaled(out, out_at, factor, vectors, at, length)


@njit(**ENTRY)
def compiled_entrywise(out, out_at, factor, one, one_at, two, two_at, length, is_new):
    add_entrywise(out, out_at, factor, one, one_at, two, two_at, length, is_new)


@njit(**ENTRY)
def compiled_derivatives(out_one, out_two, factor, given, given_at, one, one_at, two, two_at, length):
    return add_derivatives(out_one, out_two, factor, given, given_at, one, one_at, two, two_at, length)


@njit(**ENTRY)
def compiled_dot(one, one_at, two, two_at, length):
    return dot(one, one_at, two, two_at, length)


@njit(**ENTRY)
def compiled_prefetch(vectors, at, length):
    prefetch(vectors, at, length)


def drawn(length, dtype, n=3):
    rng = np.random.default_rng(length)
    return [rng.normal(size=length + 9).astype(dtype) for _ in range(n)]


def assert_near(found, expected):
    """The rest of the array is as it was."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=20 * np.finfo(found.dtype).eps)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("scaled", [add_scaled, compiled_scaled])
def test_scaled(scaled, length, dtype):
    out, vectors = drawn(length, dtype, 2)
    expected = out.tolist()
    for k in range(length):
        expected[3 + k] += 0.7 * float(vectors[5 + k])
    scaled(out, 3, 0.7, vectors, 5, length)
    assert_near(out, expected)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("is_new", [False, True])
@pytest.mark.parametrize("entrywise", [add_entrywise, compiled_entrywise])
def test_entrywise(entrywise, is_new, length, dtype):
    out, one, two = drawn(length, dtype)
    expected = out.tolist()
    for k in range(length):
        expected[3 + k] = (0.0 if is_new else expected[3 + k]) + 0.7 * float(one[k]) * float(two[5 + k])
    if is_new:
        out[3 : 3 + length] = np.nan
    entrywise(out, 3, 0.7, one, 0, two, 5, length, is_new)
    assert_near(out, expected)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("entrywise", [add_entrywise, compiled_entrywise])
def test_a_product_may_replace_one_of_its_factors(entrywise, length):
    one, two = drawn(length, np.float64, 2)
    expected = one.copy()
    expected[2 : 2 + length] *= -1.5 * two[4 : 4 + length]
    entrywise(one, 2, -1.5, one, 2, two, 4, length, True)
    assert_near(one, expected)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("product", [dot, compiled_dot])
def test_dot(product, length, dtype):
    one, two = drawn(length, dtype, 2)
    expected = sum(float(one[1 + k]) * float(two[4 + k]) for k in range(length))
    assert product(one, 1, two, 4, length) == pytest.approx(expected, abs=100 * float(np.finfo(dtype).eps))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("derivatives", [add_derivatives, compiled_derivatives])
def test_derivatives_of_a_sum_of_products(derivatives, length, dtype):
    out_one, out_two, given, one, two = drawn(length, dtype, 5)
    expected_one, expected_two, total = out_one.tolist(), out_two.tolist(), 0.0
    for k in range(length):
        x, y, z = float(one[4 + k]), float(two[k]), 0.7 * float(given[7 + k])
        expected_one[4 + k] += z * y
        expected_two[k] += z * x
        total += z * x * y
    found = derivatives(out_one, out_two, 0.7, given, 7, one, 4, two, 0, length)
    assert_near(out_one, expected_one)
    assert_near(out_two, expected_two)
    np.testing.assert_allclose(found, total, rtol=0, atol=200 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("at", [0, 5, 1 << 40])
def test_asking_for_vectors_changes_nothing_wherever_they_are(at, dtype):
    (vectors,) = drawn(33, dtype, 1)
    before = vectors.copy()
    for length in LENGTHS:
        compiled_prefetch(vectors, at, length)
        prefetch(vectors, at, length)
    np.testing.assert_array_equal(vectors, before)


@pytest.mark.skipif(not hasattr(compiled_prefetch, "inspect_llvm"), reason="without the compiler")
def test_asking_for_vectors_is_an_instruction():
    fresh = quickly_compiled(compiled_prefetch.py_func, **ENTRY)
    fresh(np.zeros(40, np.float32), 0, 33)
    assert "call void @llvm.prefetch" in fresh.inspect_llvm(fresh.signatures[0])
