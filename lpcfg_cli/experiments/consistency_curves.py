"""Summary of the results of `consistency`: errors against M, and their slope."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.experiments.consistency import ConsistencyReport, Outcome, SampleResult

LIKELIEST, UNLIKELIEST = "em, likeliest start", "em, unlikeliest start"


@dataclass(frozen=True)
class Curve:
    """Errors of one learner on samples of one grammar.

    Attributes
    ----------
    grammar, learner : str
        EM has two curves: those of the starts with the highest and with the lowest final likelihood.
    sizes : list of int
        M of each sample, ascending.
    errors : list of float
        Σ |p̂ − p| of each sample.
    slope : float or None
        Slope of log error against log M, by least squares; None for a single size.
    standard_error : float or None
        Standard error of the slope.
    """

    grammar: str
    learner: str
    sizes: list[int]
    errors: list[float]
    slope: float | None
    standard_error: float | None

    def mean_errors(self) -> dict[int, float]:
        """Mean error of the samples of each size."""
        by_size = {size: [e for s, e in zip(self.sizes, self.errors, strict=True) if s == size] for size in self.sizes}
        return {size: float(np.mean(errors)) for size, errors in by_size.items()}


def curves(report: ConsistencyReport) -> list[Curve]:
    """The curves of all grammars and learners, in the order of the results."""
    points: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for sample in report.samples:
        for label, outcome in _labelled(sample):
            points.setdefault((sample.grammar, label), []).append((sample.size, outcome.error))
    found = []
    for (grammar, label), pairs in points.items():
        sizes, errors = [size for size, _ in pairs], [error for _, error in pairs]
        found.append(Curve(grammar, label, sizes, errors, *fit_slope(sizes, errors)))
    return found


def fit_slope(sizes: list[int], errors: list[float]) -> tuple[float | None, float | None]:
    """Slope of log error against log M by least squares, and its standard error; None with too few points."""
    if len(set(sizes)) < 2 or min(errors) <= 0:
        return None, None
    x, y = np.log(sizes), np.log(errors)
    x, y = x - x.mean(), y - y.mean()
    slope = float(x @ y / (x @ x))
    residual = y - slope * x
    free = len(x) - 2
    return slope, float(np.sqrt(residual @ residual / free / (x @ x))) if free else None


def _labelled(sample: SampleResult) -> Iterator[tuple[str, Outcome]]:
    """The outcome of each learner; of several starts of EM those with the highest and the lowest likelihood."""
    starts = em_starts(sample)
    for outcome in sample.outcomes:
        if outcome.learner != "em":
            yield outcome.learner, outcome
        elif outcome is starts[0]:
            yield LIKELIEST, outcome
            if len(starts) > 1:
                yield UNLIKELIEST, starts[-1]


def em_starts(sample: SampleResult) -> list[Outcome]:
    """The outcomes of EM from all starts, the one with the highest likelihood first."""
    found = [outcome for outcome in sample.outcomes if outcome.learner == "em"]
    return sorted(found, key=lambda outcome: -(outcome.log_likelihood or 0.0))
