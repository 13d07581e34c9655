"""Threads of linear algebra: one, so that sums have the same order and results the same bytes on any machine.

Our matrices are too small for threads to gain much, and ``--jobs`` is there for the other cores.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""What libraries read when they are loaded; worker processes inherit them."""


def prepare_environment() -> None:
    """Set the variables that the user has not set; for programs that have not imported numpy yet."""
    for name in THREAD_VARIABLES:
        os.environ.setdefault(name, "1")


@contextmanager
def single_threaded() -> Iterator[None]:
    """Let linear algebra have one thread meanwhile, also where it was loaded for more; then as many as before.

    May be entered again inside, at no cost, and by several threads: the limit holds until the last one leaves.
    """
    _LIMIT.enter()
    try:
        yield
    finally:
        _LIMIT.leave()


def stay_single_threaded() -> None:
    """Let linear algebra have one thread from now on: in worker processes."""
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
    _LIMIT.enter()


class _Limit:
    """The limit of this process, and how many times it has been asked for."""

    def __init__(self) -> None:
        self._entering = threading.Lock()
        self._depth = 0
        self._limits: Any = None

    def enter(self) -> None:
        with self._entering:
            if not self._depth:
                import scipy.linalg  # noqa: F401  its BLAS, which kernels call, must be there to be limited
                from threadpoolctl import threadpool_limits

                _take_control()
                self._limits = threadpool_limits(1)
            self._depth += 1

    def leave(self) -> None:
        with self._entering:
            self._depth -= 1
            if not self._depth:
                _take_control()
                self._limits.restore_original_limits()
                _take_control()


def _take_control() -> None:
    """Let the present thread set limits: newer threadpoolctl lets only the first one that did, while it lives."""
    from threadpoolctl import OpenBLASController

    take = getattr(OpenBLASController, "clear_controlling_thread", None)
    if take is not None:
        take(force=True)


_LIMIT = _Limit()
