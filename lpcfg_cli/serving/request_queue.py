"""One request is parsed at a time, and a limited number wait."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from lpcfg_cli.serving.options import RequestRefused


class RequestQueue:
    """Gives one thread after the other its turn, because all use the same parser.

    Parameters
    ----------
    most_waiting : int
        Largest number of threads that wait.
    """

    def __init__(self, most_waiting: int):
        self.most_waiting = most_waiting
        self._turn, self._counting = threading.Lock(), threading.Lock()
        self._n_present = 0

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for one's turn, which is the body; raises `RequestRefused` if too many wait."""
        with self._counting:
            if self._n_present > self.most_waiting:
                raise RequestRefused(
                    f"{self.most_waiting} requests are waiting, which is the most. Try again in a second.", 503
                )
            self._n_present += 1
        try:
            with self._turn:
                yield
        finally:
            with self._counting:
                self._n_present -= 1
