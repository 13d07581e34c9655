"""Starts of EM: random, and spectral from words that are anchors of states."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpcfg_cli.arrays.streams import Purpose, stream
from lpcfg_cli.config import DependencyModelSettings
from lpcfg_cli.dependency.latent.inside_outside import run_inside_outside
from lpcfg_cli.dependency.latent.learner import TreeData, TreeLearner, TreeLearnt
from lpcfg_cli.dependency.latent.model import TreeParameters
from lpcfg_cli.dependency.latent.moments import KINDS, Moments, moments_of
from lpcfg_cli.dependency.latent.views import Views, views_of
from lpcfg_cli.em.dirichlet import normalised_rows
from lpcfg_cli.em.monitor import OnStep
from lpcfg_cli.em.starts import random_factors
from lpcfg_cli.spectral.anchor_factorization import anchor_posterior

if TYPE_CHECKING:
    from scipy import sparse


def random_start(frequency: np.ndarray, m: int, spread: float, rng: np.random.Generator) -> TreeParameters:
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
    shapes = ((1, m), (2, m, m), (len(frequency), m))
    initial, transitions, emission = random_factors(shapes, spread, rng)
    emission *= frequency[:, None]
    return TreeParameters(
        initial / initial.sum(), transitions / transitions.sum(2, keepdims=True), emission / emission.sum(0)
    )


def context_points(moments: Moments, views: Views) -> np.ndarray:
    """For each symbol the means of its projected neighbours, of each kind; float64, shape (n_words, 4 m).

    Given its hidden state a symbol does not depend on those, so that, but for the numbers of neighbours, the point of x
    is the mean of the states' points with the weights p(h | x).
    """
    count = np.asarray(moments.neighbours.sum(1)).ravel()
    points = np.hstack([moments.kind(k) @ views.neighbours[k] for k in range(KINDS)])
    return points / np.where(count > 0, count, 1.0)[:, None]


def spectral_start(data: TreeData, settings: DependencyModelSettings, seed: int) -> TreeParameters:
    """The states of anchors, symbols that only one state emits (as CC14 §5.2 has for trees).

    There are fewer than m states if too few symbols are frequent enough; raises as `views_of` does.
    """
    moments = moments_of(data)
    points = context_points(moments, views_of(moments, data.vocabulary, settings, seed))
    return parameters_of(moments, anchor_posterior(points, data.counts, settings.states, settings.anchor_count))


def parameters_of(moments: Moments, posterior: np.ndarray) -> TreeParameters:
    """Parameters from p(h | x), which give a child and its head states as if these were independent given the words.

    Parameters
    ----------
    moments : Moments
    posterior : ndarray of float64, shape (n_words, m)
        p(h | x).
    """
    initial = (moments.roots @ posterior)[None]
    emission = posterior * moments.frequency[:, None]
    transitions = [normalised_rows(_expected(moments.kind(side), posterior), 0.0) for side in (0, 1)]
    return TreeParameters(initial / initial.sum(), np.stack(transitions), emission / emission.sum(0))


def _expected(children: sparse.csr_array, posterior: np.ndarray) -> np.ndarray:
    """Expected numbers of arcs from each state to each, (m, m), from those of words, (n_words, n_words)."""
    return np.ascontiguousarray(posterior.T @ (children @ posterior))


def fit_random_em(data: TreeData, settings: DependencyModelSettings, seed: int, on_step: OnStep) -> TreeLearnt:
    """EM from a random start."""
    start = random_start(data.frequency, settings.states, settings.spread, stream(seed, Purpose.TREE_START))
    return run_inside_outside(data, start, settings, on_step)


def fit_spectral_em(data: TreeData, settings: DependencyModelSettings, seed: int, on_step: OnStep) -> TreeLearnt:
    """EM from the states of anchors."""
    return run_inside_outside(data, spectral_start(data, settings, seed), settings, on_step)


TREE_EM = TreeLearner("em", "EM from a random start", fit_random_em, takes_em_steps=True)

SPECTRAL_TREE_EM = TreeLearner("spectral+em", "EM from states found by anchors", fit_spectral_em, takes_em_steps=True)
