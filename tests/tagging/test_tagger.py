"""The tagger: gradient, probabilities against all taggings, training, and its place in the model file."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_trees import TINY_TREES

from lpcfg_cli.config import CleanSettings, TaggerSettings
from lpcfg_cli.storage.artefacts import write_arrays
from lpcfg_cli.tagging import tagger_kernels, training
from lpcfg_cli.tagging.archive import TAGGER, load_tagger, tagger_arrays
from lpcfg_cli.tagging.numbering import number_features
from lpcfg_cli.tagging.tagger import Tagger, chain_buffers, check_tagger, turned
from lpcfg_cli.tagging.templates import normalise, shape, word_features
from lpcfg_cli.tagging.text import TextConventions
from lpcfg_cli.tagging.training import tag_lift, train_tagger
from lpcfg_cli.treebank.brackets import treebank_from_text
from lpcfg_cli.treebank.clean import clean

TREES, _ = clean(treebank_from_text(TINY_TREES), CleanSettings())
SENTENCES = list(TREES.tagged_sentences())


def scores_by_hand(tagger, words):
    """s_i(t) computed from the definition, feature by feature."""
    rows = []
    for features in word_features(words):
        score = dict.fromkeys(tagger.tags, 0.0)
        for name in features:
            if name in tagger.features:
                f = tagger.features.index(name)
                for w in range(tagger.start[f], tagger.start[f + 1]):
                    score[tagger.tags[tagger.tag[w]]] += float(tagger.weight[w])
        rows.append([score[tag] for tag in tagger.tags])
    return np.array(rows)


def enumerated(score, lift):
    """p(t_i = t), and the log of the sum over all taggings, from each of them."""
    n_words, n_tags = score.shape
    posterior = np.zeros_like(score)
    for tags in product(range(n_tags), repeat=n_words):
        weight = lift[n_tags, tags[0]] * math.exp(sum(score[i, t] for i, t in enumerate(tags)))
        weight *= math.prod(lift[u, t] for u, t in pairwise(tags))
        posterior[np.arange(n_words), tags] += weight
    total = posterior[0].sum()
    return posterior / total, math.log(total)


def chain(score, lift, least=0.0, reach=np.inf):
    posterior = np.empty_like(score)
    buffers = chain_buffers(*score.shape)
    log_total = tagger_kernels.chain_posteriors(score.copy(), lift, turned(lift), reach, least, posterior, *buffers)
    return posterior, log_total


def random_chain(seed, n_words=4, n_tags=3):
    random = np.random.default_rng(seed)
    return random.normal(scale=2.0, size=(n_words, n_tags)), random.lognormal(size=(n_tags + 1, n_tags))


@pytest.mark.parametrize("n_words", [1, 2, 5])
def test_a_chain_is_the_sum_over_all_taggings(n_words):
    score, lift = random_chain(n_words, n_words)
    posterior, log_total = chain(score, lift)
    expected, expected_total = enumerated(score, lift)
    assert np.allclose(posterior, expected, atol=1e-14)
    assert log_total == pytest.approx(expected_total, rel=1e-13)


def test_the_slope_of_the_total_is_the_posterior():
    score, lift = random_chain(7)
    posterior, _ = chain(score, lift)
    for i, t in np.ndindex(score.shape):
        up, down = score.copy(), score.copy()
        up[i, t] += 1e-5
        down[i, t] -= 1e-5
        slope = (chain(up, lift)[1] - chain(down, lift)[1]) / 2e-5
        assert slope == pytest.approx(posterior[i, t], abs=1e-8)


def test_large_scores_and_long_sentences_stay_finite():
    score, lift = random_chain(1, 3000)
    posterior, log_total = chain(score * 200 + 5e4, lift)
    assert np.isfinite(log_total)
    assert np.allclose(posterior.sum(1), 1)
    assert (posterior >= 0).all()


def test_without_lift_words_are_tagged_by_themselves():
    score, lift = random_chain(2)
    alone = np.exp(score) / np.exp(score).sum(1, keepdims=True)
    assert np.allclose(chain(score, np.ones_like(lift))[0], alone, atol=1e-15)


def test_leaving_out_improbable_tags_changes_little():
    score, lift = random_chain(3, 6)
    exact, pruned = chain(score, lift)[0], chain(score, lift, 1e-3)[0]
    assert 0 < np.abs(exact - pruned).max() < 2e-2


@pytest.mark.parametrize("reach", [0.0, 1.0, 3.0])
def test_tags_far_below_the_best_of_a_word_are_left_out(reach):
    score, lift = random_chain(4, 5, 4)
    near = np.where(score >= score.max(1, keepdims=True) - reach, score, -np.inf)
    assert not np.isfinite(near).all()
    posterior, log_total = chain(score, lift, reach=reach)
    expected, expected_total = enumerated(near, lift)
    assert np.allclose(posterior, expected, atol=1e-14)
    assert log_total == pytest.approx(expected_total, rel=1e-13)


def test_lift_is_the_share_after_a_tag_over_the_share_anywhere():
    gold = np.array([0, 1, 0, 1, 1, 0, 2], np.int32)  # 0 1 | 0 1 1 | nothing | 0 2
    prior = np.bincount(gold) / 7
    lift = tag_lift(gold, np.array([0, 2, 5, 5, 7]), np.ones(7), prior, 1.0)
    # after 0 come 1, 1 and 2: two kinds; after 1 comes 1; after 2 nothing; sentences begin with 0
    expected = [
        [(n + 2 * p) / (3 + 2) for n, p in zip((0, 2, 1), prior, strict=True)],
        [(n + p) / 2 for n, p in zip((0, 1, 0), prior, strict=True)],
        prior,
        [(n + p) / 4 for n, p in zip((3, 0, 0), prior, strict=True)],
    ]
    assert np.allclose(lift, expected / prior)
    assert np.allclose(lift @ prior, 1)
    assert np.allclose(tag_lift(gold, np.array([0, 2, 5, 5, 7]), np.ones(7), prior, 0.5), np.sqrt(lift))
    assert np.allclose(tag_lift(gold, np.array([0, 2, 5, 5, 7]), np.full(7, 1e9), prior, 1.0)[1], [0, 1 / prior[1], 0])
    assert (tag_lift(gold, np.array([0, 2, 5, 5, 7]), np.ones(7), prior, 0.0) == 1).all()


@pytest.fixture(scope="module")
def tagger():
    return train_tagger(SENTENCES, TaggerSettings(epochs=3), seed=1)


def test_probabilities_are_those_of_the_definition(tagger):
    words = ["The", "keeper", "sold"]
    found = tagger.posteriors(words)
    assert np.allclose(found, enumerated(scores_by_hand(tagger, words), tagger.lift)[0], atol=1e-12)
    assert np.abs(found - chain(scores_by_hand(tagger, words), np.ones_like(tagger.lift))[0]).max() > 1e-3


def test_words_without_any_known_feature_have_the_tags_that_fit_their_place(tagger):
    lone = replace(tagger, features=tuple(f"other {f}" for f in tagger.features))
    assert np.allclose(lone.posteriors(["xyz"]), tagger.lift[-1] / tagger.lift[-1].sum())


def test_open_tags_are_chosen_by_the_chain_and_weighted_by_the_words_alone(tagger):
    words = ["the", "light", "burn"]
    score = scores_by_hand(tagger, words)
    posterior, _ = enumerated(score, tagger.lift)
    alone = np.exp(score) / np.exp(score).sum(1, keepdims=True)
    for i, tags in enumerate(tagger.open_tags(words, 0.05)):
        expected = {t for t, p in zip(tagger.tags, posterior[i], strict=True) if p >= 0.05 * posterior[i].max()}
        assert {tag for tag, _ in tags} == expected
        for tag, ratio in tags:
            share = sum(x == tag for s in SENTENCES for _, x in s) / sum(map(len, SENTENCES))
            assert ratio == pytest.approx(alone[i, tagger.tags.index(tag)] / share)
        order = [posterior[i, tagger.tags.index(tag)] for tag, _ in tags]
        assert order == sorted(order, reverse=True)
    assert [tags[0][0] for tags in tagger.open_tags(words, 1.0)] == tagger.best_tags(words)
    posterior = tagger.posteriors(words)
    for least in (0.0, 0.01, 0.3, 1.0):
        expected = [
            [(tag, p) for tag, p in zip(tagger.tags, row, strict=True) if p >= least or p == max(row)]
            for row in posterior.tolist()
        ]
        assert tagger.probable_tags(words, least) == [[(t, pytest.approx(p)) for t, p in row] for row in expected]


def test_training_learns_its_own_sentences():
    tagger = train_tagger(SENTENCES, TaggerSettings(epochs=15), 0)
    right = [
        tag == best for s in SENTENCES for (_, tag), best in zip(s, tagger.best_tags([w for w, _ in s]), strict=True)
    ]
    assert np.mean(right) > 0.95


def test_same_seed_same_weights_and_another_seed_others():
    first, again, other = (train_tagger(SENTENCES, TaggerSettings(epochs=2), seed) for seed in (3, 3, 4))
    assert first.features == again.features
    assert first.weight.tobytes() == again.weight.tobytes()
    assert first.weight.tobytes() != other.weight.tobytes()


def log_likelihood(weight, start, feature, gold):
    score = np.array([weight[feature[a:b]].sum(0) for a, b in pairwise(start)])
    return float((score[np.arange(len(gold)), gold] - np.log(np.exp(score).sum(1))).sum())


@pytest.mark.parametrize("share", [1.0, 0.3])
def test_a_step_goes_along_the_weighted_gradient_scaled_by_its_own_squares(share):
    random = np.random.default_rng(0)
    start, feature = np.array([0, 3]), np.array([4, 0, 2], np.int32)
    gold = np.array([1], np.int32)
    before = random.normal(size=(5, 3)).astype(np.float32)
    weight, square = before.copy(), np.full((5, 3), 0.1, np.float32)
    tagger_kernels.ascend(np.array([0]), start, feature, gold, np.array([share]), weight, square, 0.5, 0.0, np.empty(3))
    gradient = np.zeros((5, 3))
    for f in range(5):
        for t in range(3):
            up, down = before.astype(float), before.astype(float)
            up[f, t] += 1e-5
            down[f, t] -= 1e-5
            gradient[f, t] = (
                log_likelihood(up, start, feature, gold) - log_likelihood(down, start, feature, gold)
            ) / 2e-5
    assert np.count_nonzero(gradient.any(1)) == 3
    gradient *= share
    assert np.allclose(square, 0.1 + gradient**2, rtol=1e-4)
    assert np.allclose(weight - before, 0.5 * gradient / np.sqrt(0.1 + gradient**2), atol=1e-4)


def test_a_step_of_a_chain_goes_along_its_gradient():
    before, lift = (array.astype(np.float32) for array in random_chain(5, 6, 3))
    start, feature = np.array([0, 2, 3, 5]), np.array([4, 0, 2, 1, 4], np.int32)  # feature 4 of words 0 and 2
    gold, share = np.array([1, 0, 2], np.int32), np.array([1.0, 0.5, 2.0])
    weight, square = before.copy(), np.zeros((6, 3), np.float32)
    sentence = np.array([0, 0, 3])  # an empty sentence, and one of three words
    lift = lift.astype(float)
    examples = start, feature, gold, share, lift, turned(lift)
    buffers = *np.full((2, 3, 3), np.nan), *chain_buffers(3, 3)
    tagger_kernels.ascend_chains(np.array([1, 0]), sentence, *examples, weight, square, 0.0, 0.0, np.inf, 0.0, *buffers)
    score = np.array([before[feature[a:b]].sum(0) for a, b in pairwise(start)], float)
    slope = enumerated(score, lift)[0] - np.eye(3)[gold]
    expected = np.zeros((6, 3))
    for i, (a, b) in enumerate(pairwise(start)):
        expected[feature[a:b]] += (share[i] * slope[i]) ** 2
    assert np.allclose(square, expected, rtol=1e-5)
    np.testing.assert_array_equal(weight, before)  # the rate is 0
    square[:] = 1.0
    tagger_kernels.ascend_chains(np.array([1]), sentence, *examples, weight, square, 1e-3, 0.0, np.inf, 0.0, *buffers)
    assert np.allclose((before - weight)[1], 1e-3 * 2 * slope[2] / np.sqrt(1 + 4 * slope[2] ** 2), atol=1e-6)
    assert (weight[3] == before[3]).all()  # no word has it


def test_small_derivatives_make_no_step():
    weight, square = np.zeros((1, 2), np.float32), np.ones((1, 2), np.float32)
    token, gold = (np.zeros(1, np.int32), np.zeros(1, np.int32))
    buffer = np.empty(2)
    tagger_kernels.ascend(np.array([0]), np.array([0, 1]), token, gold, np.ones(1), weight, square, 1.0, 0.6, buffer)
    assert not weight.any()


def test_rare_features_are_left_out_and_more_of_them_when_memory_asks():
    names, start, feature = number_features(SENTENCES, 2, 10**6)
    count = {}
    for sentence in SENTENCES:
        for found in word_features([word for word, _ in sentence]):
            for name in found:
                count[name] = count.get(name, 0) + 1
    assert set(names) == {name for name, n in count.items() if n >= 2}
    assert len(start) == 1 + sum(map(len, SENTENCES))
    tokens = [found for s in SENTENCES for found in word_features([w for w, _ in s])]
    for k, found in enumerate(tokens):
        assert [names[f] for f in feature[start[k] : start[k + 1]]] == [name for name in found if count[name] >= 2]
    few, _, _ = number_features(SENTENCES, 2, 40)
    least = min(count[name] for name in few)
    assert set(few) == {name for name, n in count.items() if n >= least}
    assert len(few) <= 40


@given(
    st.lists(
        st.lists(st.sampled_from(["a", "b", "a b", "b a", "<", "", "Ab", "x1", "x2", "'s"]), max_size=5), max_size=6
    )
)
def test_features_are_numbered_as_they_are_told(sentences):
    """Words that hold blanks make equal features of different words."""
    names, start, feature = number_features([[(word, "T") for word in words] for words in sentences], 1, 10**6)
    told = [found for words in sentences for found in word_features(words)]
    assert [[names[f] for f in feature[a:b]] for a, b in pairwise(start)] == told
    assert names == list(dict.fromkeys(name for found in told for name in found))
    assert (start.dtype, feature.dtype) == (np.int64, np.int32)


def test_tags_that_are_alike_are_not_left_out_of_chains_however_many():
    """With all weights zero, each of 1,100 tags has a smaller share than is left out of chains of fewer tags."""
    pairs = [[(f"w{k}", f"T{k}"), (f"w{k + 1}", f"T{k + 1}")] for k in range(0, 1100, 2)]
    tagger = train_tagger(pairs, TaggerSettings(epochs=1), 0)
    check_tagger(tagger)
    assert tagger.best_tags(["w6", "w7"]) == ["T6", "T7"]


def test_memory_limits_the_features(monkeypatch):
    monkeypatch.setattr(training, "MAX_WEIGHTS", 1000)
    small = train_tagger(SENTENCES, TaggerSettings(epochs=1), 0)
    assert 0 < len(small.features) * len(small.tags) <= 1000


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("Hush", "Xx"),
        ("NATO", "X"),
        ("3.75", "0.0"),
        ("U.S.", "X.X."),
        ("pre-war", "x-x"),
        ("--", "-"),
        ("雨", "x"),
        ("", ""),
    ],
)
def test_shapes(word, expected):
    assert shape(word) == expected


def test_digits_and_case_are_normalised():
    assert normalise("B-52s") == "b-00s"


def test_features_see_neighbours_and_ends_of_the_sentence():
    first, last = word_features(["Old", "rope"])
    assert {"word=old", "as-written=Old", "word-1=<", "word+1=rope", "word+2=>", "suffix=ld", "prefix=o"} <= set(first)
    assert {"words-1,0=old rope", "word-2=<", "suffix=rope", "shapes-1,0=Xx x"} <= set(last)


@pytest.mark.parametrize(
    "change",
    [
        {"start": np.zeros(3, np.int64)},
        {"tag": np.zeros(1, np.int32)},
        {"prior": np.zeros(0)},
        {"weight": np.array([np.nan], np.float32)},
        {"weight": np.zeros(1)},
        {"lift": np.ones((1, 1))},
        {"lift": np.zeros((2, 1))},
        {"lift": np.full((2, 1), np.inf)},
        {"lift": np.full((2, 1), np.nan)},
        {"lift": np.ones((2, 1), np.float32)},
    ],
)
def test_parts_that_do_not_fit_are_refused(change):
    one = np.ones(1)
    good = Tagger(
        ("A",), one, ("bias=",), np.array([0, 1]), np.zeros(1, np.int32), one.astype(np.float32), np.ones((2, 1))
    )
    check_tagger(good)
    bad = {"tag": np.ones(1, np.int32)} if "tag" in change else change
    with pytest.raises(ValueError, match=f"tagger {next(iter(change))} does not fit"):
        check_tagger(replace(good, **bad))


def test_all_parts_are_stored(tagger, tmp_path):
    path = tmp_path / "tagger.npz"
    write_arrays(path, TAGGER, tagger_arrays(tagger), {"text": asdict(TextConventions())}, 0, {})
    found, _ = load_tagger(path, TAGGER)
    for name in ("tags", "features"):
        assert getattr(found, name) == getattr(tagger, name)
    for name in ("prior", "start", "tag", "weight", "lift"):
        assert getattr(found, name).tobytes() == getattr(tagger, name).tobytes()


def test_taggers_of_older_files_do_not_look_at_tags(tagger, tmp_path):
    path = tmp_path / "tagger.npz"
    arrays = {name: array for name, array in tagger_arrays(tagger).items() if name != "tagger_lift"}
    write_arrays(path, replace(TAGGER, version=1), arrays, {"text": asdict(TextConventions())}, 0, {})
    found, _ = load_tagger(path, TAGGER)
    words = ["the", "light", "burn"]
    score = scores_by_hand(tagger, words)
    assert np.allclose(found.posteriors(words), np.exp(score) / np.exp(score).sum(1, keepdims=True))


def test_the_words_of_a_sentence_are_looked_up_once(tagger, monkeypatch):
    seen = []

    def looked_up(words):
        seen.append(list(words))
        return word_features(words)

    sentences = [["the", "light", "burn"], ["the", "light", "sold"]]
    expected = [(tagger.probable_tags(words, 0.01), tagger.open_tags(words, 0.05)) for words in sentences]
    fresh = replace(tagger)
    monkeypatch.setattr("lpcfg_cli.tagging.tagger.word_features", looked_up)
    first = [fresh.probable_tags(words, 0.01) for words in sentences]  # as the parser asks: first of a whole batch
    second = [fresh.open_tags(words, 0.05) for words in sentences]
    assert list(zip(first, second, strict=True)) == expected
    assert seen == sentences
    with pytest.raises(ValueError, match="read-only"):
        fresh.posteriors(["the"])[:] = 0.0
