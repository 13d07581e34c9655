"""What is said while kernels are compiled: the first run after an installation takes a minute longer than others."""

from __future__ import annotations

import mmap
import time
from collections.abc import Callable

BEGIN = (
    "compiling numerical code for this machine; this is done once after an installation or an update, "
    "and takes up to a minute"
)


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
