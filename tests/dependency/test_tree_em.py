"""EM for models of dependency trees: the E-step against all hidden states, EM's identities, choice of steps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tree_models import STRUCTURES, WORDS, arrays, random_tree_model, states_and_probabilities

from lpcfg_cli.config import DependencyModelSettings
from lpcfg_cli.dependency.latent.description import describe_states, state_shares
from lpcfg_cli.dependency.latent.em_starts import parameters_of, random_start
from lpcfg_cli.dependency.latent.inside_outside import InsideOutside
from lpcfg_cli.dependency.latent.learner import TreeData
from lpcfg_cli.dependency.latent.learners import learn_trees
from lpcfg_cli.dependency.latent.model import TreeParameters
from lpcfg_cli.dependency.latent.moments import moments_of
from lpcfg_cli.em.loop import steps
from lpcfg_cli.errors import NumericalError

SEEDS = st.integers(0, 10**6)
NAMES = ("initial", "transitions", "emission")


def some_trees(model, seed, number):
    rng = np.random.default_rng(seed)
    symbols = len(model.vocabulary) - WORDS
    chosen = [STRUCTURES[k] for k in rng.integers(len(STRUCTURES), size=number)]
    return [(tuple(rng.integers(WORDS, WORDS + symbols, len(heads)).tolist()), heads) for heads in chosen]


def frequencies(trees, n):
    return np.bincount(trees.symbols, minlength=n) / len(trees.symbols)


@given(SEEDS, st.integers(1, 3), st.integers(1, 3))
def test_the_e_step_counts_over_all_hidden_states(seed, m, symbols):
    model = random_tree_model(seed, m, symbols)
    trees, weights = some_trees(model, seed, 5), np.array([1.0, 2.0, 1.0, 0.5, 3.0])
    expected = {name: np.zeros_like(getattr(model.parameters, name)) for name in NAMES}
    likelihood = 0.0
    for (words, heads), weight in zip(trees, weights, strict=True):
        each = list(states_and_probabilities(model, words, heads))
        total = sum(p for _, p in each)
        likelihood += weight * np.log(total)
        for states, p in each:
            for i, (x, head, h) in enumerate(zip(words, heads, states, strict=True)):
                expected["emission"][x, h] += weight * p / total
                if head:
                    expected["transitions"][int(i > head - 1), states[head - 1], h] += weight * p / total
                else:
                    expected["initial"][0, h] += weight * p / total
    step = InsideOutside(arrays(trees), weights, 0.0, model.frequency).expect(model.parameters)
    assert step.log_likelihood == pytest.approx(likelihood)
    for name in NAMES:
        np.testing.assert_allclose(getattr(step.counts, name), expected[name], rtol=1e-9, atol=1e-12)


@given(SEEDS, st.integers(1, 4), st.sampled_from([0.0, 0.5, 10.0]))
def test_steps_raise_the_bound_and_keep_distributions(seed, m, prior):
    """`steps` itself raises an error if the bound falls."""
    model = random_tree_model(seed, 2, 5)
    trees = arrays(some_trees(model, seed, 30))
    frequency = frequencies(trees, len(model.vocabulary))
    found = steps(
        InsideOutside(trees, np.ones(30), prior, frequency),
        random_start(frequency, m, 3.0, np.random.default_rng(seed)),
    )
    bounds = []
    for _ in range(12):
        step = next(found)
        bounds.append(step.bound)
        own = step.parameters
        for sums in (own.initial.sum(1), own.transitions.sum(2), own.emission.sum(0)):
            np.testing.assert_allclose(sums, 1)
    assert np.all(np.diff(bounds) >= -1e-9 * abs(bounds[0]))


@given(SEEDS, st.sampled_from([0.1, 5.0]))
def test_the_m_step_maximises_counts_times_prior(seed, prior):
    model = random_tree_model(seed, 3, 4)
    trees = arrays(some_trees(model, seed, 20))
    frequency = (np.bincount(trees.symbols, minlength=len(model.vocabulary)) + 0.1) / len(trees.symbols)
    em = InsideOutside(trees, np.ones(20), prior, frequency)
    expected = em.expect(model.parameters).counts
    kept = {name: getattr(expected, name).copy() for name in NAMES}
    best = em.maximise(expected)

    def objective(p):
        with np.errstate(divide="ignore", invalid="ignore"):
            fits = [np.where(kept[name] > 0, kept[name] * np.log(getattr(p, name)), 0).sum() for name in NAMES]
        return sum(fits) + em.log_prior(p)

    rng = np.random.default_rng(seed)
    for _ in range(5):
        a, b, c = (getattr(best, name) * np.exp(0.1 * rng.normal(size=kept[name].shape)) for name in NAMES)
        moved = TreeParameters(a / a.sum(), b / b.sum(2, keepdims=True), c / c.sum(0))
        assert objective(moved) < objective(best)


def test_an_impossible_tree_is_an_error():
    model = random_tree_model(0, 2, 3)
    model.parameters.emission[WORDS + 1] = 0
    trees = arrays([((WORDS, WORDS + 1), (2, 0))])
    with pytest.raises(NumericalError, match="a tree has probability zero"):
        InsideOutside(trees, np.ones(1), 0.0, model.frequency).expect(model.parameters)
    assert model.values(trees).logs.tolist() == [-np.inf]


def test_with_one_state_symbols_have_their_frequencies():
    model = random_tree_model(0, 1, 3)
    trees = arrays(some_trees(model, 3, 20))
    data = TreeData(model.vocabulary, trees, np.ones(20))
    learnt = learn_trees(data, DependencyModelSettings(learner="em", states=1, prior=0.0), 0)
    np.testing.assert_allclose(learnt.model.parameters.emission[:, 0], frequencies(trees, len(model.vocabulary)))


def test_the_dev_trees_choose_the_steps():
    model = random_tree_model(1, 3, 12)
    trees, dev = (arrays(some_trees(model, seed, 60)) for seed in (1, 2))
    data = TreeData(model.vocabulary, trees, np.ones(60), 0, dev)
    settings = DependencyModelSettings(learner="em", states=4, prior=0.5, spread=2.0)
    learnt = learn_trees(data, settings, 0)
    scores = [record.dev_score for record in learnt.records]
    assert learnt.chosen == int(np.argmax(scores)) < len(scores) - 1
    own = learnt.model.values(dev).logs.sum() / len(dev.symbols)
    assert own == pytest.approx(max(scores))


def test_parameters_of_symbols_that_each_have_a_state():
    model = random_tree_model(0, 1, 3)
    a, b, c = WORDS, WORDS + 1, WORDS + 2
    data = TreeData(model.vocabulary, arrays([((a, b, c), (2, 0, 2)), ((a, b), (2, 0))]), np.ones(2))
    posterior = np.zeros((len(model.vocabulary), 3))
    posterior[WORDS:] = np.eye(3)
    found = parameters_of(moments_of(data), posterior)
    even = [1 / 3] * 3
    np.testing.assert_allclose(found.initial, [[0, 1, 0]])
    np.testing.assert_allclose(found.transitions, [[even, [1, 0, 0], even], [even, [0, 0, 1], even]])
    np.testing.assert_allclose(found.emission[WORDS:], np.eye(3))


def test_shares_of_states_explain_the_frequencies():
    known = random_tree_model(2, 3, 6)
    share = np.array([0.5, 0.2, 0.3])
    model = type(known)(known.vocabulary, known.parameters.emission @ share, "forms", known.parameters)
    np.testing.assert_allclose(state_shares(model), share, rtol=1e-6)
    states = describe_states(model, 2)
    assert [state.state for state in states] == [0, 2, 1]
    best = known.parameters.emission[:, 0].argmax()
    assert states[0].words[0] == (known.vocabulary.words[best], pytest.approx(known.parameters.emission[best, 0]))
