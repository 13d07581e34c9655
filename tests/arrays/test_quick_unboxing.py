"""How kernels take arguments from Python: with less code, and the same values."""

from __future__ import annotations

import re
from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba.core import pythonapi
from quick_kernels import parser_kernel

from lpcfg_cli.arrays.kernel_options import ENTRY, FILLING
from lpcfg_cli.arrays.quick_unboxing import quick_unboxing

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="without the compiler")


class Inner(NamedTuple):
    small: np.ndarray
    table: np.ndarray


class Outer(NamedTuple):
    inner: Inner
    flags: np.ndarray
    number: int
    is_set: bool
    sizes: tuple[int, float]
    halves: tuple[np.ndarray, np.ndarray]


def filled(outer, places, out):
    """Copies something of each argument."""
    out[0] = outer.inner.small[1]
    out[1] = outer.inner.table[1, 2]
    out[2] = outer.inner.table.shape[0] * 10 + outer.inner.table.shape[1]
    out[3] = 1.0 if outer.flags[2] else 0.0
    out[4] = outer.number
    out[5] = 1.0 if outer.is_set else 0.0
    out[6] = outer.sizes[0] * outer.sizes[1]
    out[7] = outer.halves[0][0] + outer.halves[1][1]
    out[8] = places[0][0] + places[1][0]


def arguments():
    rng = np.random.default_rng(0)
    inner = Inner(np.array([3, 7], np.int32), rng.normal(size=(4, 6)).T)
    halves = np.arange(3, dtype=np.uint16), np.arange(5, 9, dtype=np.uint16)
    outer = Outer(inner, np.array([True, False, True]), 2**40, True, (3, 2.5), halves)
    return outer, (np.array([2**50]), np.array([1])), np.zeros(9)


@pytest.mark.parametrize("options", [FILLING, ENTRY], ids=["no references", "references"])
def test_values_are_those_of_python(options):
    outer, places, expected = arguments()
    filled(outer, places, expected)
    found = np.zeros(9)
    kernel = parser_kernel(filled, *arguments(), **options)
    kernel(outer, places, found)
    np.testing.assert_array_equal(found, expected)
    assert expected[1] == outer.inner.table[1, 2] != 0 and expected[8] == 2**50 + 1


@pytest.mark.parametrize("wrong", ["text", None, np.zeros(2, np.int64)])
def test_what_is_not_the_array_of_the_type_is_an_error_and_nothing_is_run(wrong):
    outer, places, out = arguments()
    kernel = parser_kernel(filled, *arguments(), **FILLING)
    kernel(outer, places, out)
    (compiled,) = kernel.overloads.values()
    changed = outer._replace(inner=outer.inner._replace(small=wrong))
    out[:] = -1.0
    with pytest.raises(TypeError, match="not the array that it expects"):
        compiled.entry_point(changed, places, out)
    assert set(out) == {-1.0}
    compiled.entry_point(outer, places, out)
    assert out[4] == 2**40


def test_arrays_of_a_kernel_share_one_function():
    kernel = parser_kernel(filled, *arguments(), **FILLING)
    kernel(*arguments())
    (code,) = kernel.inspect_llvm().values()
    assert code.count("call i32 @numba_adapt_ndarray(") == 1
    assert len(re.findall(r"call .*@unbox_array\(", code)) == 8  # five of the first argument, two of the second, one


def test_changes_of_numba_end_with_the_context():
    before = pythonapi._unboxers.lookup
    with quick_unboxing():
        assert pythonapi._unboxers.lookup != before
    assert pythonapi._unboxers.lookup == before
    assert "lookup" not in vars(pythonapi._unboxers)
