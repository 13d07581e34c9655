"""Lets numba compile kernels in half of the time, to code that is as fast.

Half of the time of a compilation is not LLVM's but numba's, which is Python:

- For each ``a + b`` it tries all functions that may stand for ``+``, for the same types again and again.
- To inline a function it copies its code, and with each instruction the place in the source that it came from, and
  with each variable all that is known of all variables.
- Many small objects live long, which the garbage collector looks through again and again.

LLVM's half is spent on what these kernels do not need:

- numba reads a named tuple whole for each of its arrays.  LLVM first splits every such read into its hundred numbers,
  and then finds that one is used; told to look at what is used first, it splits few.
- The loops that take time are vector code already (`lpcfg_cli.arrays.lanes`), so that the first level of optimization
  is enough.

The parser's kernels, which are compiled before the first parse, also do without these:

- What numba writes though it need not: see `lpcfg_cli.arrays.quick_lowering`.
- Unrolled loops: longer code takes longer in all that follows.

Learning has loops that gain a quarter by unrolling, and its models would have other last bits.

Parsing and learning are as fast, with the same results.

All of this holds only while a kernel of lpcfg is compiled: a program that uses this package may have its own kernels.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
from llvmlite import binding
from numba.core import codegen, ir, targetconfig
from numba.core.compiler_lock import global_compiler_lock
from numba.core.types.functions import BaseFunction

from lpcfg_cli.arrays.quick_lowering import quick_lowering
from lpcfg_cli.arrays.quick_unboxing import quick_unboxing
from lpcfg_cli.arrays.standing_in import standing_in

LEVEL = 1
"""LLVM's level of optimization; numba's default is 3."""

_found: dict[Any, tuple[Any, Any]] = {}
"""Signature and implementation of each function that was called with arguments of some types."""

_find: Callable[..., Any] = BaseFunction.get_call_type

_unrolling: Any = getattr(codegen, "create_pass_builder", None)
"""numba's own, kept since a kernel may be compiled while one that does without unrolled loops is."""


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


def _optimize_functions(self: Any, module: Any) -> None:
    """Split what is read of named tuples and arrays, after the reads that are not needed whole are made smaller.

    All other optimizations follow for the module as a whole.
    """
    _leave_functions(self, module)
    builder = self._codegen._pass_builder()
    passes = binding.create_new_function_pass_manager()
    passes.add_instruction_combine_pass()
    passes.add_sroa_pass()
    for function in module.functions:
        if not function.is_declaration:
            passes.run(function, builder)


def _leave_functions(self: Any, module: Any) -> None:
    """Leave all optimizations to those of the whole module, since little was written that can be split."""
    module.data_layout = self._codegen._data_layout


def _create_pass_builder(
    machine: Any, opt: int = LEVEL, loop_vectorize: bool = False, slp_vectorize: bool = False
) -> Any:
    """LLVM's passes of a level of optimization, without those that unroll loops."""
    options = binding.create_pipeline_tuning_options(opt)
    options.loop_vectorization, options.slp_vectorization = loop_vectorize, slp_vectorize
    options.loop_unrolling = options.loop_interleaving = False
    return binding.create_pass_builder(machine, options)


def _itself(self: Any, memo: dict[int, Any]) -> Any:
    """No copy: what is copied never changes, or is not used afterwards."""
    return self


@contextmanager
def few_passes(unrolls: bool) -> Iterator[None]:
    """Let LLVM leave out in this context what takes long; numba before 0.62 has other passes, and keeps them."""
    if not hasattr(codegen, "create_pass_builder"):
        yield
        return
    create, optimize = _create_pass_builder, _leave_functions
    if unrolls:
        create, optimize = _unrolling, _optimize_functions
    with (
        standing_in(codegen, "create_pass_builder", create),
        standing_in(codegen.CPUCodeLibrary, "_optimize_functions", optimize),
    ):
        yield


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Let no garbage be collected in this context."""
    is_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_enabled:
            gc.enable()


@contextmanager
def quick_compiling(unrolls: bool = False) -> Iterator[None]:
    """Compile quickly in this context, in which no other thread compiles.

    `unrolls` tells whether loops are unrolled.
    """
    config: Any = numba.config
    level = type(config.OPT)(min(int(config.OPT), LEVEL))
    with (
        global_compiler_lock,
        without_garbage_collection(),
        standing_in(config, "OPT", level),
        standing_in(BaseFunction, "get_call_type", _get_call_type),
        standing_in(ir.Loc, "__deepcopy__", _itself),
        standing_in(ir.Scope, "__deepcopy__", _itself),
        quick_lowering(not unrolls),
        quick_unboxing(),
        few_passes(unrolls),
    ):
        yield
