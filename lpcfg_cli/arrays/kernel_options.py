"""Compiler options of the kernels, and where compiled code is kept.

Compiling takes most of the first run after an installation, so kernels are written for it too:

- Python makes the arrays, and kernels fill them.  Each array that is created in compiled code, and each that is
  returned, takes as long to compile as ten lines.
- Slices are not assigned to, and there are no exceptions: their messages are compiled, which takes a second.
- What a kernel calls is compiled, then linked into it and optimized once more, and so on in what calls that kernel.
  Functions that are called at one place are therefore inlined before anything is compiled.
- What numpy does as fast is not a kernel.
- Wrappers that are not generated save time: inner functions are never called from Python, and none from C.
"""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import event

from lpcfg_cli.arrays.compiling import COMPILING, HELPER
from lpcfg_cli.arrays.kernel_cache import CACHE_VARIABLE, kernel_cache
from lpcfg_cli.arrays.standing_in import standing_for, standing_in

Function = TypeVar("Function", bound=Callable[..., Any])

OWN: dict[str, Any] = {"fastmath": False, "error_model": "python"}
"""What a function has unless it says otherwise.  It would take these from the first kernel that happens to call it, and
its sums would have other last bits than in a process in which another kernel calls it first."""

ENTRY: dict[str, Any] = {"no_cfunc_wrapper": True}
"""For functions that Python calls."""

INNER: dict[str, Any] = {**ENTRY, "no_cpython_wrapper": True}
"""For functions that only kernels call."""

FILLING: dict[str, Any] = {**ENTRY, "_nrt": False, "error_model": "numpy"}
"""For functions that Python calls, and that neither create arrays nor return any, but fill those of their arguments.
Division by zero is no error in them: it gives infinity or NaN."""

BORROWING: dict[str, Any] = {**INNER, "_nrt": False, "error_model": "numpy"}
"""For functions that only kernels call, and that neither create arrays nor return any.  They do not count references
to the arrays of their arguments, which the caller holds: counting takes longer than small functions' work.
Division is as for `FILLING`."""

INLINED: dict[str, Any] = {**BORROWING, "inline": "always"}
"""As `BORROWING`, for functions that are called at one place of a kernel, with the options of that kernel."""

REORDERED_SUMS: dict[str, Any] = {"fastmath": {"reassoc", "contract", "nsz"}}
"""Allows sums to be reordered for vector units, without assuming that there are no NaNs and infinities."""


NOT_UNROLLED = "lpcfg_cli.parsing"
"""Kernels in the modules of this package keep their loops as they are, and numba writes them in a short way; see
`lpcfg_cli.arrays.quick_compiling`."""


TRIED = (0, 68)
"""The last version of numba with which `quick_compiling`, which changes numba's own parts, was tried.  Later ones
compile in their own way, in twice the time."""


def njit(**options: Any) -> Callable[[Function], Function]:
    """numba's ``njit``, with compiled code cached in the folder of `kernel_cache`.

    The environment variable of numba's cache is not changed: a program that uses this package may have kernels of its
    own, and may have imported numba before.

    Parameters
    ----------
    **options
        Options of numba's ``njit``, except ``cache``, which is set here.
    """

    def compiled(function: Function) -> Function:
        folder = cache_folder()
        with _numba_cache(folder):
            kernel = numba.njit(**{**OWN, **options, "cache": folder is not None})(function)
        return _compiled_quickly(_for_plain_arguments(kernel))

    return compiled


def _for_plain_arguments(kernel: Any) -> Any:
    """Let kernels that call this one share one version of it, whatever the sizes of the integers that they pass.

    numba would compile it anew for each constant, and for 32 and for 64 bits.
    """
    if not hasattr(kernel, "get_call_template"):  # without the compiler
        return kernel
    find = kernel.get_call_template

    def get_call_template(args: Sequence[Any], kws: Mapping[str, Any]) -> Any:
        return find([_plain(kind) for kind in args], {name: _plain(kind) for name, kind in kws.items()})

    kernel.get_call_template = get_call_template
    return kernel


def _compiled_quickly(kernel: Any) -> Any:
    """Let the kernel be compiled in `quick_compiling`, unless another process has compiled it into the cache."""
    if not hasattr(kernel, "compile"):  # without the compiler
        return kernel
    slowly, module = kernel.compile, kernel.py_func.__module__

    def quickly(signature: Any) -> Any:
        HELPER.wait_for(module)
        with _quick_compiling(unrolls=module.rpartition(".")[0] != NOT_UNROLLED):
            return slowly(signature)

    kernel.compile = quickly
    return kernel


def _quick_compiling(unrolls: bool) -> AbstractContextManager[None]:
    """`quick_compiling`, which is imported only where its changes are known to fit."""
    if numba.version_info.short > TRIED:
        return nullcontext()
    from lpcfg_cli.arrays.quick_compiling import quick_compiling

    return quick_compiling(unrolls)


def _plain(kind: Any) -> Any:
    """The type of an argument, but 64 bits for integers with a sign."""
    general: Any = numba.types.unliteral(kind)
    is_signed = isinstance(general, numba.types.Integer) and getattr(general, "signed", False)
    return numba.types.int64 if is_signed else general


class _CompileListener(event.Listener):
    """Hears of every kernel that is compiled, and of none that is in the cache."""

    def on_start(self, event: Any) -> None:
        COMPILING.begin()

    def on_end(self, event: Any) -> None:
        COMPILING.end()


event.register("numba:compile", _CompileListener())


# numba asks whether scipy has BLAS, which loads all of scipy.linalg, a sixth of the time of a short run; code that
# uses BLAS imports it again
with standing_for("scipy.linalg.cython_blas"):
    importlib.import_module("numba.np.arraymath")


@cache
def cache_folder() -> Path | None:
    """The folder for compiled code; None, and a warning, if there is none."""
    folder = kernel_cache(os.environ, sys.platform)
    if folder is None:
        warnings.warn(
            "there is no folder for compiled code that can be written and is private, so that code is "
            f"compiled in each process, which takes a minute. Set {CACHE_VARIABLE} to a folder of yours.",
            stacklevel=2,
        )
    return folder


def _numba_cache(folder: Path | None) -> AbstractContextManager[None]:
    """Make numba cache the functions that are decorated in this context in a folder, which it reads at decoration."""
    return nullcontext() if folder is None else standing_in(numba.config, "CACHE_DIR", str(folder))
