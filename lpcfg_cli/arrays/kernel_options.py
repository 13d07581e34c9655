"""Compiler options of the kernels, and where compiled code is kept.

Every wrapper that is not made saves time at the first parse: inner functions are never called from Python, and none
is called from C.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba

from lpcfg_cli.arrays.kernel_cache import CACHE_VARIABLE, kernel_cache

Function = TypeVar("Function", bound=Callable[..., Any])

ENTRY: dict[str, Any] = {"no_cfunc_wrapper": True}
"""For functions that Python calls."""

INNER: dict[str, Any] = {**ENTRY, "no_cpython_wrapper": True}
"""For functions that only kernels call."""

REORDERED_SUMS: dict[str, Any] = {"fastmath": {"reassoc", "contract", "nsz"}}
"""Allows sums to be reordered for vector units, without assuming that there are no NaNs and infinities."""


def njit(**options: Any) -> Callable[[Function], Function]:
    """numba's ``njit``, whose compiled code is kept in the folder of the present sources.

    The variable that names numba's cache is left alone: a program that uses this package may have kernels of its own,
    and may have imported numba before.

    Parameters
    ----------
    **options
        As numba's; ``cache`` is set here.
    """

    def compiled(function: Function) -> Function:
        folder = _cache_folder()
        with _numba_cache(folder):
            return numba.njit(**{**options, "cache": folder is not None})(function)

    return compiled


@cache
def _cache_folder() -> Path | None:
    folder = kernel_cache(os.environ, sys.platform)
    if folder is None:
        warnings.warn(
            "there is no folder for compiled code that can be written and is safe from others, so that it is "
            f"compiled anew in each process, which takes a minute. Set {CACHE_VARIABLE} to a folder of yours.",
            stacklevel=2,
        )
    return folder


@contextmanager
def _numba_cache(folder: Path | None) -> Iterator[None]:
    """Have numba keep what is decorated meanwhile in a folder: it settles the place when it makes the function."""
    config: Any = numba.config
    before = config.CACHE_DIR
    try:
        if folder is not None:
            config.CACHE_DIR = str(folder)
        yield
    finally:
        config.CACHE_DIR = before
