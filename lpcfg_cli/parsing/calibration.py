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

OF_ONE_SIGNED = Calibration(
    (0.0, 0.597, 0.852, 0.962, 0.991, 0.998, 0.9996, 1.0),
    (0.0, 0.501, 0.733, 0.890, 0.951, 0.963, 0.983, 0.995),
    5027,
)
"""The correction of one signed grammar that has none of its own, for any treebank.

Measured by `lpcfg_cli.experiments.calibration` with eight groups: configuration wsj-sample-single (m = 32), trained on
wsj_0001-0159, brackets of wsj_0160-0179.  With it the expected calibration error falls for other grammars and
treebanks too, and so does the Brier score: WSJ with m = 16 from 0.060 to 0.015, GUM from 0.057 to 0.018, CRAFT from
0.049 to 0.011 (`lpcfg help confidence`).
"""
STORED_AS = "calibration"
"""Where the header of a model has its correction, among the settings."""
