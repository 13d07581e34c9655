"""Metrics of similarity: against values by hand, loops over all words, and for any text."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpcfg_cli.embeddings.vectors import Embeddings
from lpcfg_cli.sts.comparison import Comparison, Resources
from lpcfg_cli.sts.matrix_similarity import alignment, cosine, matrix_similarity, unweighted_similarity
from lpcfg_cli.sts.metrics import METRICS, measure, metrics_of
from lpcfg_cli.sts.surface_metrics import longest_subsequence, ngrams
from lpcfg_cli.sts.words import count_words, words_of

FIRST, SECOND = "The dog of Rome chased 2,500 cats!", "In Rome the dogs chased 2,500 black cats."
TRAINING = ["the dog", "the cat", "the cats of Rome", "the black dogs"]
WORDS = ("the", "dog", "dogs", "cat", "cats", "rome")
VECTORS = np.array([[1, 1], [2, 0], [3, 1], [0, 1], [0, 4], [-1, 0]], np.float32)


def resources(cut=True):
    frequencies = count_words([words_of(text) for text in TRAINING], 0.3)
    return Resources(frequencies, 3, Embeddings(WORDS, VECTORS), None, cut)


def values(first, second, known=None):
    known = known or resources()
    metrics = metrics_of(("surface", "vectors"), known)
    return dict(zip([metric.name for metric in metrics], measure([(first, second)], metrics, known)[0], strict=True))


def test_sentences_are_cut_into_words():
    cut = words_of("Don't pay €2,500.50 in 2012, O’Brien -- A380!")
    assert cut.written == ("Don't", "pay", "2,500.50", "in", "2012", "O’Brien", "A", "380")
    assert cut.words[0] == "don't" and cut.numerals == {"2,500.50", "2012", "380"}
    assert cut.names == {"O’Brien", "A"}
    assert words_of("Ελλάδα и Россия 東京").words == ("ελλάδα", "и", "россия", "東京")
    assert words_of(" ... ").words == () and words_of("").text == "  "


def test_weights_are_inverse_document_frequencies_and_frequent_words_have_no_content():
    known = resources().frequencies
    assert (known.sentences, known.count["the"], known.count["rome"]) == (4, 4, 1)
    assert known.weight("the") == 0.0
    np.testing.assert_allclose([known.weight("rome"), known.weight("unseen")], [np.log(5 / 2), np.log(5)])
    assert known.frequent == {"the"}
    assert count_words([words_of("b a"), words_of("b a c")], 0.5).frequent == {"a", "b"}
    assert known.content(["the", "dog"]) == ["dog"]


def test_surface_metrics_have_the_values_that_one_counts_by_hand():
    found = values(FIRST, SECOND)
    # the dog of rome chased 2,500 cats / in rome the dogs chased 2,500 black cats; of content all but "the"
    expected = {
        "length-difference": 1, "length-average": 7.5, "length-ratio": 7 / 8, "words": 5, "content-words": 4,
        "base-forms": 6, "numerals": 1, "numerals-dice": 1, "names-dice": 1, "words-cosine": 5 / np.sqrt(56),
        "content-dice": 8 / 13, "base-dice": 12 / 15, "bigrams": 2 * 1 / 13, "trigrams": 0, "content-bigrams": 2 / 11,
        "subsequence": 8 / 15,
    }  # fmt: skip
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=1e-12), name
    weight = resources().frequencies.weight
    common = weight("rome") + weight("cats") + weight("chased") + weight("2,500")
    totals = [common + weight("dog") + weight("of"), common + weight("dogs") + weight("in") + weight("black")]
    assert found["coverage-least"] == pytest.approx(common / max(totals))
    assert found["coverage-most"] == pytest.approx(common / min(totals))


def test_vectors_give_the_cosines_that_one_computes_by_hand():
    # the: (1, 1)/√2, dog: (1, 0), dogs: (3, 1)/√10; sorted: dog the / dogs
    first, second = "the dog", "dogs"
    to_dog, to_the = 3 / np.sqrt(10), 4 / np.sqrt(20)
    found = values(first, second)
    assert found["matrix"] == pytest.approx((to_dog + to_the) / np.sqrt(2))
    assert found["matrix-weighted"] == pytest.approx(to_dog)
    assert found["alignment"] == pytest.approx(((to_dog + to_the) / 2 + max(to_dog, to_the)) / 2)
    assert (found["alignment-least"], found["alignment-most"]) == pytest.approx((to_dog, max(to_dog, to_the)))
    total = np.array([1 + 1 / np.sqrt(2), 1 / np.sqrt(2)])
    assert found["sum"] == pytest.approx(total @ [3, 1] / np.linalg.norm(total) / np.sqrt(10))
    assert found["sum-weighted"] == found["rest"] == pytest.approx(to_dog)


def test_negative_cosines_are_cut_or_kept():
    assert values("dog", "Rome")["matrix"] == 0
    assert values("dog", "Rome", resources(cut=False))["matrix"] == pytest.approx(-1)
    assert values("unknown", "unknown")["matrix"] == 1 and values("unknown", "other")["matrix"] == 0


def test_matrix_similarity_and_alignment_are_the_sums_of_the_formulas():
    rng = np.random.default_rng(0)
    a, w, b = rng.random(3), rng.normal(size=(3, 4)), rng.random(4)
    total = sum(a[i] * w[i, j] * b[j] for i in range(3) for j in range(4))
    assert matrix_similarity(a, w, b) == pytest.approx(total / np.linalg.norm(a) / np.linalg.norm(b))
    assert unweighted_similarity(w) == pytest.approx(w.sum() / np.sqrt(12))
    first = sum(a[i] * max(0, *w[i]) for i in range(3)) / sum(a)
    second = sum(b[j] * max(0, *w[:, j]) for j in range(4)) / sum(b)
    assert alignment(a, w, b) == pytest.approx((first, second))
    assert alignment(np.zeros(0), np.zeros((0, 2)), np.ones(2)) == (0, 0)
    assert matrix_similarity(np.zeros(2), np.ones((2, 2)), np.ones(2)) == cosine(np.zeros(2), np.ones(2)) == 0


@given(st.lists(st.sampled_from("abc"), max_size=6), st.lists(st.sampled_from("abc"), max_size=6))
def test_the_longest_common_subsequence_is_the_longest_of_all(first, second):
    def subsequences(words):
        return {tuple(part) for n in range(len(words) + 1) for part in combinations(words, n)}

    longest = max(map(len, subsequences(first) & subsequences(second)))
    found = longest_subsequence(Comparison(words_of(" ".join(first)), words_of(" ".join(second)), resources()))
    assert found == pytest.approx(2 * longest / (len(first) + len(second)) if first or second else 1)
    assert ngrams(first, 2) == set(pairwise(first))


@given(st.text(max_size=40), st.text(max_size=40))
def test_metrics_are_finite_and_symmetric_for_any_text(first, second):
    known = resources()
    there, back = values(first, second, known), values(second, first, known)
    assert all(np.isfinite(value) for value in there.values())
    np.testing.assert_allclose(list(there.values()), list(back.values()), atol=1e-6)


@given(st.lists(st.sampled_from(["the", "dog", "Rome", "2012", "black", "zebra"]), min_size=1, max_size=8))
def test_a_sentence_is_most_similar_to_itself(words):
    found = values(" ".join(words), " ".join(words))
    for name in ("words-cosine", "content-dice", "base-dice", "bigrams", "characters-3", "subsequence", "alignment"):
        assert found[name] == pytest.approx(1), name
    assert found["length-difference"] == 0 and found["rest"] == 1


def test_groups_without_resources_are_left_out():
    bare = Resources(resources().frequencies, 3)
    assert {metric.group for metric in metrics_of(("surface", "wordnet", "vectors"), bare)} == {"surface"}
    assert metrics_of(("vectors", "wordnet"), bare) == []
    assert {metric.group for metric in METRICS.values()} == {"surface", "wordnet", "vectors"}
