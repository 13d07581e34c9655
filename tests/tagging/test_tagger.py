"""The tagger: gradient, probabilities, training, and its place in the model file."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from tiny_trees import TINY_TREES

from lpcfg_cli.config import CleanSettings, TaggerSettings
from lpcfg_cli.tagging import tagger_kernels, training
from lpcfg_cli.tagging.archive import tagger_arrays
from lpcfg_cli.tagging.tagger import Tagger, check_tagger
from lpcfg_cli.tagging.templates import normalise, shape, word_features
from lpcfg_cli.tagging.training import number_features, train_tagger
from lpcfg_cli.treebank.brackets import treebank_from_text
from lpcfg_cli.treebank.clean import clean

TREES, _ = clean(treebank_from_text(TINY_TREES), CleanSettings())
SENTENCES = list(TREES.tagged_sentences())


def by_hand(tagger, words):
    """log p(t | word i) computed from the definition, feature by feature."""
    rows = []
    for features in word_features(words):
        score = dict.fromkeys(tagger.tags, 0.0)
        for name in features:
            if name in tagger.features:
                f = tagger.features.index(name)
                for w in range(tagger.start[f], tagger.start[f + 1]):
                    score[tagger.tags[tagger.tag[w]]] += float(tagger.weight[w])
        total = math.log(sum(map(math.exp, score.values())))
        rows.append([score[tag] - total for tag in tagger.tags])
    return np.array(rows)


@pytest.fixture(scope="module")
def tagger():
    return train_tagger(SENTENCES, TaggerSettings(epochs=3), seed=1)


def test_probabilities_are_those_of_the_definition(tagger):
    words = ["The", "new", "keeper", "sold", "the", "boats", "."]
    found = tagger.log_posteriors(words)
    assert np.allclose(found, by_hand(tagger, words), atol=1e-12)
    assert np.allclose(np.exp(found).sum(1), 1)


def test_words_without_any_known_feature_get_the_prior_of_the_bias(tagger):
    lone = replace(tagger, features=tuple(f"other {f}" for f in tagger.features))
    assert np.allclose(lone.log_posteriors(["xyz"]), -math.log(len(tagger.tags)))


def test_open_tags_are_ratios_of_posterior_and_prior(tagger):
    words = ["the", "light", "burn"]
    posterior = np.exp(by_hand(tagger, words))
    for row, tags in zip(posterior, tagger.open_tags(words, 0.05), strict=True):
        expected = {t for t, p in zip(tagger.tags, row, strict=True) if p >= 0.05 * row.max()}
        assert {tag for tag, _ in tags} == expected
        for tag, ratio in tags:
            t = tagger.tags.index(tag)
            share = sum(x == tag for s in SENTENCES for _, x in s) / sum(map(len, SENTENCES))
            assert ratio == pytest.approx(row[t] / share)
        order = [row[tagger.tags.index(tag)] for tag, _ in tags]
        assert order == sorted(order, reverse=True)
    assert [tags[0][0] for tags in tagger.open_tags(words, 1.0)] == tagger.best_tags(words)


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
    tagger_kernels.ascend(np.array([0]), start, feature, gold, np.array([share]), weight, square, 0.5, 0.0)
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


def test_small_derivatives_make_no_step():
    weight, square = np.zeros((1, 2), np.float32), np.ones((1, 2), np.float32)
    token, gold = (np.zeros(1, np.int32), np.zeros(1, np.int32))
    tagger_kernels.ascend(np.array([0]), np.array([0, 1]), token, gold, np.ones(1), weight, square, 1.0, 0.6)
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
    ],
)
def test_parts_that_do_not_fit_are_refused(change):
    good = Tagger(("A",), np.ones(1), ("bias=",), np.array([0, 1]), np.zeros(1, np.int32), np.ones(1, np.float32))
    check_tagger(good)
    bad = {"tag": np.ones(1, np.int32)} if "tag" in change else change
    with pytest.raises(ValueError, match=f"tagger {next(iter(change))} does not fit"):
        check_tagger(replace(good, **bad))


def test_all_parts_are_stored(tagger):
    assert {"tagger_prior", "tagger_start", "tagger_tag", "tagger_weight"} < set(tagger_arrays(tagger))
