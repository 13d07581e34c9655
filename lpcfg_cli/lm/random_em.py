"""EM from a random start."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.arrays.streams import Purpose, stream
from lpcfg_cli.config import LmSettings
from lpcfg_cli.em.monitor import OnStep
from lpcfg_cli.em.starts import random_factors
from lpcfg_cli.lm.em_steps import latent_bigram, relative_frequencies, run_latent
from lpcfg_cli.lm.latent import LatentParameters
from lpcfg_cli.lm.learner import LmData, LmLearner, LmLearnt


def random_start(frequency: np.ndarray, m: int, spread: float, rng: np.random.Generator) -> LatentParameters:
    """Even states and the words' frequencies, each multiplied by a random factor.

    Parameters
    ----------
    frequency : ndarray of float64, shape (n_words,)
        p(w).
    m : int
    spread : float
        The factors are between 1 / spread and spread; their logarithms are uniform.
    rng : Generator
    """
    r, s = random_factors([(len(frequency), m)] * 2, spread, rng)
    s *= frequency[:, None]
    return LatentParameters(r / r.sum(1, keepdims=True), s / s.sum(0))


def fit_random_em(data: LmData, settings: LmSettings, seed: int, on_step: OnStep) -> LmLearnt:
    """EM from a random start."""
    rng = stream(seed, Purpose.LM_START)
    start = random_start(relative_frequencies(data.counts), settings.states, settings.spread, rng)
    state = run_latent(data, start, settings, on_step)
    return LmLearnt(
        latent_bigram(data, state.best, settings.lag), state.records, state.chosen.iteration, state.training
    )


LM_EM = LmLearner("em", "EM from a random start", fit_random_em, takes_em_steps=True)
