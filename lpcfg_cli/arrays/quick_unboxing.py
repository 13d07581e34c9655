"""Lets numba write less code for the arguments of kernels: for each array a call, instead of what is called.

Kernels take named tuples of up to twenty arrays, and what numba writes to take them from Python is a fifth of all code.
As in `lpcfg_cli.arrays.quick_lowering`, this holds for kernels that do not count references.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils, pythonapi
from numba.np import numpy_support

from lpcfg_cli.arrays.standing_in import standing_in

ITEM_SIZE = 3
"""Which of the numbers of an array is the number of bytes of an entry; those before it are of 64 bits too."""

_lookup: Callable[..., Any] = pythonapi._unboxers.lookup


def _find_unboxing(kind: Any, default: Any = None) -> Any:
    """The function that takes values of a class of types from Python."""
    found = _lookup(kind, default)
    if not issubclass(kind, (types.Array, types.BaseTuple)):
        return found
    return lambda typ, value, c: (found if c.context.enable_nrt else _unbox)(typ, value, c)


def _unbox(kind: Any, value: Any, c: Any) -> Any:
    """Take an array or a tuple from Python."""
    failed = cgutils.alloca_once_value(c.builder, cgutils.false_bit)
    room = cgutils.alloca_once(c.builder, c.context.get_value_type(kind))
    _put(kind, value, room, failed, c)
    return pythonapi.NativeValue(c.builder.load(room), is_error=c.builder.load(failed))


def _put(kind: Any, value: Any, room: Any, failed: Any, c: Any) -> None:
    """Put what is taken from Python into memory, and a 1 into `failed` if it is not what is expected."""
    builder = c.builder
    if isinstance(kind, types.Array):
        size = ir.IntType(64)(numpy_support.as_dtype(kind.dtype).itemsize)
        builder.call(_unboxing_of_arrays(c), [value, builder.bitcast(room, c.pyapi.voidptr), size, failed])
    elif isinstance(kind, types.BaseTuple):
        members: Any = kind
        for place, member in enumerate(members):
            given = c.pyapi.tuple_getitem(value, place)
            _put(member, given, cgutils.gep_inbounds(builder, room, 0, place), failed, c)
    else:
        native = c.unbox(kind, value)
        builder.store(native.value, room)
        with builder.if_then(native.is_error, likely=False):
            builder.store(cgutils.true_bit, failed)


def _unboxing_of_arrays(c: Any) -> Any:
    """A function of each module of LLVM's: of an object, where the array is put, its item size, and where to put 1 if
    the object is no array or has other items."""
    name, pointer, number = "unbox_array", c.pyapi.voidptr, ir.IntType(64)
    if name in c.builder.module.globals:
        return c.builder.module.globals[name]
    kind = ir.FunctionType(ir.VoidType(), [pointer, pointer, number, cgutils.false_bit.type.as_pointer()])
    function = ir.Function(c.builder.module, kind, name)
    function.linkage = "internal"
    function.attributes.add("noinline")
    given, where, size, failed = function.args
    builder = ir.IRBuilder(function.append_basic_block())
    api = c.context.get_python_api(builder)
    error = api.numba_array_adaptor(given, where)
    numbers = builder.bitcast(where, number.as_pointer())
    found = builder.load(builder.gep(numbers, [number(ITEM_SIZE)]))
    is_wrong = builder.or_(cgutils.is_not_null(builder, error), builder.icmp_unsigned("!=", found, size))
    with builder.if_then(is_wrong, likely=False):
        api.err_set_string("PyExc_TypeError", "a kernel was given an object that is not the array that it expects")
        builder.store(cgutils.true_bit, failed)
    builder.ret_void()
    return function


@contextmanager
def quick_unboxing() -> Iterator[None]:
    """Write less code in this context, in which no other thread compiles."""
    with standing_in(pythonapi._unboxers, "lookup", _find_unboxing):
        yield
