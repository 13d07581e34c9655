"""Sums of products over parts of arrays, with one instruction for the entries that fill a vector register.

Kernels call these functions; each is one line of numpy for each result, which runs without the compiler, and below it
the LLVM code that takes its place in compiled kernels.  A compiler that makes vector code of loops is not sure that
arrays do not overlap, and leaves half of a row of 24 numbers for slow code at the end of its loops.

`ROWS` rows and `TOGETHER` vectors at a time reach three quarters of the processor's peak: each number that is loaded is
used several times.  The sum of one result is made in one order, whatever other results are made beside it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, type_callable

ROWS = 4
"""Number of rows of a matrix that `add_dots` reads together."""

TOGETHER = 4
"""Number of vectors with which a matrix is multiplied together."""

REGISTER = 64
"""Number of bytes of a vector register; where registers are shorter, two or four stand for one."""

Places = tuple[int, ...]
"""Where some parts of an array begin."""


def add_dots(
    out: np.ndarray, out_at: Places, matrix: np.ndarray, row_at: Places, vectors: np.ndarray, at: Places, length: int
) -> None:
    """``out[out_at[g] + r] += row r · vector g``, for rows and vectors of `length` entries from these places on."""
    for place, first in zip(out_at, at, strict=True):
        for r, row in enumerate(row_at):
            out[place + r] += matrix[row : row + length] @ vectors[first : first + length]


def add_sums(
    out: np.ndarray,
    out_at: Places,
    matrix: np.ndarray,
    start: int,
    shape: tuple[int, int],
    vectors: np.ndarray,
    at: Places,
    is_new: bool,
) -> None:
    """``out[out_at[g]:] += vector g · A``, with A of the given shape from `start` on: sums of rows, each by a factor.

    If `is_new`, what is there already does not count.
    """
    rows, columns = shape
    a = matrix[start : start + rows * columns].reshape(rows, columns)
    for place, first in zip(out_at, at, strict=True):
        total = vectors[first : first + rows] @ a
        out[place : place + columns] = total if is_new else out[place : place + columns] + total


def add_outer(
    out: np.ndarray,
    start: int,
    shape: tuple[int, int],
    factor: float,
    vectors: np.ndarray,
    left: int,
    right: int,
    is_new: bool,
) -> None:
    """``out[start:] += factor · x yᵀ``, row by row, with x and y from `left` and `right` on in `vectors`.

    `is_new` is as in `add_sums`.
    """
    rows, columns = shape
    last = start + rows * columns
    product = np.outer(out.dtype.type(factor) * vectors[left : left + rows], vectors[right : right + columns]).ravel()
    out[start:last] = product if is_new else out[start:last] + product


class _Code:
    """Writes LLVM code for vectors of one floating-point type.

    Parameters
    ----------
    context, builder
        Of numba's lowering.
    kind : numba Array type
    """

    def __init__(self, context: Any, builder: Any, kind: Any):
        self.context, self.builder = context, builder
        self.number = context.get_value_type(kind.dtype)
        self.lanes = REGISTER * 8 // kind.dtype.bitwidth
        self.vector, self.align = ir.VectorType(self.number, self.lanes), kind.dtype.bitwidth // 8
        self.zero = ir.Constant(self.vector, None)

    def integer(self, value: int) -> Any:
        return ir.Constant(ir.IntType(64), value)

    def data(self, kind: Any, array: Any) -> Any:
        """Pointer to the first entry of an array."""
        return self.context.make_array(kind)(self.context, self.builder, array).data

    def places(self, kind: Any, given: Any) -> list[Any]:
        """The integers of a tuple."""
        return [self.builder.extract_value(given, k) for k in range(kind.count)]

    def slots(self, n: int) -> list[Any]:
        """Variables for n vectors, zero at first."""
        found = [cgutils.alloca_once(self.builder, self.vector) for _ in range(n)]
        for slot in found:
            self.builder.store(self.zero, slot)
        return found

    def add_to(self, slot: Any, factor: Any, vector: Any) -> None:
        """slot += factor ∘ vector."""
        product = self.builder.fmul(factor, vector, flags=("contract",))
        self.builder.store(self.builder.fadd(self.builder.load(slot), product, flags=("contract",)), slot)

    def before(self, data: Any, place: Any, mask: Any, is_new: Any) -> Any:
        """What results from a place on are added to: the vector there, or zeros."""
        return self.builder.select(is_new, self.zero, self.load(data, place, mask))

    def splat(self, number: Any) -> Any:
        """A vector whose entries all are a number."""
        one = self.builder.insert_element(ir.Constant(self.vector, ir.Undefined), number, ir.IntType(32)(0))
        return self.builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), self.lanes), None))

    def read(self, data: Any, place: Any) -> Any:
        """The number at a place."""
        return self.builder.load(self.builder.gep(data, [place]))

    def load(self, data: Any, place: Any, mask: Any) -> Any:
        """The vector from a place on; entries outside the mask, if there is one, are zero and are not read."""
        where = self.builder.bitcast(self.builder.gep(data, [place]), self.vector.as_pointer())
        if mask is None:
            return self.builder.load(where, align=self.align)
        arguments = [where, ir.IntType(32)(self.align), mask, self.zero]
        return self.builder.call(self._masked("load", self.vector, arguments), arguments)

    def store(self, value: Any, data: Any, place: Any, mask: Any) -> None:
        """Store a vector from a place on, without the entries outside the mask."""
        where = self.builder.bitcast(self.builder.gep(data, [place]), self.vector.as_pointer())
        if mask is None:
            self.builder.store(value, where, align=self.align)
        else:
            arguments = [value, where, ir.IntType(32)(self.align), mask]
            self.builder.call(self._masked("store", ir.VoidType(), arguments), arguments)

    def _masked(self, what: str, result: Any, arguments: list[Any]) -> Any:
        return self._intrinsic(f"llvm.masked.{what}", ".p0", result, arguments)

    def _intrinsic(self, name: str, suffix: str, result: Any, arguments: list[Any]) -> Any:
        kind = ir.FunctionType(result, [one.type for one in arguments])
        name = f"{name}.v{self.lanes}{self.number.intrinsic_name}{suffix}"
        return cgutils.get_or_insert_function(self.builder.module, kind, name)

    def sum(self, vector: Any) -> Any:
        """The sum of a vector's entries."""
        arguments = [ir.Constant(self.number, 0.0), vector]
        function = self._intrinsic("llvm.vector.reduce.fadd", "", self.number, arguments)
        return self.builder.call(function, arguments, fastmath=("reassoc",))

    @contextmanager
    def loop(self, n: Any) -> Iterator[Any]:
        """Code that is repeated n times; gives the number of the repetition."""
        with cgutils.for_range(self.builder, n, intp=ir.IntType(64)) as repeated:
            yield repeated.index

    def blocks(self, length: Any, body: Callable[[Any, Any], None]) -> None:
        """Write the code of `body` for each block of as many entries as a register has, and with a mask for the rest.

        `body` gets the first entry of the block and the mask.
        """
        builder, lanes = self.builder, self.integer(self.lanes)
        with self.loop(builder.sdiv(length, lanes)) as block:
            body(builder.mul(block, lanes), None)
        rest = builder.srem(length, lanes)
        with builder.if_then(builder.icmp_signed(">", rest, self.integer(0))):
            kind = ir.VectorType(ir.IntType(64), self.lanes)
            numbers, one = ir.Constant(kind, list(range(self.lanes))), ir.Constant(kind, ir.Undefined)
            one = builder.insert_element(one, rest, ir.IntType(32)(0))
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), self.lanes), None)
            mask = builder.icmp_signed("<", numbers, builder.shuffle_vector(one, one, zeros))
            body(builder.sub(length, rest), mask)


