"""Tasks that workers find by name, in a separate module so that spawned processes can import them."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from threadpoolctl import threadpool_info

from lpcfg_cli.errors import SyntaxProblem


def squared(number):
    return number * number


def slowly_if_even(number):
    time.sleep(0.02 * (number % 2 == 0))
    return number


def failing_at_three(number):
    if number == 3:
        raise SyntaxProblem("text", 1, 2, "this", "that", "Do so.")
    return number


def killed_at_three(number):
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def name_of_process(_):
    return os.getpid()


def length_of(value):
    return len(value.get())


def read_with_trace(path, folder):
    """Read a file, and write a file that records which process did."""
    Path(folder, f"read-by-{os.getpid()}").touch()
    return path.read_text()


def threads(_=None):
    """The numbers of threads that the libraries of linear algebra have."""
    import numpy  # noqa: F401  loads one of them

    return sorted({library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"})
