"""Candidates of words are remembered, and not without end."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from grammars import random_grammar

from lpcfg_cli.parsing.candidates import REMEMBERED, WordCandidates


@pytest.fixture
def candidates():
    return WordCandidates(random_grammar(np.random.default_rng(0)))


@pytest.fixture
def looked_up(monkeypatch, candidates):
    """The words that were looked up in the grammar; all have the same candidates, since looking up takes a while."""
    answer, words = candidates.of_word("x", "t"), []
    monkeypatch.setattr(WordCandidates, "_look_up", lambda self, word, _: words.append(word) or answer)
    return words


def size(candidates):
    """Memory that an object holds, about."""
    return len(pickle.dumps(candidates))


@pytest.mark.parametrize(("is_member", "n_words"), [(False, 1_000_000), (True, 3 * REMEMBERED)])
def test_a_million_different_words_do_not_fill_the_memory(candidates, looked_up, is_member, n_words):
    words = candidates.of_sentence([("x", "t")])

    def ask(word):
        if is_member:
            candidates.like(words, [(word, "t")])
        else:
            candidates.of_word(word, "t")

    empty = size(candidates)
    for k in range(REMEMBERED):
        ask(f"word{k:07}")
    full = size(candidates)
    for k in range(n_words):
        ask(f"more{k:07}")
    assert empty < full
    assert size(candidates) == pytest.approx(full, rel=0.02)
    looked_up.clear()
    ask(f"more{n_words - 1:07}")
    assert looked_up == []
    ask("word0000000")
    assert looked_up == ["word0000000"]
