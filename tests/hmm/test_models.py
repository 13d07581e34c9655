"""Models of sequences against sums over all paths of hidden states, and the spectral forms from exact moments."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hmm_models import all_sequences, exact_counts, path_sum, random_hmm
from hypothesis import given
from hypothesis import strategies as st

from lpcfg_cli.config import HmmSettings
from lpcfg_cli.embeddings.archive import format_by_name, save_embeddings
from lpcfg_cli.embeddings.vectors import Embeddings
from lpcfg_cli.errors import ConfigError, InputError, SyntaxProblem
from lpcfg_cli.hmm.em_starts import spectral_start
from lpcfg_cli.hmm.enumeration import all_values
from lpcfg_cli.hmm.hidden_markov import HiddenMarkov, as_hidden
from lpcfg_cli.hmm.known import known_hmm
from lpcfg_cli.hmm.learner import HmmData
from lpcfg_cli.hmm.learners import learn_hmm
from lpcfg_cli.hmm.moments import moments_of
from lpcfg_cli.hmm.projections import PROJECTIONS
from lpcfg_cli.hmm.sampling import data_of, sample_sequences
from lpcfg_cli.hmm.spectral import middles, symbol_moments, third_moment
from lpcfg_cli.text.vocabulary import END, MARKS, START, Vocabulary

SEEDS = st.integers(0, 10**6)
FORMS = ("spectral", "full")


def exact(model, learner, tolerance_of_rank=0.0, **settings):
    """What a spectral learner makes of a model's exact moments."""
    wanted = HmmSettings(learner=learner, states=model.n_states, kappa=1.0, floor=0.0, rare_below=1)
    return learn_hmm(HmmData(exact_counts(model)), replace(wanted, **settings), 0).model


def is_well_conditioned(model, least=1e-3):
    own = model.parameters
    return min(np.linalg.svd(own.emission)[1].min(), np.linalg.svd(own.transition)[1].min()) > least


@given(SEEDS, st.integers(1, 4), st.integers(1, 5))
def test_filtering_gives_the_sums_over_all_paths(seed, m, symbols):
    model = random_hmm(seed, m, symbols)
    for numbers in all_sequences(model, 3):
        p = path_sum(model, numbers)
        assert model.value(numbers) == pytest.approx(p, rel=1e-10)
        assert np.prod(model.predict(np.array(numbers)).probability) == pytest.approx(p, rel=1e-10)


@given(SEEDS, st.integers(1, 4), st.integers(1, 4))
def test_all_values_are_those_of_single_sequences(seed, m, symbols):
    model = random_hmm(seed, m, symbols)
    each = [model.value(numbers) for numbers in all_sequences(model, 3)]
    np.testing.assert_allclose(all_values(model, 3), each, rtol=1e-10)


@pytest.mark.parametrize("learner", FORMS)
@pytest.mark.parametrize("projection", list(PROJECTIONS))
@pytest.mark.parametrize("seed", range(6))
def test_exact_moments_give_exact_probabilities(learner, projection, seed):
    """Hsu et al., Lemma 3; D12 equation 1: whatever the projection, if all matrices have full rank."""
    model = random_hmm(seed, 3, 5)
    assert is_well_conditioned(model)
    found = exact(model, learner, projection=projection)
    assert found.n_states == 3
    expected = all_values(model, 4)
    np.testing.assert_allclose(all_values(found, 4), expected, rtol=1e-6, atol=1e-12)
    numbers = np.array([x for sequence in all_sequences(model, 3) for x in sequence], np.int32)
    predicted = found.predict(numbers)
    np.testing.assert_allclose(predicted.probability, model.predict(numbers).probability, rtol=1e-6)
    assert (predicted.negative, predicted.lost, predicted.vanished) == (0, 0, 0)


@pytest.mark.parametrize("learner", FORMS)
def test_more_dimensions_than_states_are_not_found_and_fewer_are_wrong(learner):
    model = random_hmm(0, 3, 6)
    found = exact(model, learner, states=5)
    assert found.n_states == 3
    np.testing.assert_allclose(all_values(found, 3), all_values(model, 3), rtol=1e-6)
    poorer = exact(model, learner, states=2)
    assert np.abs(all_values(poorer, 3) - all_values(model, 3)).max() > 1e-5


def random_vectors(model, seed=0, dimensions=3):
    words = model.vocabulary.words
    rows = np.random.default_rng(seed).normal(size=(len(words), dimensions)).astype(np.float32)
    return Embeddings(words, rows, lowercase=False)


