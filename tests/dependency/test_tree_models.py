"""Models of dependency trees against sums over all hidden states, and the spectral form from exact moments."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tree_models import STRUCTURES, WORDS, all_trees, arrays, brute_force, exact_data, random_tree_model

from lpcfg_cli.config import DependencyModelSettings
from lpcfg_cli.dependency.latent.contexts import CONTEXTS
from lpcfg_cli.dependency.latent.learner import TreeData
from lpcfg_cli.dependency.latent.learners import TREE_LEARNERS, learn_trees
from lpcfg_cli.dependency.latent.moments import moments_of
from lpcfg_cli.dependency.latent.observable import Observable, SpectralTreeModel
from lpcfg_cli.dependency.latent.scoring import score_trees, tree_log_probabilities
from lpcfg_cli.dependency.latent.spectral import neutral_product
from lpcfg_cli.dependency.latent.training import learn_tree_model, tree_data
from lpcfg_cli.dependency.latent.tree_arrays import arrays_of
from lpcfg_cli.dependency.trees.sentence import DependencySentence
from lpcfg_cli.errors import ConfigError, InputError
from lpcfg_cli.text.vocabulary import UNKNOWN

SEEDS = st.integers(0, 10**6)

EXACT = DependencyModelSettings(kappa=0.0, ridge=0.0, floor=0.0, rare_below=1)

TRAINED_ON = ((2, 0, 2), (2, 0, 4, 2), (0, 1), (2, 4, 4, 0), (0, 1, 1, 1), (3, 3, 0), (2, 3, 0))
"""Structures with children on either side of a head that has a head, and on both."""


def exact(model, structures=TRAINED_ON, **settings):
    """What spectral learning makes of a model's exact moments."""
    wanted = replace(EXACT, states=model.n_states, **settings)
    return learn_trees(exact_data(model, structures), wanted, 0).model


def signed(values):
    return values.signs * np.exp(values.logs)


def sentence(words, heads, place=""):
    n = len(words)
    return DependencySentence(tuple(words), ("T",) * n, np.array(heads, np.int32), ("_",) * n, place=place)


@given(SEEDS, st.integers(1, 3), st.integers(1, 3))
def test_probabilities_are_sums_over_all_hidden_states(seed, m, symbols):
    model = random_tree_model(seed, m, symbols)
    trees = all_trees(model)
    found = model.values(arrays(trees))
    expected = [brute_force(model, *tree) for tree in trees]
    np.testing.assert_allclose(np.exp(found.logs), expected, rtol=1e-9)
    assert (found.signs == 1).all()


@given(SEEDS, st.integers(1, 3))
def test_observable_parameters_are_any_linear_map_of_the_states(seed, m):
    """Algorithm 1 with E = G T G⁻¹, D(v) = G diag(Gᵀv) G⁻¹ and Gᵀy = o: signed parameters give the same sums."""
    model, rng = random_tree_model(seed, m, 3), np.random.default_rng(seed)
    g = rng.normal(size=(m, m)) + 2 * np.eye(m)
    back, own = np.linalg.inv(g), model.parameters
    observable = Observable(
        start=g @ own.initial[0],
        transitions=np.stack([g @ t.T @ back for t in own.transitions]),
        product=np.stack([g @ np.diag(g[l]) @ back for l in range(m)]),
        weights=own.emission @ back,
        singular_values=np.zeros(0),
        chance=0.0,
    )
    spectral = SpectralTreeModel(model.vocabulary, model.frequency, "forms", observable)
    trees = arrays(all_trees(model))
    np.testing.assert_allclose(signed(spectral.values(trees)), signed(model.values(trees)), rtol=1e-6, atol=1e-12)


