"""Sums of products over parts of arrays, with one instruction for the entries that fill a vector register.

Kernels call these functions; each is a few lines of numpy, which run without the compiler, and below it the LLVM code
that takes its place in compiled kernels.  A compiler that makes vector code of loops is not sure that arrays do not
overlap, and leaves half of a row of 24 numbers for slow code at the end of its loops.

Some rows and vectors at a time come near to the processor's peak: each number that is loaded is used several times.
How many depends on its registers: what does not fit into them is stored and loaded again for each number.  The sum of
one result is made in one order, whatever other results are made beside it, on all processors.  `add_sums` needs fewer
instructions than `add_dots`, which sums within registers at last.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core.codegen import get_host_cpu_features

from lpcfg_cli.arrays.halves import whole_numbers
from lpcfg_cli.arrays.vector_code import VectorCode, replaces

HAS_WIDE_REGISTERS = "+avx512f" in get_host_cpu_features().split(",")
"""Whether the processor has 32 registers for whole vectors; others have 16 or 32 for halves or quarters of one."""

DOT_TILES = {4: (4, 1), 1: (4, 1)} if HAS_WIDE_REGISTERS else {3: (2, 1), 1: (4, 1)}
"""Numbers of vectors that `add_dots` takes together, most first, and of the rows that it then takes together."""

SUM_TILES = {4: 2, 2: 4, 1: 4} if HAS_WIDE_REGISTERS else {4: 1, 2: 2, 1: 4}
"""Numbers of vectors that `add_sums` takes together, most first, and of the blocks of columns that it then does."""

Places = np.ndarray | int
"""Where some parts of an array begin: int64, or where one part does."""

Range = tuple[int, int]
"""First row and the one after the last."""


def rows_of(matrix: np.ndarray, start: int, shape: tuple[int, int], rows: Range) -> np.ndarray:
    """Some rows of a matrix of a shape that begins at `start`."""
    found = matrix[start : start + shape[0] * shape[1]].reshape(shape)[slice(*rows)]
    return whole_numbers(found) if matrix.dtype == np.uint16 else found


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
    (first, last), a = rows, rows_of(matrix, start, shape, rows)
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

    If `is_new`, what is there already does not count.  A may be given by the `stored_rows` of its upper halves.  Else
    as `add_dots`.
    """
    (first, last), a = rows, rows_of(matrix, start, shape, rows)
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


_OF_MATRIX = (types.Array, types.Integer, types.UniTuple, types.Array)


@replaces(
    add_dots,
    (types.Array, types.Array, *_OF_MATRIX, types.Array, types.UniTuple),
    (types.Array, types.Integer, *_OF_MATRIX, types.Integer, types.UniTuple),
)
def _dots(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kinds, (out, out_at, matrix, start, shape, vectors, at, rows) = signature.args, arguments
    code = VectorCode(context, builder, kinds[0])
    out, matrix, vectors = (code.data(kinds[k], one) for k, one in ((0, out), (2, matrix), (5, vectors)))
    (_, columns), (first, last) = code.integers(kinds[4], shape), code.integers(kinds[7], rows)

    def of_vectors(g: Any, n: int) -> None:
        out_places, places = code.places(kinds[1], out_at, g, n), code.places(kinds[6], at, g, n)

        def of_rows(row: Any, n_rows: int) -> None:
            begin = builder.add(start, builder.mul(row, columns))
            row_places = [builder.add(begin, builder.mul(code.integer(r), columns)) for r in range(n_rows)]
            found = code.dots(matrix, row_places, vectors, places, columns)
            for number, place in enumerate(out_places):
                code.add_entries(out, builder.add(place, row), found, number * n_rows, n_rows)

        code.tiles(first, last, DOT_TILES[n], of_rows)

    code.tiles(code.integer(0), code.how_many(kinds[6], at), tuple(DOT_TILES), of_vectors)
    return context.get_dummy_value()


@replaces(
    add_sums,
    (types.Array, types.Array, *_OF_MATRIX, types.Array, types.UniTuple, types.Boolean),
    (types.Array, types.Integer, *_OF_MATRIX, types.Integer, types.UniTuple, types.Boolean),
    halved=2,
)
def _sums(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kinds, (out, out_at, matrix, start, shape, vectors, at, rows, is_new) = signature.args, arguments
    code = VectorCode(context, builder, kinds[0])
    out, matrix, vectors = (code.data(kinds[k], one) for k, one in ((0, out), (2, matrix), (5, vectors)))
    (_, columns), (first, last) = code.integers(kinds[4], shape), code.integers(kinds[7], rows)
    begin, part = builder.add(start, builder.mul(first, columns)), (builder.sub(last, first), columns)

    def of_vectors(g: Any, n: int) -> None:
        out_places = code.places(kinds[1], out_at, g, n)
        places = [builder.add(place, first) for place in code.places(kinds[6], at, g, n)]

        def of_columns(column: Any, *masks: Any) -> None:
            found = code.sums(kinds[2], matrix, builder.add(begin, column), part, vectors, places, masks)
            for place, totals in zip(out_places, found, strict=True):
                for number, (total, mask) in enumerate(zip(totals, masks, strict=True)):
                    where = builder.add(builder.add(place, column), code.integer(number * code.lanes))
                    code.store(builder.fadd(code.before(out, where, mask, is_new), total), out, where, mask)

        code.blocks(columns, of_columns, SUM_TILES[n])

    code.tiles(code.integer(0), code.how_many(kinds[6], at), tuple(SUM_TILES), of_vectors)
    return context.get_dummy_value()


@replaces(
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
    code = VectorCode(context, builder, kinds[0])
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
