"""Features of candidate trees and the averaged perceptron, against readable twins, and lists as flat arrays."""

from __future__ import annotations

from collections import defaultdict
from itertools import product

import numpy as np
import pytest

from lpcfg_cli.arrays.ragged import positions_of, starts
from lpcfg_cli.config import DependencyRerankSettings
from lpcfg_cli.dependency.reranking.feature_kernels import tree_features
from lpcfg_cli.dependency.reranking.features import learn_space
from lpcfg_cli.dependency.reranking.learners import RERANK_LEARNERS, train_reranker
from lpcfg_cli.dependency.reranking.linear import LinearReranker, RerankTask
from lpcfg_cli.dependency.reranking.lists import (
    best_candidates,
    candidate_trees,
    joined,
    lists_of,
    part_of,
    with_log_probabilities,
)
from lpcfg_cli.dependency.reranking.log_linear import Training
from lpcfg_cli.dependency.reranking.perceptron_kernels import learn
from lpcfg_cli.dependency.trees.sentence import DependencySentence
from lpcfg_cli.reranking.lists import spread

TAGS = ("DT", "NN", "VB", "RB")
NUMBERS = {tag: number for number, tag in enumerate(TAGS)}
N_TAGS = len(TAGS) + 2
ROOT = N_TAGS - 1


def random_heads(rng, n):
    """Heads of a random tree, perhaps with crossing arcs: each word hangs on an earlier one of a random order."""
    order, heads = rng.permutation(n), np.zeros(n, np.int32)
    for position, word in enumerate(order[1:], 1):
        heads[word] = order[rng.integers(position)] + 1
    return heads


def random_sentences(rng, count, k=5, good=0.0):
    """Sentences with k candidates each; the gold tree is the one that the parser likes best with the given share."""
    sentences, found = [], []
    for _ in range(count):
        n = int(rng.integers(1, 8))
        tags = tuple(rng.choice(TAGS, n))
        trees = [random_heads(rng, n) for _ in range(k)]
        gold = 0 if rng.random() < good else int(rng.integers(k))
        sentences.append(DependencySentence(tags, tags, trees[gold], ("_",) * n))
        found.append([(tree, -float(rank)) for rank, tree in enumerate(trees)])
    return sentences, found


def random_lists(rng, count, k=5):
    sentences, found = random_sentences(rng, count, k)
    counted = [rng.random(len(sentence)) < 0.8 for sentence in sentences]
    lists = lists_of(sentences, found, NUMBERS, counted)
    return with_log_probabilities(lists, np.round(rng.normal(size=len(lists.scores)), 1))


def triples(tags, heads):
    """The features of a tree, from their definition (D12 §4.3)."""
    found = []
    for head in range(len(tags)):
        left = [w for w in range(head) if heads[w] == head + 1]
        right = [w for w in range(head + 1, len(tags)) if heads[w] == head + 1]
        found += [(0, tags[l], tags[head], tags[r]) for l, r in product(left, right)]
        above = ROOT if heads[head] == 0 else tags[heads[head] - 1]
        found += [(1, tags[w], tags[head], above) for w in left]
        found += [(2, tags[w], tags[head], above) for w in right]
    return sorted(found)


def code(kind, first, second, third):
    return kind * N_TAGS**3 + (first * N_TAGS + second) * N_TAGS + third


def test_positions_of_blocks():
    start = starts([2, 0, 3, 1])
    assert positions_of(start, np.array([2, 0, 1, 2])).tolist() == [2, 3, 4, 0, 1, 2, 3, 4]
    assert positions_of(start, np.zeros(0, np.int64)).tolist() == []


@pytest.mark.parametrize("seed", range(5))
def test_features_are_the_papers_triples(seed):
    lists = random_lists(np.random.default_rng(seed), 20)
    first, features = tree_features(lists.start, lists.tags, lists.heads, N_TAGS)
    for c in range(len(lists.scores)):
        own = slice(lists.start[c], lists.start[c + 1])
        wanted = [code(*triple) for triple in triples(lists.tags[own], lists.heads[own])]
        assert sorted(features[first[c] : first[c + 1]].tolist()) == sorted(wanted)


def test_features_of_a_tree_by_hand():
    """the old man quickly saw it: man ← saw → it, quickly on saw too."""
    tags = np.array([0, 1, 3, 2, 1], np.int32)
    heads = np.array([2, 4, 4, 0, 4], np.int32)
    first, features = tree_features(np.array([0, 5]), tags, heads, N_TAGS)
    DT, NN, VB, RB = range(4)
    wanted = [
        (1, DT, NN, VB),
        (1, NN, VB, ROOT),
        (1, RB, VB, ROOT),
        (2, NN, VB, ROOT),
        (0, NN, VB, NN),
        (0, RB, VB, NN),
    ]
    assert sorted(features.tolist()) == sorted(code(*triple) for triple in wanted)
    assert first.tolist() == [0, 6]