def written(found, path):
    """Write vectors in the form that the file's name asks for."""
    form = format_by_name(path)
    if form:
        form.write(found, path)
    else:
        save_embeddings(found, path, {}, 0, {})
    return str(path)


@pytest.mark.parametrize("name", ["x.embed.npz", "x.txt", "x.vec.gz", "x.bin"])
def test_vectors_of_words_give_exact_probabilities_too(tmp_path, name):
    """U need not be singular vectors: UᵀO has to be invertible (D12 §2.2)."""
    model = random_hmm(3, 3, 5)
    file = written(random_vectors(model), tmp_path / name)
    for learner in FORMS:
        found = exact(model, learner, embeddings=file, states=32)
        np.testing.assert_allclose(all_values(found, 3), all_values(model, 3), rtol=1e-5)


def test_symbols_without_vectors_are_zero_and_others_are_found_in_lower_case():
    vocabulary = Vocabulary((*MARKS, "The", "cat", "sat"))
    found = Embeddings(("the", "sat"), np.array([[1, 2], [3, 4]], np.float32))
    assert found.rows_of(vocabulary.words).tolist() == [[0, 0]] * 3 + [[1, 2], [0, 0], [3, 4]]


def test_the_spectral_start_of_em_takes_vectors_of_words(tmp_path):
    """If each state has a symbol of its own, the contexts tell the states in whatever basis they are projected to."""
    known = known_hmm("separable")
    data = data_of(known, sample_sequences(known, 20_000, np.random.default_rng(2)))
    settings = HmmSettings(states=3, anchor_count=1, kappa=0.0)
    file = written(random_vectors(known, dimensions=len(known.vocabulary)), tmp_path / "x.bin")
    own, given_vectors = (spectral_start(data, replace(settings, embeddings=name), 0) for name in ("", file))
    assert given_vectors.emission.tobytes() != own.emission.tobytes()
    for start in (own, given_vectors):
        order = [start.emission[x].argmax() for x in (3, 5, 7)]
        assert sorted(order) == [0, 1, 2]
        np.testing.assert_allclose(start.emission[3:, order], known.parameters.emission[3:], atol=0.15)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", InputError, "vectors.txt: has no vectors"),
        ("2 2\nw0 1 2\nw1 1\n", SyntaxProblem, "vectors.txt:3:1: 'w1 1'; expected a word and 2 finite numbers"),
        ("1 2\nw0 1 x\n", SyntaxProblem, "vectors.txt:2:1"),
        ("1 2\nother 1 2\n", InputError, "has none of the symbols"),
        ("1 2\n</s> 1 2\n", InputError, "has none of the symbols"),
    ],
)
def test_files_of_vectors_that_are_not(tmp_path, text, error, message):
    path = tmp_path / "vectors.txt"
    path.write_text(text)
    with pytest.raises(error, match=message):
        exact(random_hmm(0, 2, 3), "spectral", embeddings=str(path))


def test_operators_that_do_not_fit_into_memory_are_refused(tmp_path, monkeypatch):
    """The length of the vectors counts, whatever number of states was asked for."""
    monkeypatch.setattr("lpcfg_cli.hmm.spectral.MOST_NUMBERS", 6 * 4**2)
    model = random_hmm(0, 2, 3)
    exact(model, "full", embeddings=written(random_vectors(model, dimensions=4), tmp_path / "x.bin"), states=5)
    with pytest.raises(ConfigError, match=r"6 operators of 5 × 5 numbers, .* shorter vectors"):
        exact(model, "full", embeddings=written(random_vectors(model, dimensions=5), tmp_path / "y.bin"))


@given(SEEDS, st.sampled_from(FORMS), st.integers(1, 4))
def test_filtering_of_signed_operators_is_that_of_numpy(seed, learner, m):
    """With operators far from any HMM: negative and vanishing totals are met, counted, and left in the same way."""
    model = exact(random_hmm(seed, m, 4), learner)
    rng = np.random.default_rng(seed)
    own = model.observable
    own = replace(own, total=rng.normal(size=len(own.total)), weights=rng.normal(size=own.weights.shape), floor=0.25)
    name = "tensor" if learner == "spectral" else "operators"
    model = replace(model, observable=own, **{name: rng.normal(size=getattr(model, name).shape)})
    numbers = np.array([x for sequence in all_sequences(model, 2) for x in sequence], np.int32)
    states, lost, state = [], 0, own.start
    for x in numbers:
        states.append(state)
        after = model.operator(x) @ state
        lost += x != END and own.total @ after < 0
        state = own.start if x == END else after / (own.total @ after) if own.total @ after > 0 else own.mean
    found = model.filter(numbers)
    np.testing.assert_allclose(found.states, states, rtol=1e-6, atol=1e-9)
    assert (found.lost, found.vanished) == (lost, 0)
    values = np.array(states) @ own.weights.T
    share = np.abs(values) / np.abs(values).sum(1, keepdims=True)
    expected = 0.75 * share + 0.25 * model.frequency
    np.testing.assert_allclose(model.distributions(found.states), expected, rtol=1e-6)
    predicted, at = model.predict(numbers), np.arange(len(numbers))
    np.testing.assert_allclose(predicted.probability, expected[at, numbers], rtol=1e-6)
    assert predicted.negative == np.count_nonzero(values[at, numbers] < 0)


