"""Starts of EM: random, and spectral from words that are anchors of states."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpcfg_cli.arrays.streams import Purpose, stream
from lpcfg_cli.config import HmmSettings
from lpcfg_cli.em.dirichlet import normalised_rows
from lpcfg_cli.em.monitor import OnStep
from lpcfg_cli.em.starts import random_factors
from lpcfg_cli.hmm.baum_welch import relative_frequencies, run_baum_welch
from lpcfg_cli.hmm.hidden_markov import HmmParameters
from lpcfg_cli.hmm.learner import HmmData, HmmLearner, HmmLearnt
from lpcfg_cli.hmm.moments import Moments, moments_of
from lpcfg_cli.hmm.projections import Sides, projected_sides
from lpcfg_cli.spectral.anchor_factorization import anchor_posterior

if TYPE_CHECKING:
    from scipy import sparse


def random_start(frequency: np.ndarray, m: int, spread: float, rng: np.random.Generator) -> HmmParameters:
    """Even states and the symbols' frequencies, each multiplied by a random factor.

    Parameters
    ----------
    frequency : ndarray of float64, shape (n_words,)
        p(x).
    m : int
    spread : float
        The factors are between 1 / spread and spread; their logarithms are uniform.
    rng : Generator
    """
    shapes = ((1, m), (m, m), (len(frequency), m))
    initial, transition, emission = random_factors(shapes, spread, rng)
    emission *= frequency[:, None]
    return HmmParameters(
        initial / initial.sum(), transition / transition.sum(1, keepdims=True), emission / emission.sum(0)
    )


def context_points(moments: Moments, sides: Sides) -> np.ndarray:
    """For each symbol the means of the projected symbols before and after it; float64, shape (n_words, 2 m).

    Given its hidden state a symbol does not depend on those, so that the point of x is the mean of the states' points
    with the weights p(h | x).
    """
    after, before = moments.bigrams.T @ sides.future, moments.bigrams @ sides.past
    points = []
    for part, axis in ((after, 0), (before, 1)):
        count = np.asarray(moments.bigrams.sum(axis)).ravel()
        points.append(part / np.where(count > 0, count, 1.0)[:, None])
    return np.hstack(points)


def spectral_start(data: HmmData, settings: HmmSettings, seed: int) -> HmmParameters:
    """The states of anchors, symbols that only one state emits (as CC14 §5.2 has for trees).

    There are fewer than m states if too few symbols are frequent enough.

    Raises
    ------
    LpcfgError
        As of `projected_sides`.
    """
    moments = moments_of(data.counts)
    sides = projected_sides(moments, data.counts.vocabulary, settings, seed)
    points, count = context_points(moments, sides), data.counts.word_count.astype(float)
    posterior = anchor_posterior(points, count, settings.states, settings.anchor_count)
    return parameters_of(moments.bigrams, moments.first, posterior)


def parameters_of(bigrams: sparse.csr_array, first: np.ndarray, posterior: np.ndarray) -> HmmParameters:
    """Parameters from p(h | x), which give the bigrams' states as if the two were independent given the symbols.

    Parameters
    ----------
    bigrams : sparse array, shape (n_words, n_words)
        p(next, before).
    first : ndarray of float64, shape (n_words,)
        p(x₁).
    posterior : ndarray of float64, shape (n_words, m)
        p(h | x).
    """
    transition = normalised_rows(posterior.T @ (bigrams.T @ posterior), 0.0)
    emission = posterior * np.asarray(bigrams.sum(1)).ravel()[:, None]
    initial = (first @ posterior)[None]
    return HmmParameters(initial / initial.sum(), transition, emission / emission.sum(0))


def fit_random_em(data: HmmData, settings: HmmSettings, seed: int, on_step: OnStep) -> HmmLearnt:
    """EM from a random start."""
    frequency = relative_frequencies(data.counts)
    start = random_start(frequency, settings.states, settings.spread, stream(seed, Purpose.HMM_START))
    return run_baum_welch(data, start, settings, on_step)


def fit_spectral_em(data: HmmData, settings: HmmSettings, seed: int, on_step: OnStep) -> HmmLearnt:
    """EM from the states of anchors."""
    return run_baum_welch(data, spectral_start(data, settings, seed), settings, on_step)


HMM_EM = HmmLearner("em", "EM from a random start", fit_random_em, takes_em_steps=True)

SPECTRAL_EM = HmmLearner("spectral+em", "EM from states found by anchors", fit_spectral_em, takes_em_steps=True)
