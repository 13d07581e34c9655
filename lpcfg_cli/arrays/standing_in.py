"""What belongs to another package has another value for a while."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any


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
def standing_for(name: str) -> Iterator[None]:
    """Let an empty module stand for one that is not imported, so that an import of it loads nothing."""
    is_needed = name not in sys.modules
    if is_needed:
        sys.modules[name] = ModuleType(name)
    try:
        yield
    finally:
        if is_needed:
            del sys.modules[name]
