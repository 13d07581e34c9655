"""EM for hidden Markov models: the E-step against all paths, EM's identities, Viterbi against all paths."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hmm_models import random_hmm
from hypothesis import given
from hypothesis import strategies as st
from text_blocks import count, random_text

from lpcfg_cli.config import HmmSettings, Settings
from lpcfg_cli.em.loop import steps
from lpcfg_cli.errors import InputError, NumericalError
from lpcfg_cli.hmm.accuracy import accuracy
from lpcfg_cli.hmm.baum_welch import BaumWelch, mean_log_probability, relative_frequencies
from lpcfg_cli.hmm.description import describe_states, state_shares
from lpcfg_cli.hmm.em_starts import parameters_of, random_start, spectral_start
from lpcfg_cli.hmm.hidden_markov import HmmParameters
from lpcfg_cli.hmm.known import known_hmm
from lpcfg_cli.hmm.learner import HmmData
from lpcfg_cli.hmm.learners import HMM_LEARNERS, learn_hmm
from lpcfg_cli.hmm.moments import moments_of
from lpcfg_cli.hmm.sampling import data_of, sample_sequences
from lpcfg_cli.hmm.training import read_data
from lpcfg_cli.text.vocabulary import END

SEEDS = st.integers(0, 10**6)


def sequences(model, seed, number=4, longest=4):
    """Some short sequences of any symbols."""
    rng = np.random.default_rng(seed)
    symbols = len(model.vocabulary) - 3
    return [[*(rng.integers(3, 3 + symbols, rng.integers(1, longest + 1)).tolist()), END] for _ in range(number)]


def joined(found):
    return np.array([x for sequence in found for x in sequence], np.int32)


def paths(model, numbers):
    """All paths of hidden states with their probabilities, together with the symbols."""
    own = model.parameters
    for path in product(range(model.n_states), repeat=len(numbers)):
        p = own.initial[0, path[0]] * own.emission[numbers, path].prod()
        yield path, p * own.transition[path[:-1], path[1:]].prod()


@given(SEEDS, st.integers(1, 3), st.integers(1, 4))
def test_the_e_step_counts_over_all_paths(seed, m, symbols):
    model = random_hmm(seed, m, symbols)
    found = sequences(model, seed)
    expected = [np.zeros_like(getattr(model.parameters, name)) for name in ("initial", "transition", "emission")]
    likelihood = 0.0
    for numbers in found:
        all_paths = list(paths(model, numbers))
        total = sum(p for _, p in all_paths)
        likelihood += np.log(total)
        for path, p in all_paths:
            expected[0][0, path[0]] += p / total
            np.add.at(expected[1], (path[:-1], path[1:]), p / total)
            np.add.at(expected[2], (numbers, path), p / total)
    step = BaumWelch.of(joined(found), 0.0, model.frequency).expect(model.parameters)
    assert step.log_likelihood == pytest.approx(likelihood)
    for name, array in zip(("initial", "transition", "emission"), expected, strict=True):
        np.testing.assert_allclose(getattr(step.counts, name), array, rtol=1e-9, atol=1e-12)


@given(SEEDS, st.integers(1, 4), st.sampled_from([0.0, 0.5, 10.0]))
def test_steps_raise_the_bound_and_keep_distributions(seed, m, prior):
    """`steps` itself raises an error if the bound falls."""
    model = random_hmm(seed, 2, 5)
    numbers = joined(sequences(model, seed, 30, 8))
    frequency = np.bincount(numbers, minlength=len(model.vocabulary)) / len(numbers)
    start = random_start(frequency, m, 3.0, np.random.default_rng(seed))
    found = steps(BaumWelch.of(numbers, prior, frequency), start)
    bounds = []
    for _ in range(12):
        step = next(found)
        bounds.append(step.bound)
        own = step.parameters
        for sums in (own.initial.sum(1), own.transition.sum(1), own.emission.sum(0)):
            np.testing.assert_allclose(sums, 1)
    assert np.all(np.diff(bounds) >= -1e-9 * abs(bounds[0]))


@given(SEEDS, st.sampled_from([0.1, 5.0]))
def test_the_m_step_maximises_counts_times_prior(seed, prior):
    model = random_hmm(seed, 3, 4)
    numbers = joined(sequences(model, seed, 20, 6))
    frequency = (np.bincount(numbers, minlength=len(model.vocabulary)) + 0.1) / len(numbers)
    em = BaumWelch.of(numbers, prior, frequency)
    names = ("initial", "transition", "emission")
    expected = em.expect(model.parameters).counts
    kept = {name: getattr(expected, name).copy() for name in names}
    best = em.maximise(expected)

    def objective(p):
        with np.errstate(divide="ignore", invalid="ignore"):
            fits = [np.where(kept[name] > 0, kept[name] * np.log(getattr(p, name)), 0).sum() for name in names]
        return sum(fits) + em.log_prior(p)

    rng = np.random.default_rng(seed)
    for _ in range(5):
        a, b, c = (getattr(best, name) * np.exp(0.1 * rng.normal(size=kept[name].shape)) for name in names)
        moved = HmmParameters(a / a.sum(1), b / b.sum(1, keepdims=True), c / c.sum(0))
        assert objective(moved) < objective(best)


@given(SEEDS, st.integers(1, 3))
def test_the_likeliest_path_is_the_best_of_all(seed, m):
    model = random_hmm(seed, m, 4)
    for numbers in sequences(model, seed):
        each = dict(paths(model, numbers))
        found = tuple(model.likeliest_path(np.array(numbers, np.int32)).tolist())
        assert each[found] == pytest.approx(max(each.values()), rel=1e-9)


def test_an_impossible_sequence_is_an_error():
    model = random_hmm(0, 2, 3)
    model.parameters.emission[4] = 0
    with pytest.raises(NumericalError, match="a sequence has probability zero"):
        BaumWelch.of(np.array([3, 4, END]), 0.0, model.frequency).expect(model.parameters)


def test_with_one_state_symbols_have_their_frequencies():
    counts = count(random_text(0), 3)
    numbers = joined([[3, 4, END], [3, END]])
    learnt = learn_hmm(HmmData(counts, numbers), HmmSettings(learner="em", states=1, prior=0.0), 0)
    expected = np.bincount(numbers, minlength=len(counts.vocabulary)) / len(numbers)
    np.testing.assert_allclose(learnt.model.parameters.emission[:, 0], expected)


@pytest.mark.parametrize("learner", list(HMM_LEARNERS))
def test_every_learner_predicts_a_sample_better_than_frequencies_do_and_the_same_each_time(learner):
    known = known_hmm("separable")
    rng = np.random.default_rng(1)
    data = data_of(known, sample_sequences(known, 20_000, rng))
    test = sample_sequences(known, 2_000, rng)
    settings = HmmSettings(learner=learner, states=3, prior=0.1, floor=0.0)
    model = learn_hmm(data, settings, 3).model
    mean, best, usual = (
        np.log(p).mean()
        for p in (model.predict(test).probability, known.predict(test).probability, model.frequency[test])
    )
    assert best - 0.002 < mean
    assert usual < mean - 0.2
    again = learn_hmm(data, settings, 3).model
    assert again.predict(test).probability.tobytes() == model.predict(test).probability.tobytes()


def test_a_spectral_start_is_near_the_states_of_symbols_that_tell_them():
    """If every symbol has one state, states are found exactly as the symbols are."""
    known = known_hmm("separable")
    data = data_of(known, sample_sequences(known, 50_000, np.random.default_rng(2)))
    start = spectral_start(data, HmmSettings(states=3, anchor_count=1), 0)
    order = [start.emission[x].argmax() for x in (3, 5, 7)]
    assert sorted(order) == [0, 1, 2]
    np.testing.assert_allclose(start.emission[3:, order], known.parameters.emission[3:], atol=0.15)


def test_parameters_of_symbols_that_each_have_a_state():
    counts = data_of(random_hmm(0, 2, 2), np.array([3, 4, END, 4, END], np.int32)).counts
    moments = moments_of(counts)
    found = parameters_of(moments.bigrams, moments.first, np.eye(5)[:, 2:])
    np.testing.assert_allclose(found.initial, [[0, 0.5, 0.5]])
    np.testing.assert_allclose(found.transition, [[1 / 3] * 3, [0, 0, 1], [1, 0, 0]])  # nothing follows the end
    np.testing.assert_allclose(found.emission, np.eye(5)[:, 2:])


def test_shares_of_states_are_those_of_a_sample():
    known = known_hmm("blurred")
    numbers = sample_sequences(known, 100_000, np.random.default_rng(0))
    share = state_shares(known)
    frequency = np.bincount(numbers, minlength=len(known.vocabulary)) / len(numbers)
    np.testing.assert_allclose(known.parameters.emission @ share, frequency, atol=0.003)
    first = describe_states(known, 2)[0]
    assert first.state == share.argmax()
    assert [word for word, _ in first.words] == ["a", "</s>"]


def test_samples_have_the_probabilities_of_their_model():
    known = known_hmm("separable")
    numbers = sample_sequences(known, 200_000, np.random.default_rng(5))
    seen = Counter(map(tuple, np.split(numbers, np.flatnonzero(numbers == END) + 1)))
    for sequence in ((END,), (3, END), (3, 4, END), (5, 6, END)):
        assert seen[sequence] / 200_000 == pytest.approx(known.value(sequence), abs=0.003)
    assert np.count_nonzero(numbers == END) == 200_000
    cut = sample_sequences(known, 1_000, np.random.default_rng(5), 2)
    assert np.diff(np.flatnonzero(cut == END)).max() == 3


def test_many_to_one_accuracy_by_hand():
    """States are those of the symbols' first halves; the unknown word goes with the likeliest state."""
    known = known_hmm("separable")
    tagged = [[("a", "X"), ("b", "X")], [("c", "Y"), ("d", "X"), ("c", "Y")], [("e", "Z"), ("b", "Y")]]
    lowered = [[(word.upper(), tag) for word, tag in sentence] for sentence in tagged]
    found = accuracy(known, tagged)
    assert accuracy(known, lowered, lowercase=True) == found
    assert (found.sentences, found.words, found.unknown) == (3, 7, 0)
    states = {}
    for sentence in tagged:
        path = known.likeliest_path(known.numbers_of([word for word, _ in sentence]))
        for state, (_, tag) in zip(path, sentence, strict=False):
            states.setdefault(int(state), []).append(tag)
    assert found.correct == sum(max(map(tags.count, tags)) for tags in states.values()) == 5
    assert found.many_to_one == pytest.approx(5 / 7)