@given(SEEDS, st.integers(1, 3))
def test_values_of_signed_parameters_are_those_of_numpy(seed, m):
    rng = np.random.default_rng(seed)
    model = random_tree_model(seed, m, 2)
    parts = [rng.normal(size=shape) for shape in ((m,), (2, m, m), (m, m, m), (len(model.vocabulary), m))]
    parts[2] = parts[2] + parts[2].transpose(1, 0, 2)
    spectral = SpectralTreeModel(model.vocabulary, model.frequency, "forms", Observable(*parts, np.zeros(0), 0.0))
    start, transitions, product, weights = parts

    def row(words, heads, i):
        """r of the node i: children in the order in which the kernel meets them does not change the test's trees."""
        result = weights[words[i]]
        for j in range(len(heads)):
            if heads[j] == i + 1:
                v = row(words, heads, j) @ transitions[int(j > i)]
                result = np.einsum("l,h,lhg->g", v, result, product)
        return result

    at_most_one_child = [heads for heads in STRUCTURES if max(map(heads.count, range(1, 5)), default=0) <= 1]
    trees = all_trees(model, at_most_one_child)
    expected = [
        np.prod([row(words, heads, i) @ start for i in range(len(heads)) if heads[i] == 0]) for words, heads in trees
    ]
    np.testing.assert_allclose(signed(spectral.values(arrays(trees))), expected, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("contexts", list(CONTEXTS))
@pytest.mark.parametrize("seed", range(6))
def test_exact_moments_give_exact_probabilities(contexts, seed):
    """D12, equation 5, of trees of all shapes, also those that were not seen, if all matrices have full rank."""
    model = random_tree_model(seed, 3, 5)
    found = exact(model, contexts=contexts)
    assert found.n_states == 3
    trees = arrays(all_trees(model))
    np.testing.assert_allclose(signed(found.values(trees)), signed(model.values(trees)), rtol=1e-4, atol=1e-10)


def test_the_papers_moments_give_exact_probabilities_only_if_all_come_from_the_same_arcs():
    """Heads of only one child have other states here: with their Λ, E of D12 would be wrong."""
    model = random_tree_model(2, 3, 5)
    mixed = ((2, 0, 2), (3, 1, 0), (0, 1), (2, 0), (0, 1, 2))
    found = exact(model, mixed, contexts="siblings")
    trees = arrays(all_trees(model))
    np.testing.assert_allclose(signed(found.values(trees)), signed(model.values(trees)), rtol=1e-4, atol=1e-10)


def test_fewer_dimensions_than_states_are_wrong_and_more_are_not_found():
    model = random_tree_model(0, 3, 6)
    trees = arrays(all_trees(model))
    more = learn_trees(exact_data(model, TRAINED_ON), replace(EXACT, states=5), 0).model
    assert more.n_states == 3
    np.testing.assert_allclose(signed(more.values(trees)), signed(model.values(trees)), rtol=1e-4, atol=1e-10)
    fewer = learn_trees(exact_data(model, TRAINED_ON), replace(EXACT, states=2), 0).model
    assert np.abs(signed(fewer.values(trees)) - signed(model.values(trees))).max() > 1e-4


def test_vectors_of_words_give_exact_probabilities_too(tmp_path):
    """U need not be singular vectors: UᵀO has to be invertible."""
    model, rng = random_tree_model(3, 3, 5), np.random.default_rng(0)
    path = tmp_path / "vectors.txt"
    lines = [f"{word} {' '.join(map(str, rng.normal(size=2)))}" for word in model.vocabulary.words]
    path.write_text("\n".join([f"{len(lines)} 2", *lines, ""]))
    found = exact(model, embeddings=str(path))
    trees = arrays(all_trees(model))
    np.testing.assert_allclose(signed(found.values(trees)), signed(model.values(trees)), rtol=1e-4, atol=1e-9)
    path.write_text("1 2\nother 1 2\n")
    with pytest.raises(InputError, match="none of the symbols of the trees"):
        exact(model, embeddings=str(path))


@given(SEEDS, st.integers(1, 5), st.sampled_from(list(CONTEXTS)), st.sampled_from([0.0, 0.1, 1.0]))
def test_estimates_of_the_words_of_any_tree_sum_to_one(seed, m, contexts, ridge):
    """Whatever the sample, the smoothing and the structure; single estimates may well be negative.

    Without a ridge products of states may be 10⁶ times as large as true ones, and estimates 10¹³ times as large as
    their sum, which then is as exact as their rounding lets it be.
    """
    known, rng = random_tree_model(seed, 3, 5), np.random.default_rng(seed)
    structures = [STRUCTURES[k] for k in rng.integers(len(STRUCTURES), size=60)]
    sample = [(rng.integers(WORDS, WORDS + 5, len(heads)), heads) for heads in structures]
    data = TreeData(known.vocabulary, arrays(sample), np.ones(60))
    settings = DependencyModelSettings(states=m, ridge=ridge, contexts=contexts, kappa=3.0, floor=0.05)
    model = learn_trees(data, settings, 0).model
    for heads in STRUCTURES[:9]:
        estimates = signed(model.values(arrays(all_trees(known, [heads], [UNKNOWN]))))
        size = max(np.abs(estimates).sum(), np.abs(model.observable.product).max() ** 2)
        assert estimates.sum() == pytest.approx(1, abs=1e-9 + 1e-13 * size)


def test_moments_by_hand():
    model = random_tree_model(0, 1, 3)
    a, b, c = WORDS, WORDS + 1, WORDS + 2
    data = TreeData(model.vocabulary, arrays([((a, b, c), (2, 0, 2)), ((b, c), (2, 0))]), np.array([1.0, 3.0]))
    moments, n = moments_of(data), len(model.vocabulary)
    found = {(i, j // n, j % n): v for (i, j), v in np.ndenumerate(moments.neighbours.toarray()) if v}
    assert found == {(b, 0, a): 1, (b, 1, c): 1, (a, 2, b): 1, (c, 3, b): 1, (c, 0, b): 3, (b, 2, c): 3}
    np.testing.assert_allclose(moments.roots[WORDS:], [0, 0.25, 0.75])
    expected = np.array([1.0, 0, 0, 1, 4, 4])  # <unk> counts as the rarest symbol does
    np.testing.assert_allclose(moments.frequency, expected / 10)


def test_contexts_by_hand():
    """The arc from 3 to its left child 1 in (3 2→3 0 3): siblings are on the right only, neighbours are all others."""
    model = random_tree_model(0, 1, 5)
    words = tuple(range(WORDS, WORDS + 5))
    data = TreeData(model.vocabulary, arrays([(words, (3, 3, 5, 3, 0))]), np.ones(1))
    arcs = moments_of(data).arcs
    vectors = np.zeros((4, len(model.vocabulary), 4 * len(model.vocabulary)))
    for kind in range(4):
        for word in range(len(model.vocabulary)):
            vectors[kind, word, kind * len(model.vocabulary) + word] = 1
    row = int(np.flatnonzero(arcs.child == 0)[0])

    def seen(name):
        return [divmod(int(k), len(model.vocabulary)) for k in np.flatnonzero(CONTEXTS[name].total(arcs, vectors)[row])]

    assert seen("siblings") == [(1, WORDS + 3)]
    assert seen("neighbours") == [(0, WORDS + 1), (1, WORDS + 3), (2, WORDS + 4)]


def test_scores_of_trees_whose_estimates_are_no_probabilities():
    model = random_tree_model(1, 2, 3)
    m, n = 2, len(model.vocabulary)
    weights = np.zeros((n, m))
    weights[WORDS] = [-0.5, 0]
    weights[WORDS + 1] = [0.25, 0]
    same = np.stack([np.eye(2)] * 2)
    observable = Observable(np.eye(2)[0], same, neutral_product(2), weights, np.zeros(0), 0.0)
    spectral = SpectralTreeModel(model.vocabulary, model.frequency, "forms", observable)
    trees = arrays([((WORDS,), (0,)), ((WORDS + 1,), (0,)), ((WORDS + 2,), (0,)), ((WORDS + 2, WORDS), (2, 0))])
    found = score_trees(spectral, trees)
    usual = np.log(model.frequency[WORDS:])
    expected = [np.log(0.5), np.log(0.25), usual[2], usual[2] + usual[0]]
    np.testing.assert_allclose(found.logs, expected)
    assert found.is_negative.tolist() == [True, False, False, False]
    assert found.is_vanished.tolist() == [False, False, True, True]


@pytest.mark.parametrize("learner", list(TREE_LEARNERS))
def test_every_learner_finds_what_words_depend_on_and_the_same_each_time(learner):
    rng = np.random.default_rng(1)
    triples = ["the dog barks", "is seen here"]
    sentences = [sentence(triples[k].split(), [2, 0, 2]) for k in rng.integers(2, size=400)]
    settings = DependencyModelSettings(
        learner=learner, states=6, kappa=1.0, ridge=0.001, prior=0.1, anchor_count=5, spread=9.0
    )
    model = learn_tree_model(sentences, settings, 3)
    apart = [sentence([left, "dog", "barks"], [2, 0, 2]) for left in ("the", "is")]
    fits, does_not = tree_log_probabilities(model, apart)
    assert fits > does_not + 0.5
    again = tree_log_probabilities(learn_tree_model(sentences, settings, 3), sentences)
    assert again.tobytes() == tree_log_probabilities(model, sentences).tobytes()
    assert again.tobytes() == tree_log_probabilities(model, model.arrays(sentences)).tobytes()


def test_symbols_may_be_tags():
    tagged = replace(sentence(["x", "y"], [2, 0]), tags=("A", "B"))
    data = tree_data([tagged, tagged], DependencyModelSettings(symbols="tags", rare_below=2))
    assert data.vocabulary.words[WORDS:] == ("A", "B")
    assert data.n_rare == 0


def test_heads_that_form_no_tree():
    vocabulary = random_tree_model(0, 1, 2).vocabulary
    good = sentence(["w0", "w1"], [0, 1], "a.conll:1")
    for heads, message in (
        ([2, 1], "the heads form no tree"),
        ([0, -1], "a word has no head"),
        ([0, 3], "the heads form no tree"),
        ([1, 0], "the heads form no tree"),
    ):
        with pytest.raises(InputError, match=rf"b\.conll:7: {message}"):
            arrays_of([good, sentence(["w0", "w1"], heads, "b.conll:7")], vocabulary, "forms")
    with pytest.raises(InputError, match="tree 2: its heads form no tree"):
        _ = arrays([((3,), (0,)), ((3, 3), (2, 1))]).order


def test_what_cannot_be_learnt():
    with pytest.raises(InputError, match="the treebank has no words"):
        learn_tree_model([], DependencyModelSettings())
    with pytest.raises(ConfigError, match=r"dependency\.states is 20, but the trees have only 2 different symbols"):
        learn_tree_model([sentence(["a", "b"], [2, 0])] * 5, DependencyModelSettings())
    with pytest.raises(ConfigError, match=r"dependency\.symbols is 'lemmas'; expected one of forms, tags"):
        DependencyModelSettings(symbols="lemmas")


def test_trees_without_arcs_have_the_frequencies_of_their_words():
    sentences = [sentence([word], [0]) for word in "aaab"]
    model = learn_tree_model(sentences, DependencyModelSettings(states=1, rare_below=1, kappa=1.0))
    found = tree_log_probabilities(model, [sentence("a", [0]), sentence("b", [0])])
    np.testing.assert_allclose(np.exp(found), np.array([3, 1]) / 5, rtol=1e-9)  # <unk> counts once
