"""Kernels that another process compiles while this one still compiles those that it calls before.

With two processors the first parse after an installation takes two thirds of the time.  Compiled code is exchanged
through the cache of `lpcfg_cli.arrays.kernel_options`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from lpcfg_cli.arrays.compiling import HELPER
from lpcfg_cli.arrays.kernel_options import cache_folder
from lpcfg_cli.execution.workers import count_cores


@contextmanager
def compiled_ahead(
    program: str, arguments: Sequence[str], modules: Collection[str], last: str, jobs: int = 1
) -> Iterator[None]:
    """Let a program compile the kernels of some modules while the work of this context is done.

    It is started only if there is a cache that lacks the kernel that it compiles last, and a core for it, and is ended
    with the context.  If it fails, kernels are compiled when they are called, as without it.

    Parameters
    ----------
    program : str
        Module, run by ``python -m``; it calls `end_with_caller`.
    arguments : sequence of str
    modules : collection of str
        Last part of the modules' names.
    last : str
        Module and name of a kernel.
    jobs : int
        Number of processes that do the work; 0 for one on each core.
    """
    if count_cores() > jobs > 0 and needs_compiling(last):
        HELPER.process, HELPER.modules = _started([sys.executable, "-m", program, *arguments]), modules
    try:
        yield
    finally:
        process, HELPER.process = HELPER.process, None
        if process is not None:
            with process:
                process.kill()


def end_with_caller() -> None:
    """Let this process end as soon as the one that started it in `compiled_ahead` has ended, also if that was killed.

    The standard input then ends, on which nothing is sent.
    """

    def end() -> None:
        os.read(0, 1)  # not by a file of Python, whose lock would be held when the process ends by itself
        os._exit(0)

    threading.Thread(target=end, daemon=True).start()


def _started(command: Sequence[str]) -> subprocess.Popen[bytes] | None:
    """A process of which nothing is seen; None if there can be none."""
    nothing = subprocess.DEVNULL
    try:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=nothing, stderr=nothing)
    except OSError:
        return None


def needs_compiling(kernel: str) -> bool:
    """Whether kernels are kept from process to process, and this one has not been compiled."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return False
    folder = cache_folder()
    return folder is not None and not any(folder.rglob(f"{kernel}-*.nbi"))
