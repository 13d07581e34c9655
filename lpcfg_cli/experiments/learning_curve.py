"""The learning curve of a treebank: F1 by number of training trees, and what more trees would bring."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.evaluation import score_kernels as columns
from lpcfg_cli.evaluation.score import Scores
from lpcfg_cli.evaluation.significance import SignificanceSettings, bootstrap_totals
from lpcfg_cli.experiments.cross_validation import Fold, score_folds

SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
"""Shares of the trees that models are trained on."""

FITTED = 3
"""The forecast follows this many points, those with the most trees: small parts follow another law."""

MORE = 2.0
"""The forecast is for so many times the trees."""


@dataclass(frozen=True)
class CurvePoint:
    """F1 of models that were trained on parts of one size.

    Attributes
    ----------
    trees : int
        Mean number of training trees.
    f1, low, high : float
        Over all folds, and the bounds of its bootstrap interval, in percent.
    is_forecast : bool
    """

    trees: int
    f1: float
    low: float
    high: float
    is_forecast: bool = False


@dataclass(frozen=True)
class LearningCurve:
    """The points of a learning curve.

    Attributes
    ----------
    points : tuple of CurvePoint
        By rising number of trees; the last one is the forecast.
    gain, gain_low, gain_high : float
        How much higher the forecast is than the F1 of all trees, with the bounds of its bootstrap interval.
    sentences : int
        Number of sentences that are scored in all points.
    foretold : float or None
        What the smaller parts foretell for all trees by the same law, to compare with what was found: a law that
        foretold too much here does so for more trees too.  None if there are fewer than three points.
    """

    points: tuple[CurvePoint, ...]
    gain: float
    gain_low: float
    gain_high: float
    sentences: int
    foretold: float | None

    def as_dict(self) -> dict[str, Any]:
        """The curve, JSON-ready."""
        return {**vars(self), "points": [vars(point) for point in self.points]}


def learning_curve(parts: Sequence[Fold], folder: Path, settings: SignificanceSettings | None = None) -> LearningCurve:
    """Score the folds of each share, and follow the curve to more trees.

    Intervals are those of the percentile bootstrap over sentences, which are drawn for all sizes alike.  They tell how
    exact the curve is for these parts of the treebank; other trees may be harder or easier.

    Parameters
    ----------
    parts : sequence of Fold
        The same folds for two shares or more.
    folder : Path
        Where trees may be written.
    settings : SignificanceSettings, optional
        Number of bootstrap samples and confidence.

    Raises
    ------
    InputError
        No sentence is valid.
    """
    settings = settings or SignificanceSettings()
    by_share: dict[float, list[Fold]] = defaultdict(list)
    for part in parts:
        by_share[part.share].append(part)
    shares = sorted(by_share)
    table = counts_of([score_folds(by_share[share], folder).scores for share in shares])
    sizes = np.array([np.mean([fold.training_trees for fold in by_share[share]]) for share in shares])
    drawn = bootstrap_totals(table, settings.samples, np.random.default_rng(settings.seed))
    seen = f1_of(np.vstack([table.sum(axis=0), drawn]))
    curves = np.column_stack([seen, forecasts(sizes, seen, MORE * sizes[-1])])
    tail = 100 * (1 - settings.confidence) / 2
    low, high = np.percentile(curves[1:], [tail, 100 - tail], axis=0)
    gains = curves[:, -1] - curves[:, -2]
    gain_low, gain_high = np.percentile(gains[1:], [tail, 100 - tail])
    trees = [*sizes, MORE * sizes[-1]]
    points = tuple(
        CurvePoint(round(trees[k]), float(curves[0, k]), float(low[k]), float(high[k]), k == len(sizes))
        for k in range(len(trees))
    )
    foretold = float(forecasts(sizes[:-1], curves[:1, :-2], sizes[-1])[0]) if len(sizes) > 2 else None
    return LearningCurve(points, float(gains[0]), float(gain_low), float(gain_high), len(table), foretold)


def counts_of(scores: Sequence[Scores]) -> np.ndarray:
    """Matched, gold and test brackets of each score, of the sentences that are valid in all; int64, (n, 3 · scores)."""
    wanted = [columns.MATCHED, columns.GOLD, columns.TEST]
    valid = [one.rows[:, columns.STATUS] == columns.VALID for one in scores]
    numbers = reduce(np.intersect1d, [one.numbers[own] for one, own in zip(scores, valid, strict=True)])
    return np.hstack([one.rows[np.isin(one.numbers, numbers)][:, wanted] for one in scores])


def f1_of(totals: np.ndarray) -> np.ndarray:
    """F1 in percent from rows of triples of counts, as `counts_of` gives them; float64, shape (rows, scores)."""
    triples = totals.reshape(len(totals), -1, 3)
    return 200.0 * triples[:, :, 0] / np.maximum(triples[:, :, 1] + triples[:, :, 2], 1)


def forecasts(sizes: np.ndarray, curves: np.ndarray, size: float) -> np.ndarray:
    """What each curve foretells for a larger size.

    The share of errors, 100 − F1, is taken to fall as a power of the number of trees; the exponent is that of the last
    `FITTED` points, by least squares of the logarithms.  The law begins at the last point.

    Parameters
    ----------
    sizes : (k,) float64 array
        Rising; k ≥ 2.
    curves : (n, k) float64 array
        F1 in percent.
    size : float

    Returns
    -------
    (n,) float64 array
    """
    x = np.log(sizes[-FITTED:])
    y = np.log(np.maximum(100.0 - curves[:, -FITTED:], 1e-9))
    exponent = (y - y.mean(axis=1, keepdims=True)) @ (x - x.mean()) / ((x - x.mean()) ** 2).sum()
    return 100.0 - (100.0 - curves[:, -1]) * (size / sizes[-1]) ** exponent
