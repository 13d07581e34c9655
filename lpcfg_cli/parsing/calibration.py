"""The correction of bracket posteriors, so that of the brackets with a posterior near p a share near p is right.

Averages over several grammars hardly need it; the distribution that stands for the posteriors of one signed grammar is
too sure of itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Calibration:
    """A correction of bracket posteriors, by straight lines between some points; without points there is none.

    Attributes
    ----------
    posterior : tuple of float
        Rising, the first 0.
    corrected : tuple of float
        The corrected value of each of them, never falling.
    brackets : int
        Number of brackets that it was fitted to.
    """

    posterior: tuple[float, ...] = ()
    corrected: tuple[float, ...] = ()
    brackets: int = 0

    @property
    def changes_nothing(self) -> bool:
        """Whether corrected posteriors are the posteriors themselves."""
        return not self.posterior

    def of(self, posterior: np.ndarray) -> np.ndarray:
        """The corrected posteriors; float64, same shape."""
        return posterior if self.changes_nothing else np.interp(posterior, self.posterior, self.corrected)


UNCORRECTED = Calibration()
STORED_AS = "calibration"
"""Where the header of a model has its correction, among the settings."""
