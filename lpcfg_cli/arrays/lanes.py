"""Sums of products over parts of arrays, with one instruction for the entries that fill a vector register.

Kernels call these functions; each is a few lines of numpy, which run without the compiler, and below it the LLVM code
that takes its place in compiled kernels.  A compiler that makes vector code of loops is not sure that arrays do not
overlap, and leaves half of a row of 24 numbers for slow code at the end of its loops.

Some rows and vectors at a time reach three quarters of the processor's peak: each number that is loaded is used several
times.  How many depends on its registers: what does not fit into them is stored and loaded again for each number.  The
sum of one result is made in one order, whatever other results are made beside it, on all processors.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.codegen import get_host_cpu_features
from numba.extending import lower_builtin, type_callable

REGISTER = 64
"""Number of bytes of a vector; where registers are shorter, two or four stand for one."""

HAS_WIDE_REGISTERS = "+avx512f" in get_host_cpu_features().split(",")
"""Whether the processor has 32 registers of this size; others have 16 or 32 of half or a quarter of it."""

DOT_TILES = {4: (4, 1), 1: (4, 1)} if HAS_WIDE_REGISTERS else {3: (2, 1), 1: (4, 1)}
"""Numbers of vectors that `add_dots` takes together, most first, and of the rows that it then takes together."""

SUM_TILES = (4, 1) if HAS_WIDE_REGISTERS else (3, 1)
"""Numbers of vectors that `add_sums` takes together, most first."""

Places = np.ndarray | int
"""Where some parts of an array begin: int64, or where one part does."""

Range = tuple[int, int]
"""First row and the one after the last."""


def add_dots(
    out: np.ndarray,
    out_at: Places,
    matrix: np.ndarray,
    start: int,
    shape: tuple[int, int],
    vectors: np.ndarray,
    at: Places,
    rows: Range,
) -> None:
    """``out[out_at[g] + r] += row r of A · vector g`` for some rows of A, which has a shape and begins at `start`."""
    first, last = rows
    a = matrix[start : start + shape[0] * shape[1]].reshape(shape)[first:last]
    for place, begin in zip(np.atleast_1d(out_at), np.atleast_1d(at), strict=True):
        out[place + first : place + last] += a @ vectors[begin : begin + shape[1]]


def add_sums(
    out: np.ndarray,
    out_at: Places,
    matrix: np.ndarray,
    start: int,
    shape: tuple[int, int],
    vectors: np.ndarray,
    at: Places,
    rows: Range,
    is_new: bool,
) -> None:
    """``out[out_at[g]:] += vector g · A``, over some rows of A: a sum of rows, each by an entry of the vector.

    If `is_new`, what is there already does not count; else as `add_dots`.
    """
    first, last = rows
    a = matrix[start : start + shape[0] * shape[1]].reshape(shape)[first:last]
    for place, begin in zip(np.atleast_1d(out_at), np.atleast_1d(at), strict=True):
        total = vectors[begin + first : begin + last] @ a
        out[place : place + shape[1]] = total if is_new else out[place : place + shape[1]] + total


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

    def integers(self, kind: Any, given: Any) -> list[Any]:
        """The integers of a tuple."""
        return [self.builder.extract_value(given, k) for k in range(kind.count)]

    def places(self, kind: Any, given: Any, first: Any, n: int) -> list[Any]:
        """N of the integers of an array from a place on, or one that is given alone."""
        if isinstance(kind, types.Integer):
            return [given]
        data = self.data(kind, given)
        return [self.read(data, self.builder.add(first, self.integer(k))) for k in range(n)]

    def how_many(self, kind: Any, given: Any) -> Any:
        """Length of an array of places; 1 for one."""
        if isinstance(kind, types.Integer):
            return self.integer(1)
        shape = self.context.make_array(kind)(self.context, self.builder, given).shape
        return self.builder.extract_value(shape, 0)

    def cast(self, value: Any, kind: Any) -> Any:
        """An integer of 64 bits as one of another type, which has no more."""
        return value if kind.width == 64 else self.builder.trunc(value, kind)

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

    def tiles(self, first: Any, last: Any, sizes: Sequence[int], body: Callable[[Any, int], None]) -> None:
        """Write the code of `body` for as many as fit of each size in turn, from one number to another.

        `body` gets where a tile begins, and its size.
        """
        builder = self.builder
        for size in sizes:
            times = builder.sdiv(builder.sub(last, first), self.integer(size))
            with self.loop(times) as k:
                body(builder.add(first, builder.mul(k, self.integer(size))), size)
            first = builder.add(first, builder.mul(times, self.integer(size)))

    def blocks(self, length: Any, body: Callable[[Any, Any], None]) -> None:
        """Write the code of `body` for each block of as many entries as a register has, and with a mask for the rest.

        `body` gets the first entry of the block and the mask.
        """
        builder, lanes = self.builder, self.integer(self.lanes)
        with self.loop(builder.sdiv(length, lanes)) as block:
            body(builder.mul(block, lanes), None)
        rest = builder.srem(length, lanes)
        with builder.if_then(builder.icmp_signed(">", rest, self.integer(0))):
            kind = ir.VectorType(ir.IntType(self.align * 8), self.lanes)
            numbers, one = ir.Constant(kind, list(range(self.lanes))), ir.Constant(kind, ir.Undefined)
            one = builder.insert_element(one, self.cast(rest, kind.element), ir.IntType(32)(0))
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), self.lanes), None)
            mask = builder.icmp_signed("<", numbers, builder.shuffle_vector(one, one, zeros))
            body(builder.sub(length, rest), mask)

    def dots(self, matrix: Any, rows: list[Any], vectors: Any, at: list[Any], length: Any) -> list[list[Any]]:
        """For each of some vectors its scalar products with some rows; all are of a length, from these places on."""
        sums = [self.slots(len(rows)) for _ in at]

        def body(first: Any, mask: Any) -> None:
            loaded = [self.load(matrix, self.builder.add(row, first), mask) for row in rows]
            for place, own in zip(at, sums, strict=True):
                vector = self.load(vectors, self.builder.add(place, first), mask)
                for row, slot in zip(loaded, own, strict=True):
                    self.add_to(slot, row, vector)

        self.blocks(length, body)
        return [[self.sum(self.builder.load(slot)) for slot in own] for own in sums]

    def sums(
        self, matrix: Any, start: Any, shape: tuple[Any, Any], vectors: Any, at: list[Any], mask: Any
    ) -> list[Any]:
        """For each of some vectors the sum of a matrix's rows by its entries, for as many columns as a register has.

        The first of these columns begins at `start`.  Rows of even and of odd number are summed by themselves, since an
        addition takes as long as several of them that do not wait for each other.
        """
        builder, (rows, columns) = self.builder, shape
        even, odd = self.slots(len(at)), self.slots(len(at))

        def add_row(k: Any, sums: list[Any]) -> None:
            row = self.load(matrix, builder.add(start, builder.mul(k, columns)), mask)
            for place, slot in zip(at, sums, strict=True):
                self.add_to(slot, self.splat(self.read(vectors, builder.add(place, k))), row)

        with self.loop(builder.sdiv(rows, self.integer(2))) as pair:
            k = builder.mul(pair, self.integer(2))
            add_row(k, even)
            add_row(builder.add(k, self.integer(1)), odd)
        with builder.if_then(builder.trunc(rows, ir.IntType(1))):
            add_row(builder.sub(rows, self.integer(1)), even)
        return [builder.fadd(builder.load(one), builder.load(two)) for one, two in zip(even, odd, strict=True)]


def _replaces(function: Callable[..., None], *all_kinds: Sequence[Any]) -> Callable[[Any], Any]:
    """Let LLVM code stand for a function of arguments of some kinds, which returns nothing, in compiled kernels."""

    def nothing(*arguments: Any) -> Any:
        arrays = [one.dtype for one in arguments if isinstance(one, types.Array)]
        numbers = {dtype for dtype in arrays if isinstance(dtype, types.Float)}
        places = {dtype for dtype in arrays if dtype not in numbers}
        return types.none if len(numbers) == 1 and places <= {types.int64} else None

    nothing.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]  # by which numba sorts arguments
    type_callable(function)(lambda context: nothing)

    def replacing(write: Any) -> Any:
        for kinds in all_kinds:
            write = lower_builtin(function, *kinds)(write)
        return write

    return replacing


_OF_MATRIX = (types.Array, types.Integer, types.UniTuple, types.Array)


@_replaces(
    add_dots,
    (types.Array, types.Array, *_OF_MATRIX, types.Array, types.UniTuple),
    (types.Array, types.Integer, *_OF_MATRIX, types.Integer, types.UniTuple),
)
def _dots(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kinds, (out, out_at, matrix, start, shape, vectors, at, rows) = signature.args, arguments
    code = _Code(context, builder, kinds[0])
    out, matrix, vectors = (code.data(kinds[k], one) for k, one in ((0, out), (2, matrix), (5, vectors)))
    (_, columns), (first, last) = code.integers(kinds[4], shape), code.integers(kinds[7], rows)

    def of_vectors(g: Any, n: int) -> None:
        out_places, places = code.places(kinds[1], out_at, g, n), code.places(kinds[6], at, g, n)

        def of_rows(row: Any, n_rows: int) -> None:
            numbers = [builder.add(row, code.integer(r)) for r in range(n_rows)]
            row_places = [builder.add(start, builder.mul(number, columns)) for number in numbers]
            for place, found in zip(out_places, code.dots(matrix, row_places, vectors, places, columns), strict=True):
                for number, dot in zip(numbers, found, strict=True):
                    where = builder.gep(out, [builder.add(place, number)])
                    builder.store(builder.fadd(builder.load(where), dot), where)

        code.tiles(first, last, DOT_TILES[n], of_rows)

    code.tiles(code.integer(0), code.how_many(kinds[6], at), tuple(DOT_TILES), of_vectors)
    return context.get_dummy_value()


@_replaces(
    add_sums,
    (types.Array, types.Array, *_OF_MATRIX, types.Array, types.UniTuple, types.Boolean),
    (types.Array, types.Integer, *_OF_MATRIX, types.Integer, types.UniTuple, types.Boolean),
)
def _sums(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kinds, (out, out_at, matrix, start, shape, vectors, at, rows, is_new) = signature.args, arguments
    code = _Code(context, builder, kinds[0])
    out, matrix, vectors = (code.data(kinds[k], one) for k, one in ((0, out), (2, matrix), (5, vectors)))
    (_, columns), (first, last) = code.integers(kinds[4], shape), code.integers(kinds[7], rows)
    begin = builder.add(start, builder.mul(first, columns))

    def of_vectors(g: Any, n: int) -> None:
        out_places = code.places(kinds[1], out_at, g, n)
        places = [builder.add(place, first) for place in code.places(kinds[6], at, g, n)]

        def of_columns(column: Any, mask: Any) -> None:
            shape = builder.sub(last, first), columns
            for place, total in zip(
                out_places, code.sums(matrix, builder.add(begin, column), shape, vectors, places, mask), strict=True
            ):
                where = builder.add(place, column)
                code.store(builder.fadd(code.before(out, where, mask, is_new), total), out, where, mask)

        code.blocks(columns, of_columns)

    code.tiles(code.integer(0), code.how_many(kinds[6], at), SUM_TILES, of_vectors)
    return context.get_dummy_value()


@_replaces(
    add_outer,
    (
        types.Array,
        types.Integer,
        types.UniTuple,
        types.Float,
        types.Array,
        types.Integer,
        types.Integer,
        types.Boolean,
    ),
)
def _outer(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kinds, (out, start, shape, factor, vectors, left, right, is_new) = signature.args, arguments
    code = _Code(context, builder, kinds[0])
    factor = context.cast(builder, factor, kinds[3], kinds[0].dtype)
    out, vectors = code.data(kinds[0], out), code.data(kinds[4], vectors)
    rows, columns = code.integers(kinds[2], shape)

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
