"""What is said while kernels are compiled, in the first run after an installation, and who else compiles some."""

from __future__ import annotations

import mmap
import time
from collections.abc import Callable, Collection
from typing import Protocol

BEGIN = (
    "compiling numerical code for this machine; this is done once after an installation or an update, "
    "and takes up to a minute"
)

PATIENCE = 60.0
"""Seconds after which a process that compiles kernels is not waited for any more."""


class CompilingWatch:
    """Tells, once, that kernels are being compiled, and measures how long it takes in this process.

    Attributes
    ----------
    seconds : float
        Wall time of compiling so far.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._tell: Callable[[str], None] | None = None
        self._depth, self._began = 0, 0.0
        self._has_told = mmap.mmap(-1, 1)  # shared with forked processes, so that not each of them tells

    def tell_by(self, tell: Callable[[str], None]) -> None:
        """Begin to watch for a command, with a function that shows a message."""
        self._tell, self.seconds, self._has_told[0] = tell, 0.0, 0

    def stay_silent(self) -> None:
        """Tell nothing in this process; others that share its memory still do."""
        self._tell = None

    def begin(self) -> None:
        """A kernel is about to be compiled; those that it calls are compiled within."""
        if not self._depth:
            self._began = time.perf_counter()
            if self._tell and not self._has_told[0]:
                self._has_told[0] = 1
                self._tell(BEGIN)
        self._depth += 1

    def end(self) -> None:
        """The kernel has been compiled."""
        self._depth -= 1
        if not self._depth:
            self.seconds += time.perf_counter() - self._began


COMPILING = CompilingWatch()


class Process(Protocol):
    """One of `multiprocessing`, which not every command imports."""

    def join(self, timeout: float | None = None) -> None:
        """Wait for its end, or for some seconds."""

    def kill(self) -> None:
        """End it."""


class CompilingHelper:
    """A process that compiles kernels for this one, if there is one; see `lpcfg_cli.execution.ahead`.

    Attributes
    ----------
    process : Process or None
    modules : collection of str
        Last part of the names of the modules whose kernels it compiles.
    """

    def __init__(self) -> None:
        self.process: Process | None = None
        self.modules: Collection[str] = ()

    def wait_for(self, module: str) -> None:
        """Wait until it has ended, if it compiles the kernels of a module, but no longer than `PATIENCE`."""
        if self.process is not None and module.rpartition(".")[2] in self.modules:
            COMPILING.begin()  # waiting counts as compiling
            try:
                self.process.join(PATIENCE)
                self.modules = ()
            finally:
                COMPILING.end()


HELPER = CompilingHelper()
