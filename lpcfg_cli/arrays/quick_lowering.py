"""Lets numba write a third less code for LLVM, and look at its own less often.

numba keeps in memory what LLVM then takes out of it again:

- A variable that several blocks of code use.  A named tuple is even read whole for each of its arrays, and LLVM splits
  every such read into its hundred numbers before it finds that one is used.
- What is known of an array, for each access: it is stored, and one number of it is read.

Here both are LLVM's values wherever they can be.  This holds for kernels that do not count references: each value would
be counted where it is stored and deleted.

Before each of its steps, numba also finds what is still to be used of the variables, which only generators ask for.

Long functions are called, not inlined: LLVM optimizes them once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from numba.core import analysis, ir, lowering, postproc, transforms
from numba.np import arrayobj

from lpcfg_cli.arrays.standing_in import standing_in

INLINED_BLOCKS = 40
"""Largest number of LLVM's blocks of a function that may be inlined."""

_find_kept: Callable[..., None] = lowering.Lower._find_singly_assigned_variable
_delete: Callable[..., None] = lowering.Lower.delvar
_end: Callable[..., None] = lowering.Lower.post_lower
_process: Callable[..., None] = postproc.PostProcessor.run
_struct_of: Callable[..., Any] = arrayobj.make_array


def _find_singly_assigned_variable(self: Any) -> None:
    """Find the variables that need no memory: besides those of a single block, those set once, before all uses."""
    _find_kept(self)
    if self.context.enable_nrt or self.func_ir.is_generator:
        return
    set_in = [(one.target.name, label) for label, block in self.blocks.items() for one in block.find_insts(ir.Assign)]
    times = Counter(name for name, _ in set_in)
    in_memory = analysis.must_use_alloca(self.blocks)
    place = {name: label for name, label in set_in if times[name] == 1 and name not in in_memory}
    before = analysis.compute_cfg_from_blocks(self.blocks).dominators()
    used_early = {
        name
        for label, used in analysis.compute_use_defs(self.blocks).usemap.items()
        for name in used & place.keys()
        if place[name] >= label or place[name] not in before[label]  # blocks are written in the order of labels
    }
    self._singly_assigned_vars |= place.keys() - used_early


def _delete_variable(self: Any, name: str) -> None:
    """Nothing, unless there are references to count."""
    if self.context.enable_nrt:
        _delete(self, name)


def _end_function(self: Any) -> None:
    """Let a long function be called."""
    if len(self.function.blocks) > INLINED_BLOCKS:
        self.function.attributes.add("noinline")
    _end(self)


def _process_code(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """Leave out what only generators ask for; what is known of variables is found when something asks for it."""
    if emit_dels or self.func_ir.is_generator:
        _process(self, emit_dels, extend_lifetimes)
        return
    self.func_ir.blocks = transforms.canonicalize_cfg(self.func_ir.blocks)
    self.func_ir.variable_lifetime = postproc.VariableLifetime(self.func_ir.blocks)


@cache
def _make_array(kind: Any) -> Any:
    """The class for what is known of arrays of a type, which is in memory only if need be where a value is given."""
    in_memory: Any = _struct_of(kind)
    if kind.as_array is not kind:  # of another package, which may keep it elsewhere
        return in_memory

    class ArrayValue(in_memory):
        def __init__(self, context: Any, builder: Any, value: Any = None, ref: Any = None):
            self._given = None if context.enable_nrt or ref is not None else value
            if self._given is None:
                super().__init__(context, builder, value, ref)
            else:
                self._context, self._builder = context, builder
                self._datamodel = context.data_model_manager[self._fe_type]
                self._be_type = self._get_be_type(self._datamodel)

        def __getattr__(self, field: str) -> Any:
            if field in ("_value", "_outer_ref") and self._given is not None:
                in_memory.__init__(self, self._context, self._builder, self._given)
                return self.__dict__[field]
            return super().__getattr__(field)

        def __getitem__(self, index: int) -> Any:
            if self._given is None:
                return super().__getitem__(index)
            return self._cast_member_to_value(index, self._builder.extract_value(self._given, index))

        def __setitem__(self, index: int, value: Any) -> None:
            super().__setitem__(index, value)
            self._given = None

        @property
        def shape(self) -> Any:
            """Lengths of the dimensions."""
            if self._given is None:
                return in_memory.shape.fget(self)
            return self[self._datamodel.get_field_position("shape")]

        def _getvalue(self) -> Any:
            return super()._getvalue() if self._given is None else self._given

        def _setvalue(self, value: Any) -> None:
            super()._setvalue(value)
            self._given = None

    return ArrayValue


@contextmanager
def quick_lowering(is_quick: bool = True) -> Iterator[None]:
    """Write less code in this context, in which no other thread compiles; or, within such a context, as numba does."""
    find, delete, end, process, make_array = _find_kept, _delete, _end, _process, _struct_of
    if is_quick:
        find, delete, end = _find_singly_assigned_variable, _delete_variable, _end_function
        process, make_array = _process_code, _make_array
    with (
        standing_in(lowering.Lower, "_find_singly_assigned_variable", find),
        standing_in(lowering.Lower, "delvar", delete),
        standing_in(lowering.Lower, "post_lower", end),
        standing_in(postproc.PostProcessor, "run", process),
        standing_in(arrayobj, "make_array", make_array),
    ):
        yield
