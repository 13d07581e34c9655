"""EM from clusters of words: k-means among the points that pivot learning uses."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.arrays.streams import Purpose, stream
from lpcfg_cli.config import LmSettings
from lpcfg_cli.em.monitor import OnStep
from lpcfg_cli.execution.stopwatch import Stopwatch
from lpcfg_cli.lm.em_steps import latent_bigram, run_latent, run_rows
from lpcfg_cli.lm.latent import LatentParameters
from lpcfg_cli.lm.learner import LmData, LmLearner, LmLearnt
from lpcfg_cli.lm.pivot import word_points, words_of_states
from lpcfg_cli.spectral.k_means import k_means


def cluster_states(data: LmData, settings: LmSettings, seed: int) -> np.ndarray:
    """s(w | h), float64, shape (n_words, ≤ m), of states that are clusters of words."""
    points = word_points(data.counts.bigrams(settings.lag), settings, settings.states, seed)
    count = data.counts.word_count
    occurs = count > 0
    length = np.linalg.norm(points[occurs], axis=1, keepdims=True)
    own_seed = int(stream(seed, Purpose.LM_CLUSTERS).integers(2**32))
    found = k_means(points[occurs] / np.where(length > 0, length, 1.0), settings.states, own_seed)
    kept, state = np.unique(found, return_inverse=True)
    posterior = np.zeros((len(count), len(kept)))
    posterior[occurs] = np.eye(len(kept))[state]
    return words_of_states(posterior, count.astype(float), settings.floor)


def fit_clusters(data: LmData, settings: LmSettings, seed: int, on_step: OnStep) -> LmLearnt:
    """EM from clusters of words."""
    watch = Stopwatch()
    s = cluster_states(data, settings, seed)
    start = LatentParameters(run_rows(data, s, settings).best.r, s)
    spent = watch.lap()
    state = run_latent(data, start, settings, on_step)
    return LmLearnt(
        latent_bigram(data, state.best, settings.lag), state.records, state.chosen.iteration, spent + state.training
    )


LM_CLUSTER = LmLearner("cluster", "EM from clusters of words that k-means finds", fit_clusters, takes_em_steps=True)
