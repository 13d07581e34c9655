"""Products of vectors entry by entry, and of vectors with numbers, as vector code; see `lpcfg_cli.arrays.lanes`.

A vector is a part of an array: from a place on, of a length.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from lpcfg_cli.arrays.vector_code import VectorCode, replaces


def add_scaled(out: np.ndarray, out_at: int, factor: float, vectors: np.ndarray, at: int, length: int) -> None:
    """``out += factor · x``; the factor gets the type of the numbers of x."""
    out[out_at : out_at + length] += out.dtype.type(factor) * vectors[at : at + length]


def add_entrywise(
    out: np.ndarray,
    out_at: int,
    factor: float,
    one: np.ndarray,
    one_at: int,
    two: np.ndarray,
    two_at: int,
    length: int,
    is_new: bool,
) -> None:
    """``out += factor · x ∘ y``; if `is_new`, what is there already does not count.  The result may replace x or y."""
    product = out.dtype.type(factor) * one[one_at : one_at + length] * two[two_at : two_at + length]
    out[out_at : out_at + length] = product if is_new else out[out_at : out_at + length] + product


def add_derivatives(
    out_one: np.ndarray,
    out_two: np.ndarray,
    factor: float,
    given: np.ndarray,
    given_at: int,
    one: np.ndarray,
    one_at: int,
    two: np.ndarray,
    two_at: int,
    length: int,
) -> Any:
    """The sum of factor · z ∘ x ∘ y, a number of their type; its derivatives by x and by y are added.

    x and y are parts of `one` and `two`, z of `given`; the derivatives are added in `out_one` and `out_two`, which are
    laid out like `one` and `two`.
    """
    x, y = one[one_at : one_at + length], two[two_at : two_at + length]
    scaled = given.dtype.type(factor) * given[given_at : given_at + length]
    out_one[one_at : one_at + length] += scaled * y
    out_two[two_at : two_at + length] += scaled * x
    return (scaled * x) @ y


def prefetch(vectors: np.ndarray, at: int, length: int) -> None:
    """Nothing is changed: the processor is asked for a vector that is needed soon, and would be waited for."""


def dot(one: np.ndarray, one_at: int, two: np.ndarray, two_at: int, length: int) -> Any:
    """The scalar product of two vectors, a number of their type."""
    return one[one_at : one_at + length] @ two[two_at : two_at + length]


_OF_VECTOR = (types.Array, types.Integer)


@replaces(add_scaled, (*_OF_VECTOR, types.Float, *_OF_VECTOR, types.Integer))
def _scaled(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kinds, (out, out_at, factor, vectors, at, length) = signature.args, arguments
    code = VectorCode(context, builder, kinds[0])
    out, vectors = code.data(kinds[0], out), code.data(kinds[3], vectors)
    factor = code.splat(context.cast(builder, factor, kinds[2], kinds[0].dtype))

    def body(first: Any, mask: Any) -> None:
        where = builder.add(out_at, first)
        product = builder.fmul(factor, code.load(vectors, builder.add(at, first), mask), flags=("contract",))
        total = builder.fadd(code.load(out, where, mask), product, flags=("contract",))
        code.store(total, out, where, mask)

    code.blocks(length, body)
    return context.get_dummy_value()


@replaces(add_entrywise, (*_OF_VECTOR, types.Float, *_OF_VECTOR, *_OF_VECTOR, types.Integer, types.Boolean))
def _entrywise(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kinds, (out, out_at, factor, one, one_at, two, two_at, length, is_new) = signature.args, arguments
    code = VectorCode(context, builder, kinds[0])
    out, one, two = (code.data(kinds[k], data) for k, data in ((0, out), (3, one), (5, two)))
    factor = code.splat(context.cast(builder, factor, kinds[2], kinds[0].dtype))

    def body(first: Any, mask: Any) -> None:
        where = builder.add(out_at, first)
        x, y = (code.load(data, builder.add(at, first), mask) for data, at in ((one, one_at), (two, two_at)))
        product = builder.fmul(builder.fmul(factor, x), y, flags=("contract",))
        total = builder.fadd(code.before(out, where, mask, is_new), product, flags=("contract",))
        code.store(total, out, where, mask)

    code.blocks(length, body)
    return context.get_dummy_value()


@replaces(
    add_derivatives,
    (types.Array, types.Array, types.Float, *_OF_VECTOR, *_OF_VECTOR, *_OF_VECTOR, types.Integer),
    gives=True,
)
def _derivatives(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kinds, (out_one, out_two, factor, given, given_at, one, one_at, two, two_at, length) = signature.args, arguments
    code = VectorCode(context, builder, kinds[0])
    arrays = zip(kinds, arguments, strict=True)
    out_one, out_two, given, one, two = (
        code.data(kind, data) for kind, data in arrays if isinstance(kind, types.Array)
    )
    factor = code.splat(context.cast(builder, factor, kinds[2], kinds[0].dtype))
    (total,) = code.slots(1)

    def body(first: Any, mask: Any) -> None:
        x_at, y_at, z_at = (builder.add(at, first) for at in (one_at, two_at, given_at))
        x, y = code.load(one, x_at, mask), code.load(two, y_at, mask)
        scaled = builder.fmul(factor, code.load(given, z_at, mask))
        for out, where, other in ((out_one, x_at, y), (out_two, y_at, x)):
            product = builder.fmul(scaled, other, flags=("contract",))
            code.store(builder.fadd(code.load(out, where, mask), product, flags=("contract",)), out, where, mask)
        code.add_to(total, builder.fmul(scaled, x), y)

    code.blocks(length, body)
    return builder.extract_element(code.entry_sums([builder.load(total)])[0], code.integer(0))


@replaces(dot, (*_OF_VECTOR, *_OF_VECTOR, types.Integer), gives=True)
def _dot(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kinds, (one, one_at, two, two_at, length) = signature.args, arguments
    code = VectorCode(context, builder, kinds[0])
    found = code.dots(code.data(kinds[0], one), [one_at], code.data(kinds[2], two), [two_at], length)
    return builder.extract_element(found[0], code.integer(0))


@replaces(prefetch, (*_OF_VECTOR, types.Integer))
def _prefetched(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kinds, (vectors, at, length) = signature.args, arguments
    code = VectorCode(context, builder, kinds[0])
    data, lanes = code.data(kinds[0], vectors), code.integer(code.lanes)
    lines = builder.add(builder.sdiv(length, lanes), code.integer(1))  # the first one may begin before the vector
    with code.loop(lines) as k:
        code.prefetch(data, builder.add(at, builder.mul(k, lanes)))
    return context.get_dummy_value()
