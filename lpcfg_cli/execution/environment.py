"""The number of threads of linear algebra: one, so that sums have the same order, and results the same bytes, on any
machine.

Our matrices are too small to gain much from threads, and ``--jobs`` uses the other cores.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""Environment variables that libraries read when they are loaded; worker processes inherit them."""


def prepare_environment() -> None:
    """Set those variables that the user has not set; to be called before numpy is imported."""
    for name in THREAD_VARIABLES:
        os.environ.setdefault(name, "1")


@contextmanager
def single_threaded() -> Iterator[None]:
    """Limit linear algebra to one thread within this context, also if it was loaded with more.

    It may be nested, and be entered by several threads: the limit holds until the last one leaves.  OpenMP, which
    scikit-learn uses, has a limit for each thread, and only once it is loaded: import scikit-learn before.
    """
    from threadpoolctl import threadpool_limits

    _LIMIT.enter()
    try:
        with threadpool_limits(1, user_api="openmp"):
            yield
    finally:
        _LIMIT.leave()


def stay_single_threaded() -> None:
    """Limit linear algebra to one thread from now on; for worker processes."""
    from threadpoolctl import threadpool_limits

    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
    _LIMIT.enter()
    threadpool_limits(1, user_api="openmp")


class _Limit:
    """The limit of this process, and the number of contexts that hold it."""

    def __init__(self) -> None:
        self._entering = threading.Lock()
        self._depth = 0
        self._limits: Any = None

    def enter(self) -> None:
        with self._entering:
            if not self._depth:
                import scipy.linalg  # noqa: F401  its BLAS, which kernels call, must be loaded to be limited
                from threadpoolctl import threadpool_limits

                _take_control()
                self._limits = threadpool_limits(1, user_api="blas")
            self._depth += 1

    def leave(self) -> None:
        with self._entering:
            self._depth -= 1
            if not self._depth:
                _take_control()
                self._limits.restore_original_limits()
                _take_control()


def _take_control() -> None:
    """Let the current thread set limits: newer versions of threadpoolctl allow it only to the first thread that did."""
    from threadpoolctl import OpenBLASController

    take = getattr(OpenBLASController, "clear_controlling_thread", None)
    if take is not None:
        take(force=True)


_LIMIT = _Limit()
