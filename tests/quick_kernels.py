"""Kernels that are compiled as those of lpcfg are, but not kept in the cache, so that their code can be seen."""

from __future__ import annotations

import numba

from lpcfg_cli.arrays import kernel_options
from lpcfg_cli.arrays.quick_compiling import quick_compiling


def quickly_compiled(function, **options):
    """A kernel with numba's options, not one of the parser's."""
    return kernel_options._compiled_quickly(numba.njit(**options)(function))


def parser_kernel(function, *arguments, **options):
    """A kernel as the parser's are, compiled for arguments of these types."""
    kernel = numba.njit(**options)(function)
    if hasattr(kernel, "compile"):
        with quick_compiling(unrolls=False):
            kernel.compile(tuple(map(numba.typeof, arguments)))
    return kernel
