"""How the parser's kernels are compiled.

Every wrapper that is not made saves time at the first parse: inner functions are never called from Python, and none
is called from C.
"""

from typing import Any

ENTRY: dict[str, Any] = {"cache": True, "no_cfunc_wrapper": True}
"""For functions that Python calls."""

INNER: dict[str, Any] = {**ENTRY, "no_cpython_wrapper": True}
"""For functions that only kernels call."""

REORDERED_SUMS: dict[str, Any] = {"fastmath": {"reassoc", "contract", "nsz"}}
"""Allows sums to be reordered for vector units, but keeps NaN and infinity what they are."""
