"""The latent bigram model: kernels against numpy, EM's identities, states that are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from latent_twin import dense, expected_counts
from text_blocks import count, events, random_text

from lpcfg_cli.config import LmSettings
from lpcfg_cli.em.loop import steps
from lpcfg_cli.errors import NumericalError
from lpcfg_cli.lm.em_steps import latent_bigram, mean_log_probability, relative_frequencies
from lpcfg_cli.lm.latent import LatentParameters
from lpcfg_cli.lm.latent_em import Bigrams, LatentModel, RowModel, Rows
from lpcfg_cli.lm.learner import LmData
from lpcfg_cli.lm.learners import LM_LEARNERS, learn_lm
from lpcfg_cli.lm.random_em import random_start

SEEDS = st.integers(0, 10**6)


def started(seed, m, spread=3.0):
    counts = count(random_text(seed))
    frequency = relative_frequencies(counts)
    return counts, frequency, random_start(frequency, m, spread, np.random.default_rng(seed))


@given(SEEDS, st.integers(1, 5))
def test_e_steps_are_those_of_numpy(seed, m):
    counts, frequency, start = started(seed, m)
    bigrams = Bigrams.of(counts)
    r, s, likelihood = expected_counts(dense(bigrams, len(frequency)), start.r, start.s)
    both = LatentModel(bigrams, 0.0, frequency).expect(start)
    rows = RowModel(bigrams, start.s, 0.0).expect(Rows(start.r))
    np.testing.assert_allclose(both.counts.r, r, rtol=1e-10)
    np.testing.assert_allclose(both.counts.s, s, rtol=1e-10)
    np.testing.assert_allclose(rows.counts.r, r, rtol=1e-10)
    assert both.log_likelihood == pytest.approx(likelihood)
    assert rows.log_likelihood == pytest.approx(likelihood)
    assert both.counts.r.sum() == pytest.approx(counts.count.sum())


@given(SEEDS, st.integers(1, 4), st.sampled_from([0.0, 0.5, 10.0]))
def test_steps_raise_the_bound_and_keep_distributions(seed, m, prior):
    """`steps` itself raises an error if the bound falls."""
    counts, frequency, start = started(seed, m)
    found = steps(LatentModel(Bigrams.of(counts), prior, frequency), start)
    bounds = []
    for _ in range(12):
        step = next(found)
        bounds.append(step.bound)
        np.testing.assert_allclose(step.parameters.r.sum(1), 1)
        np.testing.assert_allclose(step.parameters.s.sum(0), 1)
        assert step.parameters.s[1].max() == 0
    assert np.all(np.diff(bounds) >= -1e-9 * abs(bounds[0]))


@given(SEEDS, st.sampled_from([0.1, 5.0]))
def test_the_m_step_maximises_counts_times_prior(seed, prior):
    """Moving away from the parameters of the M-step lowers Σ counts log parameters + log prior."""
    counts, frequency, start = started(seed, 3)
    model = LatentModel(Bigrams.of(counts), prior, frequency)
    expected = model.expect(start).counts
    kept = LatentParameters(expected.r.copy(), expected.s.copy())
    best = model.maximise(expected)
    some = frequency > 0

    def objective(p):
        return (kept.r * np.log(p.r)).sum() + (kept.s[some] * np.log(p.s[some])).sum() + model.log_prior(p)

    rng = np.random.default_rng(seed)
    for _ in range(5):
        r, s = (part * np.exp(0.1 * rng.normal(size=part.shape)) for part in (best.r, best.s))
        assert objective(LatentParameters(r / r.sum(1, keepdims=True), s / s.sum(0))) < objective(best)


def test_with_one_state_words_have_their_frequencies():
    counts, frequency, start = started(0, 1)
    found = steps(LatentModel(Bigrams.of(counts), 0.0, frequency), start)
    model = latent_bigram(LmData(counts), [next(found) for _ in range(2)][-1].parameters, 1)
    np.testing.assert_allclose(model.distribution([1]), frequency)


def test_a_state_for_each_word_gives_the_relative_frequencies_of_bigrams():
    """The convex EM finds the maximum, which with as many states as words is known."""
    counts = count(random_text(2))
    n = len(counts.vocabulary)
    model = RowModel(Bigrams.of(counts), np.eye(n)[:, np.arange(n) != 1], 0.0)
    found = steps(model, Rows(np.full((n, n - 1), 1 / (n - 1))))
    last = [next(found) for _ in range(2)][-1]
    q = counts.bigrams().toarray()[:, np.arange(n) != 1]
    seen = q.sum(1) > 0
    np.testing.assert_allclose(last.parameters.r[seen], q[seen] / q[seen].sum(1, keepdims=True))


def test_an_impossible_bigram_is_an_error():
    counts, frequency, start = started(0, 2)
    start.s[5] = 0
    with pytest.raises(NumericalError, match="a bigram of the text has probability zero"):
        LatentModel(Bigrams.of(counts), 0.0, frequency).expect(start)


LATENT = [name for name, learner in LM_LEARNERS.items() if learner.has_states]
TEXT = random_text(11, 300, 30)
DEV = random_text(12, 60, 30)


@pytest.mark.parametrize("name", LATENT)
@pytest.mark.parametrize("representation", ["cca", "random"])
def test_every_learner_gives_a_model_that_fits_and_sums_to_one(name, representation):
    counts = count(TEXT, rare_below=2)
    data = LmData(counts, events(DEV, counts.vocabulary))
    settings = LmSettings(learner=name, states=4, anchor_count=5, representation=representation, dimensions=20)
    learnt = learn_lm(data, settings, 0)
    model = learnt.model
    for context in ([1], [0], [5]):
        assert model.distribution(context).sum() == pytest.approx(1)
    rows = data.dev.rows
    np.testing.assert_allclose([model.distribution(row[:1])[row[1]] for row in rows], model.probabilities(rows))
    unigrams = np.log(relative_frequencies(counts)[data.known_dev[:, 1]]).mean()
    assert mean_log_probability(model.parameters, data.known_dev) > unigrams - 0.05
    assert model.weight.sum() == pytest.approx(1)
    again = learn_lm(data, settings, 0).model
    assert again.parameters.r.tobytes() == model.parameters.r.tobytes()
    assert again.parameters.s.tobytes() == model.parameters.s.tobytes()
    if learnt.chosen is not None:
        scores = [record.dev_score for record in learnt.records]
        assert learnt.chosen == int(np.argmax(scores))
        assert mean_log_probability(model.parameters, data.known_dev) == pytest.approx(max(scores))


@pytest.mark.parametrize("name", LATENT)
def test_the_word_before_the_last_may_choose_the_state(name):
    """Words that copy the word before the last are foretold only so."""
    rng = np.random.default_rng(0)
    lines = []
    for _ in range(300):
        words = list(rng.integers(0, 4, 2))
        for _ in range(8):
            words.append(words[-2])
        lines.append(" ".join(f"w{k}" for k in words))
    counts = count("\n".join(lines), 3)
    data = LmData(counts, events("\n".join(lines[:40]), counts.vocabulary, 3))
    settings = LmSettings(learner=name, states=7, anchor_count=5, prior=0.1)
    near, far = (learn_lm(data, replace(settings, lag=lag), 0).model for lag in (1, 2))
    assert (near.order, far.order) == (2, 3)
    rows = data.dev.rows
    worse, better = (np.log(model.probabilities(rows)).mean() for model in (near, far))
    assert better > worse + 0.3
    np.testing.assert_allclose([far.distribution(row[:2])[row[2]] for row in rows[:30]], far.probabilities(rows[:30]))


@pytest.mark.parametrize("name", LATENT)
def test_learners_need_no_dev_text(name):
    counts = count(TEXT)
    learnt = learn_lm(LmData(counts), LmSettings(learner=name, states=3, anchor_count=5, iterations=20), 0)
    assert learnt.chosen in (None, learnt.records[-1].iteration if learnt.records else None)
    assert np.isfinite(np.log(learnt.model.probabilities(counts.rows))).all()


@pytest.mark.parametrize("name", LATENT)
def test_more_states_than_words_do_no_harm(name):
    learnt = learn_lm(LmData(count("a b\nb a\na a b")), LmSettings(learner=name, states=50, anchor_count=1), 0)
    assert learnt.model.distribution([1]).sum() == pytest.approx(1)
