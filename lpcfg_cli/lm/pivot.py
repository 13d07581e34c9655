"""Pivot learning: each state has a word that no other state emits (CC14 §5.2 and §8).

Words as second ones of bigrams are points, the means of what represents the words before them.  Anchors are vertices
of their hull.  The weights of w as a mixture of anchors are p(h | w), which gives s.  EM on a concave likelihood then
gives r.

Departures from the paper: p(h | w) is mixed with a little of its mean, the convex EM has a prior, and is stopped by the
dev text; without these the model fits the text too closely.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lpcfg_cli.arrays.streams import Purpose, stream
from lpcfg_cli.config import LmSettings
from lpcfg_cli.em.monitor import OnStep
from lpcfg_cli.execution.stopwatch import Stopwatch
from lpcfg_cli.lm.em_steps import latent_bigram, run_latent, run_rows
from lpcfg_cli.lm.latent import LatentParameters
from lpcfg_cli.lm.learner import LmData, LmLearner, LmLearnt
from lpcfg_cli.spectral.anchor_factorization import Side, find_anchors
from lpcfg_cli.spectral.anchors import hull_weights
from lpcfg_cli.spectral.projection import dense_svd, sparse_svd
from lpcfg_cli.spectral.scaling import inverse_deviations

if TYPE_CHECKING:
    from scipy import sparse

DENSE_WORDS = 300
"""Vocabularies of at most so many words get a dense SVD."""

RANK = 1e-9
"""Singular values below this share of the largest are zero."""

GAP = 1e-6
"""Accuracy of p(h | w): more of it changes no perplexity, and takes three times as long."""


@dataclass(frozen=True)
class PivotStates:
    """The states that anchors give.

    Attributes
    ----------
    anchors : ndarray of int64, shape (m,)
        The word of each state.
    s : ndarray of float64, shape (n_words, m)
        s(w | h).
    """

    anchors: np.ndarray
    s: np.ndarray


def word_points(q: sparse.csr_array, settings: LmSettings, m: int, seed: int) -> np.ndarray:
    """For each word the mean representation of the words before it (CC14 §5.2, steps 1 and 2).

    Parameters
    ----------
    q : sparse array, shape (n_words, n_words)
        Counts of bigrams.
    settings : LmSettings
    m : int
        Number of dimensions, for ``cca``.
    seed : int

    Returns
    -------
    ndarray of float64, shape (n_words, d)
        Zero for words that are never the second one.
    """
    before, after = np.asarray(q.sum(1)).ravel(), np.asarray(q.sum(0)).ravel()
    rng = stream(seed, Purpose.LM_POINTS)
    if settings.representation == "random":
        phi = rng.standard_normal((q.shape[0], settings.dimensions))
        phi *= inverse_deviations(np.maximum(before, 1), int(q.sum()), settings.kappa)[:, None]
    else:
        phi = _canonical(q, before, after, m, settings.kappa, rng)
    return (q.T @ phi) / np.maximum(after, 1)[:, None]


def _canonical(
    q: sparse.csr_array, before: np.ndarray, after: np.ndarray, m: int, kappa: float, rng: np.random.Generator
) -> np.ndarray:
    """Representations of words by CCA of a word and the next, with columns of unit variance; (n_words, ≤ m)."""
    from scipy import sparse

    n = int(q.sum())
    scales = [inverse_deviations(np.maximum(count, 1), n, kappa) for count in (before, after)]
    scaled = (sparse.diags_array(scales[0]) @ q @ sparse.diags_array(scales[1])).tocsr() / n
    wanted = min(m, q.shape[0])
    if q.shape[0] <= max(DENSE_WORDS, wanted + 1):
        u, s, _ = dense_svd(scaled.toarray())
    else:
        u, s, _ = sparse_svd(scaled, wanted, rng)
    u = u[:, :wanted][:, s[:wanted] > RANK * s[0]]
    phi = u * scales[0][:, None]
    return phi / np.sqrt((before[:, None] * phi**2).sum(0) / n)


def pivot_states(data: LmData, settings: LmSettings, seed: int) -> PivotStates:
    """Find anchors, and s(w | h) from the weights of each word (CC14 §5.2, steps 3 and 4).

    There are fewer than m states if the points span fewer dimensions, or if fewer words are frequent enough.
    """
    q = data.counts.bigrams(settings.lag)
    points = word_points(q, settings, settings.states, seed)
    count = data.counts.word_count.astype(float)
    side = Side(points, count, np.zeros(len(count), np.int64))
    anchors = find_anchors(side, settings.states, max(settings.anchor_count, 1))
    posterior = hull_weights(points, points[anchors], GAP)
    return PivotStates(anchors, words_of_states(posterior, count, settings.floor))


def words_of_states(posterior: np.ndarray, count: np.ndarray, floor: float) -> np.ndarray:
    """s(w | h) from p(h | w), both of shape (n_words, m), and the words' counts; Bayes' rule.

    p(h | w) is mixed with its mean, of weight `floor`.
    """
    mean = count @ posterior / count.sum()
    joint = ((1 - floor) * posterior + floor * mean) * count[:, None]
    return joint / joint.sum(0)


def pivot_parameters(data: LmData, settings: LmSettings, seed: int) -> tuple[LatentParameters, np.ndarray]:
    """r, s and the anchors."""
    found = pivot_states(data, settings, seed)
    rows = run_rows(data, found.s, settings).best
    return LatentParameters(rows.r, found.s), found.anchors


def fit_pivot(data: LmData, settings: LmSettings, seed: int, on_step: OnStep) -> LmLearnt:
    """Pivot learning without EM steps for s."""
    parameters, anchors = pivot_parameters(data, settings, seed)
    return LmLearnt(latent_bigram(data, parameters, settings.lag, anchors))


def fit_pivot_em(data: LmData, settings: LmSettings, seed: int, on_step: OnStep) -> LmLearnt:
    """EM from the parameters of pivot learning."""
    watch = Stopwatch()
    start, anchors = pivot_parameters(data, settings, seed)
    spent = watch.lap()
    steps = settings.iterations if data.dev else min(settings.refine, settings.iterations)
    state = run_latent(data, start, replace(settings, iterations=steps), on_step)
    model = latent_bigram(data, state.best, settings.lag, anchors)
    return LmLearnt(model, state.records, state.chosen.iteration, spent + state.training)


LM_PIVOT = LmLearner("pivot", "states found by words that only one state emits (CC14)", fit_pivot)

LM_PIVOT_EM = LmLearner("pivot+em", "EM from the states of pivot", fit_pivot_em, takes_em_steps=True)
