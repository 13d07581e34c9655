"""Projective trees: the kernels against a definition that is written down as it is read."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpcfg_cli.dependency.trees.conll import read_conll
from lpcfg_cli.dependency.trees.projectivity import is_projective, projectivise
from lpcfg_cli.dependency.trees.sentence import DependencySentence

# the case D01 of ../shared/cases: arcs 1-4 and 3-5 of the second sentence cross
CASE = [[2, 3, 0], [2, 0, 2, 1, 3], [2, 3, 0]]


def sentence(heads, place="x:1"):
    n = len(heads)
    return DependencySentence(("w",) * n, ("T",) * n, np.array(heads, np.int32), ("dep",) * n, place=place)


def ancestors(heads, word):
    found = []
    while word > 0:
        word = heads[word - 1]
        found.append(word)
    return found


def is_tree(heads):
    """Whether heads lead from each word to 0, for heads that may have cycles."""
    for word in range(1, len(heads) + 1):
        above, steps = word, 0
        while above > 0 and steps <= len(heads):
            above, steps = heads[above - 1], steps + 1
        if above:
            return False
    return True


def all_trees(n):
    return [heads for heads in product(range(n + 1), repeat=n) if is_tree(heads)]


def arcs_cross_pair(one, other):
    (a, b), (c, d) = sorted([sorted(one), sorted(other)])
    return a < c < b < d


def arcs_cross(heads):
    return any(arcs_cross_pair(*pair) for pair in combinations([(head, word) for word, head in enumerate(heads, 1)], 2))


def is_projective_arc(heads, word):
    head = heads[word - 1]
    between = range(min(head, word) + 1, max(head, word))
    return all(head in ancestors(heads, other) for other in between)


def lifted(heads):
    """Nivre and Nilsson's algorithm, and the number of its lifts."""
    heads, lifts = list(heads), 0
    while wrong := [word for word in range(1, len(heads) + 1) if not is_projective_arc(heads, word)]:
        word = min(wrong, key=lambda word: (abs(word - heads[word - 1]), min(word, heads[word - 1])))
        heads[word - 1] = heads[heads[word - 1] - 1]
        lifts += 1
    return heads, lifts


@pytest.mark.parametrize("n", range(1, 6))
def test_every_tree_of_few_words_is_judged_and_lifted_right(n):
    trees = all_trees(n)
    assert len(trees) == (n + 1) ** (n - 1)  # Cayley's formula, with 0 as the root
    found = projectivise([sentence(heads) for heads in trees])
    for heads, result, lifts in zip(trees, found.sentences, found.lifts, strict=True):
        assert is_projective(np.array(heads)) == (not arcs_cross(heads)) == (lifts == 0)
        assert (result.heads.tolist(), lifts) == lifted(heads)
        assert not arcs_cross(result.heads.tolist())


@st.composite
def trees(draw, most=25):
    n = draw(st.integers(1, most))
    order = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for place, word in enumerate(order):
        heads[word - 1] = draw(st.sampled_from([0, *order[:place]]))
    return heads


@given(st.lists(trees(), max_size=3))
def test_longer_trees_are_lifted_right(corpus):
    found = projectivise([sentence(heads) for heads in corpus])
    assert [(one.heads.tolist(), lifts) for one, lifts in zip(found.sentences, found.lifts, strict=True)] == [
        lifted(heads) for heads in corpus
    ]
    for heads, crossing in zip(corpus, found.crossings.tolist(), strict=True):
        assert (crossing == [[0, 0], [0, 0]]) == (not arcs_cross(heads))
        if crossing != [[0, 0], [0, 0]]:
            assert all(heads[word - 1] == head for head, word in crossing)
            assert arcs_cross_pair(*crossing)
            pairs = combinations([(head, word) for word, head in enumerate(heads, 1) if head], 2)
            assert (0 in (crossing[0][0], crossing[1][0])) == (not any(arcs_cross_pair(*pair) for pair in pairs))


def test_d01_the_sentence_with_crossing_arcs_is_named():
    lines = []
    for heads in CASE:
        lines += [f"{k}\tw\t_\tT\tT\t_\t{head}\tdep\t_\t_" for k, head in enumerate(heads, 1)] + [""]
    found = projectivise(list(read_conll(lines, "train.conll")))
    assert found.n_changed == 1
    assert "1 sentence has some, first sentence 2 at train.conll:5 (arcs 1-4 and 3-5)" in found.message()
    assert [one.heads.tolist() for one in found.sentences] == [[2, 3, 0], [2, 0, 2, 2, 2], [2, 3, 0]]
    assert "2 words moved" in found.message()


def test_projective_sentences_are_left_as_they_are():
    before = [sentence([2, 0]), sentence([0, 0])]
    found = projectivise(before)
    assert found.sentences[0] is before[0] and found.sentences[1] is before[1]
    assert (found.n_changed, found.message()) == (0, "")
    assert projectivise([]).sentences == []


def test_the_root_counts_as_standing_before_the_sentence():
    assert not is_projective(np.array([3, 0, 2]))  # the arc 3-1 is over the root
    assert is_projective(np.array([3, -1, 0]))  # a word without a head has no arc
