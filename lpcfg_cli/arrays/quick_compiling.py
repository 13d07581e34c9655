"""Lets numba compile kernels in about seven eighths of the time, to code that is as fast.

Most of the time of a compilation is not LLVM's but numba's, which is Python:

- For each ``a + b`` it tries all functions that may stand for ``+``, for the same types again and again.
- To inline a function it copies its code, and with each instruction the place in the source that it came from.

LLVM's first level of optimization is enough, since the loops that take time are vector code already
(`lpcfg_cli.arrays.lanes`): parsing and learning are as fast, with the same results to the last bit.

All of this holds only while a kernel of lpcfg is compiled: a program that uses this package may have its own kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
from numba.core import ir, targetconfig
from numba.core.compiler_lock import global_compiler_lock
from numba.core.types.functions import BaseFunction

LEVEL = 1
"""LLVM's level of optimization; numba's default is 3."""

_found: dict[Any, tuple[Any, Any]] = {}
"""Signature and implementation of each function that was called with arguments of some types."""

_find: Callable[..., Any] = BaseFunction.get_call_type


def _get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
    """The signature of a call, as numba finds it the first time."""
    flags = targetconfig.ConfigStack.top_or_none()
    options = () if flags is None else tuple((name, str(value)) for name, value in flags._values.items())
    key = self.typing_key, len(self.templates), context, args, tuple(kws.items()), options
    if key not in _found:
        signature = _find(self, context, args, kws)
        _found[key] = signature, self._impl_keys[signature.args]
    signature, implementation = _found[key]
    self._impl_keys[signature.args] = implementation
    return signature


def _itself(self: Any, memo: dict[int, Any]) -> Any:
    """A copy of what never changes."""
    return self


@contextmanager
def standing_in(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Let an attribute of a module or class have another value in this context."""
    is_new, before = name not in vars(owner), vars(owner).get(name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        if is_new:
            delattr(owner, name)
        else:
            setattr(owner, name, before)


@contextmanager
def quick_compiling() -> Iterator[None]:
    """Compile quickly in this context, in which no other thread compiles."""
    config: Any = numba.config
    level = type(config.OPT)(min(int(config.OPT), LEVEL))
    with (
        global_compiler_lock,
        standing_in(config, "OPT", level),
        standing_in(BaseFunction, "get_call_type", _get_call_type),
        standing_in(ir.Loc, "__deepcopy__", _itself),
    ):
        yield
