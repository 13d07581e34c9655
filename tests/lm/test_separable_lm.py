"""Pivot learning of a known model in which each state has a word of its own: it comes back (CC14 Theorem 2)."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from lpcfg_cli.config import LmSettings
from lpcfg_cli.lm.latent import LatentParameters
from lpcfg_cli.lm.learner import LmData
from lpcfg_cli.lm.learners import learn_lm
from lpcfg_cli.text.counts import NgramCounts
from lpcfg_cli.text.vocabulary import MARKS, Vocabulary

M, WORDS = 3, 14
THEORY = LmSettings(learner="pivot", states=M, floor=0.0, prior=0.0, kappa=0.0, convex_steps=3000, tolerance=1e-12)


def separable(seed):
    """r and s of words, with a word of its own for each state; nothing is known of the marks."""
    rng = np.random.default_rng(seed)
    r = rng.dirichlet(np.full(M, 0.4), WORDS)
    s = np.vstack([np.diag(rng.uniform(0.3, 0.5, M)), rng.uniform(0, 0.4, (WORDS - M, M))])
    return LatentParameters(r, s / s.sum(0))


def counts_of(q):
    """Counts with q[a, b] bigrams of words a and b, which come after the marks in the vocabulary."""
    rows = np.argwhere(q > 0)
    vocabulary = Vocabulary((*MARKS, *(f"w{k}" for k in range(WORDS))))
    return NgramCounts(vocabulary, (rows + len(MARKS)).astype(np.int32), q[q > 0], 0, 0)


def errors(known, q, **changes):
    """Largest differences of r and s, after matching states."""
    settings = LmSettings(**{**THEORY.__dict__, "anchor_count": 1, **changes})
    found = learn_lm(LmData(counts_of(q)), settings, 0).model.parameters
    r, s = found.r[len(MARKS) :], found.s[len(MARKS) :]
    cost = np.abs(known.s[:, :, None] - s[:, None, :]).sum(0)
    _, order = linear_sum_assignment(cost)
    return np.abs(known.r - r[:, order]).max(), np.abs(known.s - s[:, order]).max()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("representation", ["cca", "random"])
def test_exact_counts_give_the_parameters(seed, representation):
    known = separable(seed)
    before = np.random.default_rng(seed).dirichlet(np.full(WORDS, 5.0))
    q = np.rint(1e12 * before[:, None] * (known.r @ known.s.T)).astype(np.int64)
    r, s = errors(known, q, representation=representation)
    assert s < 2e-3 and r < 2e-2


def test_the_error_falls_as_the_root_of_the_sample():
    known = separable(1)
    before = np.random.default_rng(1).dirichlet(np.full(WORDS, 5.0))
    p = (before[:, None] * (known.r @ known.s.T)).ravel()
    sizes = [10_000, 100_000, 1_000_000, 10_000_000]
    mean = []
    for size in sizes:
        found = [
            errors(known, np.random.default_rng([k, size]).multinomial(size, p).reshape(WORDS, WORDS))[1]
            for k in range(4)
        ]
        mean.append(np.mean(found))
    slope = np.polyfit(np.log(sizes), np.log(mean), 1)[0]
    assert -0.62 < slope < -0.38