def test_vanished_states_are_counted_and_predict_frequencies():
    model = exact(random_hmm(1, 2, 3), "full")
    model = replace(model, operators=np.zeros_like(model.operators))
    found = model.filter(np.array([3, 4, END], np.int32))
    assert (found.lost, found.vanished) == (0, 2)
    np.testing.assert_array_equal(found.states[1:], [model.observable.mean] * 2)
    silent = replace(model, observable=replace(model.observable, weights=np.zeros_like(model.weights)))
    np.testing.assert_allclose(silent.distributions(found.states), [model.frequency] * 3)
    np.testing.assert_allclose(silent.predict(np.array([3, 4, END])).probability, model.frequency[[3, 4, END]])


def test_impossible_symbols_of_a_hidden_markov_model_are_counted():
    model = random_hmm(1, 2, 3)
    model.parameters.emission[4] = 0
    found = model.predict(np.array([4, 3, END], np.int32))
    assert (found.vanished, found.probability[0]) == (1, 0.0)
    assert found.probability[1] == pytest.approx(model.parameters.emission[3] @ model.start)
    assert model.logprob(["w1"]) == -np.inf


@given(SEEDS)
def test_long_sequences_do_not_underflow(seed):
    model = random_hmm(seed, 3, 5)
    words = [f"w{k}" for k in np.random.default_rng(seed).integers(0, 5, 3000)]
    log = model.logprob(words)
    assert -np.inf < log < -3000
    assert model.value(model.numbers_of(words)) == 0


def test_moments_are_shares_of_all_symbols_and_ends():
    """Of "a b" and "b" by hand: five events; the begin and the symbol before are the past."""
    model = random_hmm(0, 2, 2)
    counts = exact_counts(model)
    moments = moments_of(counts)
    assert moments.bigrams.sum() == pytest.approx(1)
    assert moments.first.sum() == pytest.approx(1)
    own = model.parameters
    np.testing.assert_allclose(moments.first, own.emission @ own.initial[0])
    assert moments.events == pytest.approx(counts.count.sum())
    assert START not in moments.trigrams[:, 1:]
    assert END not in moments.trigrams[:, :2]
    sides = PROJECTIONS["cca"].fit(moments, HmmSettings(states=2), 0)
    each = symbol_moments(moments, sides, len(model.vocabulary))
    dense = np.zeros((len(each),) * 3)
    dense[tuple(moments.trigrams.T)] = moments.share
    np.testing.assert_allclose(each, np.einsum("abc,ci,aj->bij", dense, sides.future, sides.past), atol=1e-12)
    np.testing.assert_allclose(third_moment(moments, sides), np.einsum("bij,bl->lij", each, sides.middle))
    assert [symbol for symbol, _ in middles(moments)] == [3, 4]


def test_more_states_than_symbols_are_an_error():
    with pytest.raises(ConfigError, match=r"hmm\.states is 32, but the text has only 3 different symbols, the end inc"):
        exact(random_hmm(0, 2, 2), "spectral", states=32)


def test_spectral_models_have_no_hidden_states():
    model = random_hmm(0, 2, 3)
    assert as_hidden(model, "x") is model
    with pytest.raises(InputError, match=r"x\.hmm\.npz: a spectral model.*known only up to a linear map"):
        as_hidden(exact(model, "full"), "x.hmm.npz")


def test_the_basis_does_not_matter():
    """Any invertible linear map of the states gives the same values."""
    model = random_hmm(2, 3, 4)
    base = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0] + 0.1
    inverse = np.linalg.inv(base)
    found = exact(model, "full")
    own = replace(
        found.observable,
        start=base @ found.start,
        mean=base @ found.observable.mean,
        total=found.observable.total @ inverse,
        weights=found.weights @ inverse,
    )
    other = replace(found, observable=own, operators=base @ found.operators @ inverse)
    np.testing.assert_allclose(all_values(other, 3), all_values(found, 3), rtol=1e-9)
    assert isinstance(model, HiddenMarkov)
