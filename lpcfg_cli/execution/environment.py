"""What must be settled before numpy is imported: threads of linear algebra."""

from __future__ import annotations

import os

THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def prepare_environment() -> None:
    """Set variables that the user has not set; worker processes inherit them.

    Linear algebra gets one thread: sums then have the same order, and results the same bytes, on any machine; our
    matrices are too small for threads to gain much; and ``--jobs`` is there for the other cores.
    """
    for name in THREAD_VARIABLES:
        os.environ.setdefault(name, "1")
