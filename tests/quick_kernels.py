"""Kernels that are compiled as those of lpcfg are, but not kept in the cache, so that their code can be seen."""

from __future__ import annotations

import numba

from lpcfg_cli.arrays import kernel_options


def quickly_compiled(function, **options):
    """A kernel with numba's options."""
    return kernel_options._compiled_quickly(numba.njit(**options)(function))
