"""An L-PCFG whose trees branch to the right is a hidden Markov model: both give a sentence the same probability."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hmm_models import WORDS, all_sequences, random_hmm
from hypothesis import given, settings
from hypothesis import strategies as st

from lpcfg_cli.grammar.enumeration import all_trees
from lpcfg_cli.grammar.text_grammar import parse_grammar
from lpcfg_cli.grammar.tree_values import tree_values
from lpcfg_cli.text.vocabulary import END

LONGEST = 3


def right_branching(model):
    """S[h] goes on to W[h] S[g], with p(g | h) and no end in g, or is the last W[h], with the end in the next state.

    A tree has a word, so that its probability is that of a sequence that is not empty.
    """
    own, words = model.parameters, model.vocabulary.words
    stop, states = own.emission[END], range(model.n_states)
    lines = ["ROOT ->", *(f"  {float(own.initial[0, h] * (1 - stop[h])):.17f}  S[s{h}]" for h in states)]
    for h in states:
        lines.append(f"S[s{h}] ->")
        lines += [f"  {float(own.transition[h, g] * (1 - stop[g])):.17f}  W[s{h}] S[s{g}]" for g in states]
        lines.append(f"  {float(own.transition[h] @ stop):.17f}  W[s{h}]")
    for h in states:
        emitted = (f"{words[x]}*{float(own.emission[x, h]):.17f}" for x in range(WORDS, len(words)))
        lines.append(f"W[s{h}] = {' '.join(emitted)}")
    return parse_grammar("\n".join(lines) + "\n").grammar


def by_sentence(grammar, trees):
    """{words: probability}."""
    found = defaultdict(float)
    values = tree_values(grammar, trees)
    for t, value in enumerate(values):
        own = trees.word[trees.tree_start[t] : trees.tree_start[t + 1]]
        found[tuple(trees.strings[k] for k in own[own >= 0])] += value
    return found


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 3))
def test_sentences_have_the_same_probability(seed, m, symbols):
    model = random_hmm(seed, m, symbols)
    grammar = right_branching(model)
    found = by_sentence(grammar, all_trees(grammar, LONGEST))
    empty = model.value([END])
    expected = {
        tuple(model.vocabulary.spelled(numbers[:-1])): model.value(numbers) / (1 - empty)
        for numbers in all_sequences(model, LONGEST)[1:]
    }
    assert found == pytest.approx(expected, rel=1e-9)
    assert sum(found.values()) < 1
