"""Wall and CPU time, taken together."""

from __future__ import annotations

import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from lpcfg_cli.storage.files import read_bytes_if_any

STATUS = Path("/proc/self/status")
HIGH_WATER = re.compile(rb"^VmHWM:\s*(\d+) kB$", re.MULTILINE)


@dataclass(frozen=True)
class Spent:
    """Time that some work took.

    Attributes
    ----------
    seconds : float
        Wall time.
    cpu_seconds : float
        CPU time of this process; that of its worker processes is not counted.
    """

    seconds: float = 0.0
    cpu_seconds: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.seconds + other.seconds, self.cpu_seconds + other.cpu_seconds)

    def __sub__(self, other: Spent) -> Spent:
        return Spent(self.seconds - other.seconds, self.cpu_seconds - other.cpu_seconds)


NO_TIME = Spent()


class Stopwatch:
    """Measures time; starts when it is created."""

    def __init__(self) -> None:
        self._last = _now()

    def lap(self) -> Spent:
        """Time since the last lap, or since the start."""
        before, self._last = self._last, _now()
        return self._last - before


def _now() -> Spent:
    return Spent(time.perf_counter(), time.process_time())


def peak_megabytes() -> int:
    """Largest resident memory of this process so far, in 10⁶ bytes."""
    return _peak_bytes() // 10**6


def _peak_bytes() -> int:
    """Peak memory by the platform's interface.  On Linux its status file is used, as `resource` includes the parent."""
    if high := HIGH_WATER.search(read_bytes_if_any(STATUS)):
        return int(high[1]) * 1024
    try:
        import resource
    except ImportError:  # Windows does not have it
        import psutil

        memory = psutil.Process().memory_info()
        return getattr(memory, "peak_wset", memory.rss)
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
