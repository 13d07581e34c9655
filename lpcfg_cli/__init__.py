"""lpcfg: spectral learning of latent-variable PCFGs, from treebank to parser.

``lpcfg_cli.load``, ``train``, ``evaluate``, ``read_trees``, ``convert``, ``draw``, ``grep`` and ``synth`` are the
public API; see `lpcfg_cli.api`.
``lpcfg_cli.lm`` has language models.  All are imported when they are first used, so that ``import lpcfg_cli`` and
``lpcfg --help`` take no time.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lpcfg_cli.api import (
        Constraints,
        Model,
        Parse,
        RankedTree,
        Span,
        convert,
        draw,
        evaluate,
        grep,
        load,
        read_trees,
        synth,
        train,
    )

__version__ = "0.1.0"

__all__ = [
    "Constraints",
    "Model",
    "Parse",
    "RankedTree",
    "Span",
    "__version__",
    "convert",
    "draw",
    "evaluate",
    "grep",
    "load",
    "read_trees",
    "synth",
    "train",
]


ROOMS = ("lm",)
"""Packages that are imported when they are first used."""


def __getattr__(name: str) -> Any:
    if name in ROOMS:
        return importlib.import_module(f"lpcfg_cli.{name}")
    if name in __all__:
        return getattr(importlib.import_module("lpcfg_cli.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *ROOMS})