def test_the_dev_text_chooses_the_steps(tmp_path):
    (tmp_path / "train.txt").write_text(random_text(1, 300, 30))
    (tmp_path / "dev.txt").write_text(random_text(2, 40, 30))
    settings = Settings(hmm=HmmSettings(learner="em", states=4, prior=0.1, dev=str(tmp_path / "dev.txt")))
    data = read_data([tmp_path / "train.txt"], settings)
    assert data.dev.is_end.sum() == 20
    assert data.dev.rows[-1, 0] == END
    learnt = learn_hmm(data, settings.hmm, 0)
    scores = [record.dev_score for record in learnt.records]
    assert learnt.chosen == int(np.argmax(scores)) < len(scores) - 1
    own = mean_log_probability(learnt.model.parameters, data.dev.rows[:, 0])
    assert own == pytest.approx(max(scores))
    assert relative_frequencies(data.counts).sum() == pytest.approx(1)


def test_texts_that_em_cannot_read_twice_or_not_use(tmp_path):
    settings = Settings(hmm=HmmSettings(learner="em", dev=str(tmp_path / "dev.txt")))
    with pytest.raises(InputError, match="standard input: the learner em reads texts twice"):
        read_data(["-"], settings)
    (tmp_path / "train.txt").write_text("a b\n")
    (tmp_path / "dev.txt").write_text("\n\n")
    with pytest.raises(InputError, match=r"dev\.txt: no words"):
        read_data([tmp_path / "train.txt"], settings)
