"""Compiles the kernels that parsing calls last, in a process of its own.

It parses a few words.  Kernels that are called before run as Python meanwhile, which takes a moment for so few.
"""

from __future__ import annotations

import sys
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

from lpcfg_cli.execution.workers import FileValue
from lpcfg_cli.tagging.tagger import OPEN_TAG

LATE = ("outside_kernels", "posterior_kernels", "decode_kernels")
"""Modules whose kernels are compiled."""

LAST = "decode_kernels.follow"
"""The kernel that is compiled last."""

WORDS = ["a", "b", "c"]


def compile_late(parser: FileValue) -> None:
    """Compile the kernels of `LATE` for a `Parser`.  Afterwards this process is of no other use."""
    for name, module in list(sys.modules.items()):
        if name.startswith("lpcfg_cli.") and name.rpartition(".")[2] not in LATE:
            run_as_python(module)
    parser.get().parse_by_rules([(word, OPEN_TAG) for word in WORDS])


def run_as_python(module: ModuleType) -> None:
    """Let Python run the kernels that the functions of a module call, but for those of `LATE`.

    Functions that only kernels call stay as they are, for kernels that are compiled.
    """
    for name, value in list(vars(module).items()):
        is_entry = is_kernel(value) and not value.targetoptions.get("no_cpython_wrapper", False)
        if is_entry and value.py_func.__module__.rpartition(".")[2] not in LATE:
            setattr(module, name, interpreted(value))


def is_kernel(value: Any) -> bool:
    """Whether a value is a function that is compiled when it is called."""
    return hasattr(value, "py_func")


@cache
def interpreted(kernel: Any) -> FunctionType:
    """A Python function that does what a kernel does, with all that it calls.

    It has its own copies of these: kernels that are compiled call them as kernels.
    """
    function = kernel.py_func
    names = dict(function.__globals__)
    copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
    called = {name: names[name] for name in function.__code__.co_names if is_kernel(names.get(name))}
    names.update({name: interpreted(value) for name, value in called.items()})
    return copy
