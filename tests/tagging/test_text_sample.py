"""Samples of the sentences of a text."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.tagging.sampling import FEW, draw_sentences
from lpcfg_cli.tagging.sentence import InputSentence


def sentences(*lines):
    return [InputSentence([(word, "?") for word in line.split()]) for line in lines]


def draw(found, number=99, shortest=1, longest=9, seed=0):
    return draw_sentences(found, number, shortest, longest, np.random.default_rng(seed))


def test_a_text_smaller_than_the_sample_is_taken_whole_in_order_without_copies():
    sample = draw(sentences("b c", "a", "", "b c", "d e f g"), shortest=2, longest=3)
    assert sample.sentences == [("b", "c")]
    assert (sample.fitting, sample.others, sample.unreadable) == (2, 2, 0)
    assert draw(sentences("b", "a", "c")).sentences == [("b",), ("a",), ("c",)]


def test_lines_that_are_no_text_are_counted_and_left_out():
    broken = InputSentence([], problem=SyntaxProblem("a.txt", 1, 1, "a control character", "text", "Mend it."))
    sample = draw([broken, *sentences("a b")])
    assert (sample.sentences, sample.unreadable, sample.others) == ([("a", "b")], 1, 0)


def test_every_sentence_is_drawn_with_the_same_probability():
    text = sentences(*map(str, range(10)))
    drawn = Counter(words for seed in range(3000) for words in draw(text, 3, seed=seed).sentences)
    assert sum(drawn.values()) == 9000
    # 900 each, with a standard deviation of 25
    assert 800 < min(drawn.values()) <= max(drawn.values()) < 1000


def test_the_seed_decides():
    text = sentences(*map(str, range(100)))
    assert draw(text, 5, seed=1) == draw(text, 5, seed=1)
    assert draw(text, 5, seed=1) != draw(text, 5, seed=2)


@pytest.mark.parametrize(("line", "expected"), [("it rains.", True), ("it rains .", False), ("it rains", False)])
def test_running_text_is_told_by_its_full_stops(line, expected):
    lines = [f"{k} {line}" for k in range(FEW)]
    assert draw(sentences(*lines)).seems_running == expected
    assert not draw(sentences(*lines[:-1])).seems_running
