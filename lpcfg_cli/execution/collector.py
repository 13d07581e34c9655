"""Garbage collection of a command, which runs once and ends: most of its objects are made by imports and live on."""

from __future__ import annotations

import atexit
import gc

ALLOCATIONS = 10_000
"""Number of new objects after which garbage is looked for; with Python's 700 it is done hundreds of times while
modules are imported, which takes a tenth of a second."""


def prepare_collector() -> None:
    """Look for garbage less often, and not when the process ends, which takes a quarter of a second."""
    gc.set_threshold(ALLOCATIONS)
    atexit.register(gc.freeze)
