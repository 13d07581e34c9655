"""EM steps of latent bigram models from a learner's start, with the number of steps chosen on the dev text."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.config import LmSettings
from lpcfg_cli.em.checkpoint import Checkpoint
from lpcfg_cli.em.loop import Model, P
from lpcfg_cli.em.monitor import EmState, OnStep, Stopping, ignore_record
from lpcfg_cli.em.run import run_em
from lpcfg_cli.lm.latent import LatentBigram, LatentParameters
from lpcfg_cli.lm.latent_em import Bigrams, LatentModel, RowModel, Rows
from lpcfg_cli.lm.learner import LmData
from lpcfg_cli.text.counts import NgramCounts

EVERY = 1
"""Steps between two dev scores."""


def relative_frequencies(counts: NgramCounts) -> np.ndarray:
    """p(w) of each word as the second one of a bigram, float64, shape (n_words,)."""
    return counts.word_count / counts.word_count.sum()


def run_latent(data: LmData, start: LatentParameters, settings: LmSettings, on_step: OnStep) -> EmState:
    """EM for r and s until the dev perplexity, or without dev text the bound, stops improving.

    Raises
    ------
    NumericalError
        A bigram has probability zero, or a step lowered the bound.
    """
    model = LatentModel(Bigrams.of(data.counts, settings.lag), settings.prior, relative_frequencies(data.counts))
    dev = data.known_dev

    def score(parameters: LatentParameters) -> float:
        assert dev is not None
        return mean_log_probability(parameters, dev, settings.lag)

    stopping = Stopping(settings.iterations, EVERY, settings.patience, settings.tolerance, score if _any(dev) else None)
    return _run(model, start, stopping, on_step)


def run_rows(data: LmData, s: np.ndarray, settings: LmSettings) -> EmState:
    """The convex EM for r from an even start, with s, float64, (n_words, m), fixed; it stops as `run_latent` does."""
    model, dev = RowModel(Bigrams.of(data.counts, settings.lag), s, settings.prior), data.known_dev

    def score(rows: Rows) -> float:
        assert dev is not None
        return mean_log_probability(LatentParameters(rows.r, s), dev, settings.lag)

    steps, has_dev = settings.convex_steps, _any(dev)
    stopping = Stopping(steps, EVERY, settings.patience, settings.tolerance, score if has_dev else None)
    return _run(model, Rows(np.full(s.shape, 1 / s.shape[1])), stopping, ignore_record)


def _any(dev: np.ndarray | None) -> bool:
    return dev is not None and len(dev) > 0


def _run(model: Model[P], start: P, stopping: Stopping[P], on_step: OnStep) -> EmState[P]:
    return run_em(model, lambda: start, stopping, Checkpoint(None, type(start), {}, {}, 0, {}), on_step)


def mean_log_probability(parameters: LatentParameters, rows: np.ndarray, lag: int = 1) -> float:
    """Mean log p of events, int32, shape (n, order); the score by which steps are chosen."""
    with np.errstate(divide="ignore"):
        return float(np.log(parameters.probabilities(rows[:, -1 - lag], rows[:, -1])).mean())


def latent_bigram(
    data: LmData, parameters: LatentParameters, lag: int, anchors: np.ndarray | None = None
) -> LatentBigram:
    """The model with these parameters."""
    before = np.bincount(data.counts.rows[:, -1 - lag], data.counts.count, len(data.counts.vocabulary))
    weight = before @ parameters.r
    found = np.zeros(0, np.int64) if anchors is None else anchors
    return LatentBigram(data.counts.vocabulary, parameters, weight / weight.sum(), found, lag)
