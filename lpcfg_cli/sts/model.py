"""A model of similarity: what its metrics know, and a regression for each training set and for all together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.sts.comparison import Resources
from lpcfg_cli.sts.metric import Metric
from lpcfg_cli.sts.metrics import measure
from lpcfg_cli.sts.regression import Regression

ALL = "all"
"""Name of the regression from all training sets."""


@dataclass(frozen=True)
class SimilarityModel:
    """A model of the similarity of sentences.

    Attributes
    ----------
    resources : Resources
    metrics : list of Metric
    regressions : dict of str to Regression
        By training set, and `ALL`.
    """

    resources: Resources
    metrics: list[Metric]
    regressions: dict[str, Regression]

    def regression_for(self, name: str) -> str:
        """The name of the regression for a set: its own if it was trained on, otherwise `ALL`."""
        return name if name in self.regressions else ALL

    def predict(self, pairs: Sequence[tuple[str, str]], name: str = "", progress: Progress = no_progress) -> np.ndarray:
        """Similarities of pairs of sentences, in the range of the training judgements.

        Parameters
        ----------
        pairs : sequence of (str, str)
        name : str
            The set, whose own regression is used if there is one.
        progress : Progress

        Returns
        -------
        ndarray of float64, shape (n,)
        """
        values = measure(pairs, self.metrics, self.resources, progress)
        return self.regressions[self.regression_for(name)].predict(values)
