"""The correction of bracket posteriors, so that of the brackets with a posterior near p a share near p is right.

A posterior p becomes σ(slope · ln(p / (1 − p)) + intercept), which keeps the order of brackets.  Averages over several
grammars hardly need it; the distribution that stands for the posteriors of one signed grammar is too sure of itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LEAST = 1e-6
"""Distance that posteriors are kept from 0 and 1, where the correction has no value."""


@dataclass(frozen=True)
class Calibration:
    """A correction of bracket posteriors.

    Attributes
    ----------
    slope : float
        Positive; less than 1 moves posteriors toward one half.
    intercept : float
    brackets : int
        Number of brackets that it was fitted to.
    """

    slope: float = 1.0
    intercept: float = 0.0
    brackets: int = 0

    @property
    def changes_nothing(self) -> bool:
        """Whether corrected posteriors are the posteriors themselves."""
        return (self.slope, self.intercept) == (1.0, 0.0)

    def of(self, posterior: np.ndarray) -> np.ndarray:
        """The corrected posteriors; float64, same shape."""
        if self.changes_nothing:
            return posterior
        return 1 / (1 + np.exp(-(self.slope * log_odds(posterior) + self.intercept)))


def log_odds(posterior: np.ndarray) -> np.ndarray:
    """ln(p / (1 − p)), with p kept away from 0 and 1; float64, same shape."""
    kept = np.clip(posterior, LEAST, 1 - LEAST)
    return np.log(kept / (1 - kept))


UNCORRECTED = Calibration()
STORED_AS = "calibration"
"""Where the header of a model has its correction, among the settings."""
