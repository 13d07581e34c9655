"""What numba writes for LLVM: less, with the same results."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba.core import lowering, postproc
from numba.np import arrayobj
from quick_kernels import parser_kernel

from lpcfg_cli.arrays import quick_lowering
from lpcfg_cli.arrays.kernel_options import ENTRY, FILLING
from lpcfg_cli.arrays.quick_compiling import quick_compiling

needs_compiler = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="without the compiler")


class Pair(NamedTuple):
    one: np.ndarray
    two: np.ndarray


class Nested(NamedTuple):
    pair: Pair
    table: np.ndarray


def written(function, *arguments, options=FILLING):
    """The code of a kernel that numba writes, before LLVM changes it."""
    seen = {}
    with quick_compiling(), pytest.MonkeyPatch.context() as patch:
        end = lowering.Lower.post_lower

        def post_lower(self):
            end(self)
            seen[self.fndesc.qualname] = self.function

        patch.setattr(lowering.Lower, "post_lower", post_lower)
        numba.njit(**options)(function).compile(tuple(map(numba.typeof, arguments)))
    return str(seen[function.__qualname__])


def in_memory(code):
    """What of a kernel is in memory: the lines that make room for it."""
    return [line.strip() for line in code.splitlines() if " = alloca " in line]


def set_once(pair, out):
    first = pair.one
    n = first.shape[0]
    factor = pair.two[0]
    for k in range(n):
        if first[k] > 0.0:
            out[k] = factor * first[k]
        else:
            out[k] = first[-1 - k]


def set_twice(pair, out):
    total = 0.0
    for k in range(pair.one.shape[0]):
        value = pair.one[k]
        if value < 0.0:
            value = -value
        total += value
        out[k] = total


def set_in_a_branch(pair, out):
    for k in range(pair.one.shape[0]):
        if pair.one[k] > 0.5:
            large = pair.two[k]
            kept = large * 2.0
        else:
            kept = 1.0
        out[k] = kept


def used_in_the_next_round(pair, out):
    before = 0.0
    for k in range(pair.one.shape[0]):
        out[k] = before
        before = pair.one[k]
    for k in range(pair.one.shape[0] - 1):
        last = pair.two[k]
        out[k] += last
    out[0] += last


def of_a_tuple_in_a_tuple(nested, out):
    pair = nested.pair
    while True:
        rows, columns = nested.table.shape
        if rows * columns > 0:
            for row in range(rows):
                part = nested.table[row]
                for column in range(columns):
                    out[column] += part[column] * pair.one[row % pair.one.shape[0]]
        break


def of_slices_and_pairs(pair, out):
    for side in (pair.one, pair.two):
        middle = side[1:4]
        for k in range(middle.shape[0]):
            out[k] += middle[k] * middle.size + len(side)


FUNCTIONS = [set_once, set_twice, set_in_a_branch, used_in_the_next_round, of_slices_and_pairs]


def drawn(seed, n=7):
    rng = np.random.default_rng(seed)
    return Pair(rng.normal(size=n), rng.normal(size=n))


@pytest.mark.parametrize("options", [FILLING, ENTRY], ids=["no references", "references"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_results_are_those_of_python(function, options):
    kernel = parser_kernel(function, drawn(0), np.zeros(7), **options)
    for seed in range(5):
        pair, found, expected = drawn(seed), np.zeros(7), np.zeros(7)
        kernel(pair, found)
        function(pair, expected)
        np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_tuples_may_have_tuples_and_tables():
    nested = Nested(drawn(0, 3), np.random.default_rng(1).normal(size=(4, 7)))
    found, expected = np.zeros(7), np.zeros(7)
    parser_kernel(of_a_tuple_in_a_tuple, nested, found, **FILLING)(nested, found)
    of_a_tuple_in_a_tuple(nested, expected)
    np.testing.assert_allclose(found, expected, rtol=1e-14)


@needs_compiler
def test_neither_what_is_set_once_nor_what_is_known_of_arrays_is_in_memory():
    rooms = in_memory(written(set_once, drawn(0), np.zeros(7)))
    assert rooms  # numba's own, for loops
    assert not any(room.startswith(f'%"{name}') for room in rooms for name in ("first", "factor", "n.", "pair"))
    assert not any("double*" in room for room in rooms)


@needs_compiler
def test_what_is_set_twice_or_kept_from_round_to_round_is_in_memory():
    for function, names in ((set_twice, ["total", "value"]), (used_in_the_next_round, ["before", "last"])):
        rooms = in_memory(written(function, drawn(0), np.zeros(7)))
        assert all(any(room.startswith(f'%"{name}.') for room in rooms) for name in names)


@needs_compiler
def test_code_that_counts_no_references_is_much_shorter():
    short, long = (
        written(set_once, drawn(0), np.zeros(7), options=options).count("\n") for options in (FILLING, ENTRY)
    )
    assert short < 0.7 * long


@needs_compiler
def test_long_functions_are_called(monkeypatch):
    arguments = drawn(0), np.zeros(7)
    code = written(set_twice, *arguments)
    blocks = sum(line.endswith(":") for line in code.splitlines())
    assert 1 < blocks <= quick_lowering.INLINED_BLOCKS and "noinline" not in code
    for most, is_called in ((blocks, False), (blocks - 1, True)):
        monkeypatch.setattr(quick_lowering, "INLINED_BLOCKS", most)
        assert ("noinline" in written(set_twice, *arguments)) == is_called


def count_up(last):
    number = 0
    while number < last:
        yield number * number
        number += 1


def sum_of_squares(last):
    total = 0
    for square in quick_count_up(last):
        total += square
    return total


quick_count_up = numba.njit(count_up)


def test_generators_keep_what_they_need_from_call_to_call():
    assert parser_kernel(sum_of_squares, 5, **FILLING)(5) == 30


def test_changes_of_numba_end_with_the_context():
    def state():
        return (
            lowering.Lower._find_singly_assigned_variable,
            lowering.Lower.delvar,
            lowering.Lower.post_lower,
            postproc.PostProcessor.run,
            arrayobj.make_array,
        )

    before = state()
    with quick_lowering.quick_lowering():
        quick = state()
        assert not any(new is old for new, old in zip(quick, before, strict=True))
        with quick_lowering.quick_lowering(is_quick=False):
            assert state() == before
        assert state() == quick
    assert state() == before
    assert "post_lower" not in vars(lowering.Lower)