def _replaces(function: Callable[..., None], *kinds: Any) -> Callable[[Any], Any]:
    """Let LLVM code stand for a function of arguments of some kinds, which returns nothing, in compiled kernels."""

    def nothing(*arguments: Any) -> Any:
        arrays = {one.dtype for one in arguments if isinstance(one, types.Array)}
        return types.none if len(arrays) == 1 else None

    nothing.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]  # by which numba sorts arguments
    type_callable(function)(lambda context: nothing)

    return lower_builtin(function, *kinds)


@_replaces(
    add_dots, types.Array, types.UniTuple, types.Array, types.UniTuple, types.Array, types.UniTuple, types.Integer
)
def _dots(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kinds, (out, out_at, matrix, row_at, vectors, at, length) = signature.args, arguments
    code = _Code(context, builder, kinds[0])
    out, matrix, vectors = (code.data(kinds[k], one) for k, one in ((0, out), (2, matrix), (4, vectors)))
    out_at, row_at, at = (code.places(kinds[k], one) for k, one in ((1, out_at), (3, row_at), (5, at)))
    sums = [code.slots(len(row_at)) for _ in at]

    def body(first: Any, mask: Any) -> None:
        rows = [code.load(matrix, builder.add(row, first), mask) for row in row_at]
        for place, own in zip(at, sums, strict=True):
            vector = code.load(vectors, builder.add(place, first), mask)
            for row, slot in zip(rows, own, strict=True):
                code.add_to(slot, row, vector)

    code.blocks(length, body)
    for place, own in zip(out_at, sums, strict=True):
        for r, slot in enumerate(own):
            where = builder.gep(out, [builder.add(place, code.integer(r))])
            builder.store(builder.fadd(builder.load(where), code.sum(builder.load(slot))), where)
    return context.get_dummy_value()


@_replaces(
    add_sums,
    types.Array,
    types.UniTuple,
    types.Array,
    types.Integer,
    types.UniTuple,
    types.Array,
    types.UniTuple,
    types.Boolean,
)
def _sums(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kinds, (out, out_at, matrix, start, shape, vectors, at, is_new) = signature.args, arguments
    code = _Code(context, builder, kinds[0])
    out, matrix, vectors = (code.data(kinds[k], one) for k, one in ((0, out), (2, matrix), (5, vectors)))
    out_at, (rows, columns), at = (code.places(kinds[k], one) for k, one in ((1, out_at), (4, shape), (6, at)))
    even, odd = code.slots(len(at)), code.slots(len(at))

    def add_row(k: Any, first: Any, mask: Any, sums: list[Any]) -> None:
        row = code.load(matrix, builder.add(builder.add(start, builder.mul(k, columns)), first), mask)
        for place, slot in zip(at, sums, strict=True):
            code.add_to(slot, code.splat(code.read(vectors, builder.add(place, k))), row)

    def body(first: Any, mask: Any) -> None:
        for slot in (*even, *odd):
            builder.store(code.zero, slot)
        with code.loop(builder.sdiv(rows, code.integer(2))) as pair:
            k = builder.mul(pair, code.integer(2))
            add_row(k, first, mask, even)
            add_row(builder.add(k, code.integer(1)), first, mask, odd)
        with builder.if_then(builder.trunc(rows, ir.IntType(1))):
            add_row(builder.sub(rows, code.integer(1)), first, mask, even)
        for place, one, other in zip(out_at, even, odd, strict=True):
            where = builder.add(place, first)
            total = builder.fadd(builder.load(one), builder.load(other))
            code.store(builder.fadd(code.before(out, where, mask, is_new), total), out, where, mask)

    code.blocks(columns, body)
    return context.get_dummy_value()


@_replaces(
    add_outer,
    types.Array,
    types.Integer,
    types.UniTuple,
    types.Float,
    types.Array,
    types.Integer,
    types.Integer,
    types.Boolean,
)
def _outer(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kinds, (out, start, shape, factor, vectors, left, right, is_new) = signature.args, arguments
    code = _Code(context, builder, kinds[0])
    factor = context.cast(builder, factor, kinds[3], kinds[0].dtype)
    out, vectors = code.data(kinds[0], out), code.data(kinds[4], vectors)
    rows, columns = code.places(kinds[2], shape)

    def body(first: Any, mask: Any) -> None:
        row = code.load(vectors, builder.add(right, first), mask)
        with code.loop(rows) as k:
            where = builder.add(builder.add(start, builder.mul(k, columns)), first)
            product = builder.fmul(factor, code.read(vectors, builder.add(left, k)))
            total = builder.fmul(code.splat(product), row, flags=("contract",))
            total = builder.fadd(code.before(out, where, mask, is_new), total, flags=("contract",))
            code.store(total, out, where, mask)

    code.blocks(columns, body)
    return context.get_dummy_value()
