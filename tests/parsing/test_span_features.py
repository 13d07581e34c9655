"""Features of the spans of hand-made sentences: which spans share which."""

from __future__ import annotations

import numpy as np
import pytest

from lpcfg_cli.parsing.spans.learning import known_words
from lpcfg_cli.parsing.spans.templates import FEW_TAGS, MOST_RUNS, MOST_TAGS, TEMPLATES, hash_of, span_features

HASH_OF_THE = 15073365516599822982

KNOWN = known_words([["the", "this", "dog", "barks"]] * 2)

OF_ONE_WORD = 1
"""The length of a single word by itself has the key 0, which stands for no feature."""


def keys(words, tags, i, j, known=KNOWN):
    found = span_features(np.array([i]), np.array([j]), words.split(), tags.split(), known)
    assert found.start.tolist() == [0, len(found.key)]
    return set(found.key.tolist())


def templates_with(*names):
    return sum(bool(set(names) & set(template)) for template in TEMPLATES)


@pytest.mark.parametrize(
    ("i", "j", "other"), [(0, 2, "first word"), (1, 3, "word before"), (0, 1, "first word"), (2, 3, "")]
)
def test_another_word_changes_the_features_that_it_is_in(i, j, other):
    one, two = (keys(f"{word} dog barks", "DT NN VBZ", i, j) for word in ("the", "this"))
    changed = templates_with("first word", "last word") if (i, j) == (0, 1) else templates_with(other)
    assert len(one - two) == len(two - one) == changed
    assert len(one) >= len(TEMPLATES)


def test_rare_words_are_as_their_class():
    one, two, known, other = (
        keys(f"the {word} barks", "DT NN VBZ", 0, 2) for word in ("zorbing", "curling", "dog", "pug")
    )
    assert one == two
    assert len(one - known) == len(one - other) == templates_with("last word")


def test_the_first_word_has_a_class_of_its_own():
    one, two = (keys("Zip zap Zip", "A A A", *span, known=np.zeros(0, np.uint64)) for span in ((0, 1), (2, 3)))
    assert len(one - two) > templates_with("first word")


def test_edges_of_the_sentence_are_neighbours():
    whole, left = keys("dog", "NN", 0, 1), keys("dog barks", "NN VBZ", 0, 1)
    assert len(whole) == len(left) == len(TEMPLATES) - OF_ONE_WORD + 1
    beside = templates_with("tag after", "word after", "second tag after", "second tag", "ends")
    assert len(whole - left) == beside


@pytest.mark.parametrize("length", range(1, 13))
def test_long_spans_have_no_features_of_all_their_tags(length):
    tags = ["A", "B", "C"] * 5
    found = keys(" ".join(["dog"] * 15), " ".join(tags), 1, 1 + length)
    missing = templates_with("tags") * (length > MOST_TAGS) + templates_with("few tags") * (length > FEW_TAGS)
    missing += templates_with("runs of tags") * (length > MOST_RUNS) + OF_ONE_WORD * (length == 1)
    assert len(found) == len(TEMPLATES) - missing + min(length, 3)


def test_equal_neighbours_are_one_run():
    one, two = (keys(" ".join(["dog"] * len(tags)), " ".join(tags), 1, len(tags) - 1) for tags in ("XABBY", "XABBBY"))
    three = keys("dog dog dog dog dog", "X A B C Y", 1, 4)
    assert len(one - two) < len(one - three)
    assert len(one & two) > templates_with("first word", "last word")


def test_spans_have_the_same_features_together_as_alone():
    words, tags = "the dog barks at this dog", "DT NN VBZ IN DT NN"
    start, stop = np.array([0, 0, 3, 4]), np.array([2, 6, 6, 6])
    found = span_features(start, stop, words.split(), tags.split(), KNOWN)
    for k, (i, j) in enumerate(zip(start, stop, strict=True)):
        assert set(found.key[found.start[k] : found.start[k + 1]].tolist()) == keys(words, tags, i, j)
    assert (found.key != 0).all()


def test_no_spans_have_no_features():
    nothing = np.zeros(0, np.int64)
    found = span_features(nothing, nothing, ["dog"], ["NN"], KNOWN)
    assert (found.start.tolist(), len(found.key)) == ([0], 0)


def test_hashes_are_the_same_on_every_machine():
    assert hash_of("word", "the") == HASH_OF_THE
    assert hash_of("tag", "the") != hash_of("word", "the")
    assert hash_of("word", "\ud800") != hash_of("word", "\ud801")


def test_words_are_known_from_their_second_occurrence():
    found = known_words([["a", "b"], ["c", "a"]])
    assert found.tolist() == [hash_of("word", "a")]
    assert known_words([]).dtype == np.uint64