def test_lists_count_errors_of_counted_words_only():
    gold = np.array([2, 0, 2], np.int32)
    sentence = DependencySentence(("a", "b", "c"), ("DT", "XX", "NN"), gold, ("_",) * 3)
    found = [(gold, 1.0), (np.array([3, 3, 0], np.int32), 0.5)]
    lists = lists_of([sentence], [found], NUMBERS, [np.array([True, True, False])])
    assert lists.errors.tolist() == [0, 2] and lists.scores.tolist() == [1.0, 0.5]
    assert lists.tags.tolist() == [0, 4, 1] * 2, "an unknown tag has the number after the known ones"
    assert lists.heads_of(1).tolist() == [3, 3, 0]
    trees = list(candidate_trees([sentence], [found]))
    assert [tree.heads.tolist() for tree in trees] == [[2, 0, 2], [3, 3, 0]] and trees[1].forms == ("a", "b", "c")


def test_parts_and_their_union_are_the_lists():
    rng = np.random.default_rng(1)
    lists = random_lists(rng, 9)
    order = rng.permutation(9)
    there = part_of(lists, order)
    back = part_of(there, np.argsort(order))
    halves = joined([part_of(lists, np.arange(4)), part_of(lists, np.arange(4, 9))])
    for name in ("first", "start", "tags", "heads", "scores", "log_probabilities", "errors"):
        assert np.array_equal(getattr(back, name), getattr(lists, name)), name
        assert np.array_equal(getattr(halves, name), getattr(lists, name)), name
    assert len(there) == 9 and not np.array_equal(there.heads, lists.heads)


def features_as_sets(space, lists):
    first, features = space.features(lists)
    return [sorted(features[first[c] : first[c + 1]].tolist()) for c in range(len(lists.scores))]


def test_a_space_knows_the_features_of_its_lists_and_ignores_others():
    rng = np.random.default_rng(2)
    lists, others = random_lists(rng, 3, 2), random_lists(rng, 30)
    space = learn_space(lists, N_TAGS, 0)
    known = {code(*t) for c in range(6) for t in triples(lists.tags[slice(*lists.start[c : c + 2])], lists.heads_of(c))}
    assert set(space.triples.tolist()) == known and not len(space.edges)
    for c, found in enumerate(features_as_sets(space, others)):
        own = slice(others.start[c], others.start[c + 1])
        wanted = [code(*triple) for triple in triples(others.tags[own], others.heads[own])]
        assert space.triples[found].tolist() == sorted(one for one in wanted if one in known)


def test_bins_of_log_probabilities_are_relative_to_the_first_candidate():
    rng = np.random.default_rng(3)
    lists = random_lists(rng, 40)
    space = learn_space(lists, N_TAGS, 4)
    assert len(space.edges) == 4 and (np.diff(space.edges) > 0).all()
    shifted = with_log_probabilities(lists, lists.log_probabilities + np.repeat(rng.integers(9, size=40), 5))
    relative = lists.log_probabilities.reshape(40, 5) - lists.log_probabilities.reshape(40, 5)[:, :1]
    for c, found in enumerate(features_as_sets(space, lists)):
        bins = [f - len(space.triples) for f in found if f >= len(space.triples)]
        assert bins == [b for b in range(4) if relative.ravel()[c] >= space.edges[b]]
    edges = learn_space(shifted, N_TAGS, 4).edges
    assert np.allclose(edges, space.edges)


def perceptron(order, lists, base, features, wanted):
    """Averaged weights of the perceptron of Collins (2002), with all steps kept."""
    weights, total = defaultdict(float), defaultdict(float)
    for s in order:
        own = range(lists.first[s], lists.first[s + 1])
        found = max(own, key=lambda c: (base[c] + sum(weights[f] for f in features[c]), -c))
        if lists.errors[found] > lists.errors[wanted[s]]:
            for f in features[wanted[s]]:
                weights[f] += 1
            for f in features[found]:
                weights[f] -= 1
        for f, weight in weights.items():
            total[f] += weight
    return {f: weight / len(order) for f, weight in total.items()}


@pytest.mark.parametrize("seed", range(4))
def test_the_kernel_learns_what_the_definition_says(seed):
    rng = np.random.default_rng(seed)
    lists = random_lists(rng, 30)
    space = learn_space(lists, N_TAGS, 3)
    base = 0.5 * lists.scores
    order = np.concatenate([rng.permutation(30) for _ in range(3)])
    weights = np.zeros(len(space))
    learn(order, lists.first, base, *space.features(lists), best_candidates(lists), lists.errors, weights)
    wanted = perceptron(order, lists, base, features_as_sets(space, lists), best_candidates(lists))
    assert any(abs(weight) > 0.1 for weight in wanted.values())
    assert np.allclose(weights, [wanted.get(f, 0.0) for f in range(len(space))])


