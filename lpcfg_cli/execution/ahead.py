"""Kernels that another process compiles while this one still compiles those that it calls before.

With two processors the first parse after an installation takes two thirds of the time.  Compiled code is exchanged
through the cache of `lpcfg_cli.arrays.kernel_options`.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from lpcfg_cli.arrays.compiling import COMPILING, HELPER, Process
from lpcfg_cli.arrays.kernel_options import cache_folder
from lpcfg_cli.execution.workers import choose_start_method, count_cores, follow_parent


@contextmanager
def compiled_ahead(
    compile_late: Callable[..., None], arguments: Sequence[Any], modules: Collection[str], last: str, jobs: int = 1
) -> Iterator[None]:
    """Let another process compile the kernels of some modules while the work of this context is done.

    It is started only if there is a cache that lacks the kernel that it compiles last, and a core for it, and is ended
    with the context.  If it fails, kernels are compiled when they are called, as without it.

    Parameters
    ----------
    compile_late : function
        Defined at the top level of a module; it is called in that process.
    arguments : sequence
        For `compile_late`; they may be pickled.
    modules : collection of str
        Last part of the modules' names.
    last : str
        Module and name of a kernel.
    jobs : int
        Number of processes that do the work; 0 for one on each core.
    """
    if count_cores() > jobs > 0 and needs_compiling(last):
        HELPER.process, HELPER.modules = _started(compile_late, arguments), modules
    try:
        yield
    finally:
        process, HELPER.process = HELPER.process, None
        if process is not None:
            process.kill()
            process.join()


def _started(compile_late: Callable[..., None], arguments: Sequence[Any]) -> Process | None:
    """A process that compiles; None if there can be none."""
    context: Any = multiprocessing.get_context(choose_start_method())
    process = context.Process(target=_compile, args=(compile_late, arguments), daemon=True)
    try:
        process.start()
    except OSError:
        return None
    return cast(Process, process)


def _compile(compile_late: Callable[..., None], arguments: Sequence[Any]) -> None:
    """Compile in a process that ends as soon as the one that started it has ended, and of which nothing is seen."""
    follow_parent()
    COMPILING.stay_silent()
    sys.stdout = sys.stderr = os.fdopen(os.open(os.devnull, os.O_RDWR), "w")
    for stream in range(3):
        os.dup2(sys.stdout.fileno(), stream)
    compile_late(*arguments)


def needs_compiling(kernel: str) -> bool:
    """Whether kernels are kept from process to process, and this one has not been compiled."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return False
    folder = cache_folder()
    return folder is not None and not any(folder.rglob(f"{kernel}-*.nbi"))
