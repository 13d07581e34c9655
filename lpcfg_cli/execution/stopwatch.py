"""Wall and CPU time, taken together."""

from __future__ import annotations

import resource
import time
from dataclasses import dataclass


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
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 // 10**6