def test_the_best_candidates_have_the_fewest_errors_and_come_first():
    lists = random_lists(np.random.default_rng(5), 50, 4)
    errors = lists.errors.reshape(50, 4)
    assert best_candidates(lists).tolist() == (errors.argmin(1) + 4 * np.arange(50)).tolist()


def wrong_trees_of(rng, good=0.3):
    """Lists of three parts whose log-probabilities tell the errors."""
    parts = []
    for _ in range(3):
        sentences, found = random_sentences(rng, 60, good=good)
        lists = lists_of(sentences, found, NUMBERS, [np.ones(len(one), bool) for one in sentences])
        parts.append(with_log_probabilities(lists, -0.5 * lists.errors.astype(float)))
    return parts


def settings(learner, bins=0):
    return DependencyRerankSettings(learner=learner, bins=bins, epochs=4)


@pytest.mark.parametrize(("learner", "bins"), [("perceptron", 0), ("perceptron", 6), ("log-linear", 0)])
def test_a_reranker_learns_from_log_probabilities_that_tell_the_errors(learner, bins):
    parts = wrong_trees_of(np.random.default_rng(6))
    lists = joined(parts)
    blind, told, again = (
        train_reranker(RerankTask(parts, N_TAGS, uses_model, settings(learner, bins), 1)) for uses_model in (0, 1, 1)
    )

    def wrong(chosen):
        return int(lists.errors[chosen].sum())

    first = int(lists.errors[lists.first[:-1]].sum())
    assert wrong(told.choose(lists)) < 0.25 * first and wrong(told.choose(lists)) < 0.5 * wrong(blind.choose(lists))
    assert blind.log_weight == 0 and (told.log_weight > 0) == (bins == 0)
    assert np.array_equal(again.weights, told.weights) and again.score_weight == told.score_weight


@pytest.mark.parametrize("learner", RERANK_LEARNERS)
def test_a_reranker_leaves_a_parser_alone_that_is_right(learner):
    parts = wrong_trees_of(np.random.default_rng(7), good=1.0)
    lists = joined(parts)
    reranker = train_reranker(RerankTask(parts, N_TAGS, False, settings(learner), 1))
    assert np.array_equal(reranker.choose(lists), lists.first[:-1]) and reranker.score_weight > 0
    assert spread(lists.first, lists.scores) > 1


def test_scores_are_the_weighted_sum_and_the_first_of_equal_ones_is_chosen():
    rng = np.random.default_rng(8)
    lists = random_lists(rng, 12)
    space = learn_space(lists, N_TAGS, 3)
    reranker = LinearReranker(space, rng.integers(-1, 2, len(space)).astype(float), 0.5, 2.0)
    features = features_as_sets(space, lists)
    wanted = [
        0.5 * score + 2.0 * log + sum(reranker.weights[f] for f in own)
        for score, log, own in zip(lists.scores, lists.log_probabilities, features, strict=True)
    ]
    assert np.allclose(reranker.scores(lists), wanted)
    chosen = [max(range(5 * s, 5 * s + 5), key=lambda c: (round(wanted[c], 9), -c)) for s in range(12)]
    assert reranker.choose(lists).tolist() == chosen


@pytest.mark.parametrize("uses_model", [False, True])
def test_the_objective_is_its_definition_and_the_gradient_its_slope(uses_model):
    rng = np.random.default_rng(9)
    lists = random_lists(rng, 8)
    training = Training.of(lists, learn_space(lists, N_TAGS, 2), uses_model)
    objective = training.objective
    weights = rng.normal(size=objective.matrix.shape[1])
    d, total = 1 + uses_model, 0.0
    rows = objective.matrix.toarray()
    assert np.allclose(rows[:, 0] * training.units[0], np.ravel([row - row[0] for row in lists.scores.reshape(8, 5)]))
    for s in range(8):
        own = range(5 * s, 5 * s + 5)
        likely = [float(np.exp(rows[c] @ weights)) for c in own]
        good = [p for p, c in zip(likely, own, strict=True) if lists.errors[c] == min(lists.errors[5 * s : 5 * s + 5])]
        total -= np.log(sum(good) / sum(likely))
    value, gradient = objective.value(weights, 0.3)
    assert value == pytest.approx(total + 0.15 * (weights[d:] ** 2).sum())
    step = 1e-6
    for k in (0, d - 1, d, d + 3, len(weights) - 1):
        moved = weights + step * (np.arange(len(weights)) == k)
        assert (objective.value(moved, 0.3)[0] - value) / step == pytest.approx(gradient[k], abs=1e-3)


def test_the_minimum_has_no_slope():
    lists = random_lists(np.random.default_rng(10), 20)
    training = Training.of(lists, learn_space(lists, N_TAGS, 0), True)
    found = training.reranker(1.0)
    weights = np.concatenate([[found.score_weight, found.log_weight] * training.units, found.weights])
    assert np.abs(training.objective.value(weights, 1.0)[1]).max() < 0.02
