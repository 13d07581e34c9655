"""One tree of several parsers' trees: votes by hand, all nestings by enumeration, and what must always hold."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpcfg_cli.errors import InputError
from lpcfg_cli.parsing.combination import best_chain, combined
from lpcfg_cli.parsing.nesting_kernels import best_nesting
from lpcfg_cli.treebank.brackets import bracket_strings, treebank_from_text

WORDS = "abcdef"


def combine(texts, weights=None, threshold=0.5):
    """One tree of each sentence, from files as texts."""
    names = [f"{k}.mrg" for k in range(1, len(texts) + 1)]
    trees = [treebank_from_text(text) for text in texts]
    return list(combined(trees, weights or [1.0] * len(texts), threshold, names))


def brackets(line):
    """The brackets of a tree: (label, number of its occurrence over the span, start, stop)."""
    trees = treebank_from_text(line)
    start, stop = trees.spans()
    found = Counter()
    for node in np.flatnonzero(trees.word < 0):
        bracket = (trees.strings[trees.label[node]], int(start[node]), int(stop[node]))
        found[bracket] += 1
    return {(label, k, i, j) for (label, i, j), count in found.items() for k in range(count)}


def crosses(one, other):
    (i, j), (a, b) = one, other
    return i < a < j < b or a < i < b < j


def best_by_enumeration(gain):
    """The largest sum of gains of spans of which no two cross."""
    n = len(gain)
    spans = [(i, j) for i in range(n) for j in range(i + 1, n + 1) if gain[i, j] > 0]
    sets = itertools.chain.from_iterable(itertools.combinations(spans, size) for size in range(len(spans) + 1))
    nested = (some for some in sets if not any(crosses(*pair) for pair in itertools.combinations(some, 2)))
    return max(sum(gain[span] for span in some) for some in nested)


def nesting_twin(gain):
    """The same sum by recursion over spans."""

    def best(i, j):
        inner = max((best(i, k) + best(k, j) for k in range(i + 1, j)), default=0.0)
        return inner + max(gain[i, j], 0.0)

    return best(0, len(gain))


@st.composite
def trees(draw, n=None):
    """A random tree over the first letters of the alphabet, with chains of brackets over one span."""

    def build(i, j):
        inner = f"({draw(st.sampled_from('tu'))} {WORDS[i]})"
        if j - i > 1:
            cuts = sorted(draw(st.sets(st.integers(i + 1, j - 1), min_size=1)))
            inner = " ".join(build(a, b) for a, b in itertools.pairwise((i, *cuts, j)))
        least = int((i, j) == (0, n))
        labels = draw(st.lists(st.sampled_from("AB"), min_size=least, max_size=2))
        if j - i > 1 and not labels:
            labels = ["A"]
        for label in labels:
            inner = f"({label} {inner})"
        return inner

    n = n or draw(st.integers(1, len(WORDS)))
    return build(0, n)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.floats(0.2, 1))
def test_the_nesting_with_the_largest_gain_is_found(seed, n, share):
    rng = np.random.default_rng(seed)
    gain = np.where(rng.random((n, n + 1)) < share, rng.normal(0, 1, (n, n + 1)), -np.inf)
    if np.count_nonzero(np.triu(gain, 1) > 0) > 9:
        gain[:, ::2] = -np.inf
    chosen = best_nesting(gain)
    spans = [(int(i), int(j)) for i, j in np.argwhere(chosen)]
    assert all(gain[span] > 0 and span[0] < span[1] for span in spans)
    assert not any(crosses(*pair) for pair in itertools.combinations(spans, 2))
    total = sum(gain[span] for span in spans)
    assert total == pytest.approx(best_by_enumeration(gain)) == pytest.approx(nesting_twin(gain))


@given(st.integers(1, len(WORDS)).flatmap(lambda n: st.lists(trees(n), min_size=1, max_size=5)))
def test_brackets_of_more_than_half_are_kept_and_all_others_are_not(texts):
    (line,) = combine(texts)
    votes = Counter(bracket for text in texts for bracket in brackets(text))
    majority = {bracket for bracket, count in votes.items() if 2 * count > len(texts)}
    found, n = brackets(line), max(stop for *_, stop in votes)
    assert found <= set(votes)
    spans = {bracket[2:] for bracket in majority}
    assert {bracket[2:] for bracket in found} - {(0, n)} <= spans
    chains = {span: {frozenset(b for b in brackets(text) if b[2:] == span) for text in texts} for span in spans}
    for span, ways in chains.items():
        wanted = {bracket for bracket in majority if bracket[2:] == span}
        if wanted in ways:  # some parser has just these over the span
            assert {bracket for bracket in found if bracket[2:] == span} == wanted


@given(trees(), st.integers(1, 4))
def test_equal_trees_give_that_tree(text, n):
    assert combine([text] * n) == list(bracket_strings(treebank_from_text(text)))


@given(st.integers(1, len(WORDS)).flatmap(lambda n: st.tuples(trees(n), trees(n))))
def test_a_file_with_most_of_the_weight_wins(two):
    (line,) = combine(two, [3.0, 1.0])
    assert line == next(iter(bracket_strings(treebank_from_text(two[0]))))


def test_votes_by_hand():
    one = "(S (NP (D a) (N b)) (VP (V c) (NP (N d))))"
    two = "(S (NP (D a) (N b)) (V c) (N d))"
    three = "(S (D a) (X (N b) (VP (W c) (N d))))"
    assert combine([one, two, three]) == ["(S (NP (D a) (N b)) (VP (V c) (N d)))"]
    assert combine([one, two, three], threshold=0.3) == ["(S (NP (D a) (N b)) (VP (V c) (NP (N d))))"]
    assert combine([one, two, three], threshold=0.9) == ["(S (D a) (N b) (V c) (N d))"]
    assert combine([one, two, three], [1, 1, 5]) == ["(S (D a) (X (N b) (VP (W c) (N d))))"]


def test_brackets_that_cross_are_weighed_together():
    left, right = "(S (X (a a) (b b)) (c c) (d d))", "(S (a a) (Y (Z (b b) (c c)) (d d)))"
    assert combine([left, right], [1.2, 1.0], 0.3) == [right]  # 0.55 − 0.3 is less than twice 0.45 − 0.3


def test_a_root_stays_even_if_no_half_has_it():
    assert combine(["(A (t a) (t b))", "(B (t a) (t b))", "(C (t a) (t b))"], [1, 2, 1]) == ["(B (t a) (t b))"]


def test_repeated_brackets_count_apart():
    twice, once = "(S (A (A (t a))) (t b))", "(S (A (t a)) (t b))"
    assert combine([twice, once, once]) == [once]
    assert combine([twice, twice, once]) == [twice]


def test_the_gain_of_a_chain_counts_what_other_chains_have_too():
    chain, gain = best_chain({("S", "VP"): 0.3, ("VP",): 0.4, ("NP",): 0.3}, 0.45)
    assert (chain, gain) == (("VP",), pytest.approx(0.7 - 0.45))


def test_null_trees_do_not_vote():
    one, two = "(())(A (t a))", "(B (t b))(B (t a))"
    assert combine([one, two], [2, 1]) == ["(B (t b))", "(A (t a))"]
    assert combine(["(())", "(())"]) == ["(())"]


def test_other_words_are_refused():
    with pytest.raises(
        InputError, match=r"3.mrg: tree 2 has other words than in 1.mrg: word 2 is 'b' there and 'c' here"
    ):
        combine(["(A (t a))(A (t a) (t b))"] * 2 + ["(A (t a))(A (t a) (t c))"])
    with pytest.raises(InputError, match=r"1 words there and 2 here|2 words there and 1 here"):
        combine(["(A (t a) (t b))", "(A (t a))"])
