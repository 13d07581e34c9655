"""Compiler options of the kernels.

Wrappers that are not generated save time at the first call: inner functions are never called from Python, and no
function is called from C.
"""

from typing import Any

ENTRY: dict[str, Any] = {"cache": True, "no_cfunc_wrapper": True}
"""For functions that Python calls."""

INNER: dict[str, Any] = {**ENTRY, "no_cpython_wrapper": True}
"""For functions that only kernels call."""

REORDERED_SUMS: dict[str, Any] = {"fastmath": {"reassoc", "contract", "nsz"}}
"""Allows sums to be reordered for vector units, without assuming that there are no NaNs and infinities."""
