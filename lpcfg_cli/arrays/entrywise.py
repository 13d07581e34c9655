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


@replaces(dot, (*_OF_VECTOR, *_OF_VECTOR, types.Integer), gives=True)
def _dot(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kinds, (one, one_at, two, two_at, length) = signature.args, arguments
    code = VectorCode(context, builder, kinds[0])
    found = code.dots(code.data(kinds[0], one), [one_at], code.data(kinds[2], two), [two_at], length)
    return builder.extract_element(found[0], code.integer(0))
