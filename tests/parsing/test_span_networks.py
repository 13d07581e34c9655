"""Networks of span models: scores and gradients against their definition, batches, vocabularies and learning."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import span_twin

from lpcfg_cli.config import SpanSettings
from lpcfg_cli.parsing.spans.batches import pack, packed, span_numbers
from lpcfg_cli.parsing.spans.learning import (
    UNKNOWN_AS_IF,
    Example,
    chain_posteriors,
    example_of,
    learn,
    likelihood_gradient,
    sizes_of,
)
from lpcfg_cli.parsing.spans.network import Columns, Dropout, chain_scores, score_gradient
from lpcfg_cli.parsing.spans.parameters import Sizes, initial_parameters, named, shapes_of, states_of_layers
from lpcfg_cli.parsing.spans.vocabulary import EDGE, FIRST, UNKNOWN, Vocabulary, spelling, vocabulary_of
from lpcfg_cli.treebank.brackets import treebank_from_text
from lpcfg_cli.treebank.chains import TreeChains, tree_chains

SIZES = Sizes(word=7, tag=5, spelling=6, chains=4, states=(4, 5))
LENGTHS = [3, 6, 1, 4, 4]


def problem(seed, lengths=LENGTHS):
    """Parameters in double precision, so that differences show the slope, and random sentences."""
    rng = np.random.default_rng(seed)
    flat = initial_parameters(SIZES, rng).astype(float)
    limits = (SIZES.word, SIZES.tag, SIZES.spelling)
    columns = [Columns(*(rng.integers(1, limit, n) for limit in limits)) for n in lengths]
    return flat, columns, pack(lengths)


def scores_of(flat, columns, batch, dropout=None):
    return chain_scores(named(flat, SIZES), columns, batch, dropout)


def some_parameters(rng, each=12):
    """Places of some parameters of every array."""
    places = named(np.arange(sum(np.prod(shape) for shape in shapes_of(SIZES).values())), SIZES)
    return np.concatenate([rng.choice(part.ravel(), min(each, part.size), replace=False) for part in places.values()])


# --- batches


def test_places_mirror_each_other_and_gaps_are_between_them():
    batch = pack([2, 3])
    assert batch.order.tolist() == [1, 0]
    rows = packed([np.array([5, 6]), np.array([7, 8, 9])], EDGE, batch).tolist()
    assert rows == [0, 0, 7, 5, 8, 6, 9, 0, 0]  # place by place, of the longer sentence and of the shorter one
    assert [rows[k] for k in batch.mirror] == [0, 0, 9, 6, 8, 5, 7, 0, 0]
    between = [(rows[a], rows[b]) for a, b in zip(batch.gap_row, batch.row_after, strict=True)]
    assert between == [(0, 7), (7, 8), (8, 9), (9, 0), (0, 5), (5, 6), (6, 0)]
    spans = [(b - a, int(a - batch.gap_start[0])) for a, b in zip(batch.left[:6], batch.right[:6], strict=True)]
    assert spans == [(1, 0), (2, 0), (3, 0), (1, 1), (2, 1), (1, 2)]


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_spans_are_numbered_in_the_order_of_a_batch(n):
    batch = pack([n])
    np.testing.assert_array_equal(span_numbers(batch.left, batch.right, n), np.arange(n * (n + 1) // 2))


def test_the_first_layer_has_half_as_many_states():
    assert [states_of_layers(states) for states in (200, 5, 1)] == [(100, 200), (2, 5), (1, 1)]


# --- scores and their gradient


@pytest.mark.parametrize("seed", range(4))
def test_scores_are_those_of_their_definition(seed):
    flat, columns, batch = problem(seed)
    scores, _ = scores_of(flat, columns, batch)
    for place, number in enumerate(batch.order):
        own = scores[batch.span_start[place] : batch.span_start[place + 1]]
        np.testing.assert_allclose(own, span_twin.scores(named(flat, SIZES), columns[number]), rtol=1e-9, atol=1e-12)


def test_a_word_with_open_tags_has_the_expected_vector_of_its_tag():
    flat, columns, batch = problem(0)
    rng = np.random.default_rng(1)
    shares = rng.dirichlet(np.ones(SIZES.tag), 6)
    some = [*columns[:1], columns[1]._replace(shares=shares), *columns[2:]]
    scores, _ = scores_of(flat, some, batch)
    parameters = named(flat, SIZES)
    place = batch.order.tolist().index(1)
    own = scores[batch.span_start[place] : batch.span_start[place + 1]]
    vectors = np.vstack([parameters["tag"][EDGE], shares @ parameters["tag"]])
    expected = span_twin.scores({**parameters, "tag": vectors}, columns[1]._replace(tag=np.arange(1, 7)))
    np.testing.assert_allclose(own, expected, rtol=1e-9, atol=1e-12)
    others = np.ones(len(scores), bool)
    others[batch.span_start[place] : batch.span_start[place + 1]] = False
    np.testing.assert_array_equal(scores[others], scores_of(flat, columns, batch)[0][others])


def test_single_precision_differs_by_rounding_only():
    flat, columns, batch = problem(0)
    single, _ = scores_of(flat.astype(np.float32), columns, batch)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, scores_of(flat, columns, batch)[0], atol=1e-4)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("share", [None, 0.3])
def test_the_gradient_of_scores_is_that_of_differences(seed, share):
    flat, columns, batch = problem(seed)
    target = np.random.default_rng(seed).normal(size=(len(batch.left), SIZES.chains))

    def worth(flat):
        dropout = None if share is None else Dropout(np.random.default_rng(5), share)
        scores, reading = scores_of(flat, columns, batch, dropout)
        return float((scores * target).sum()), reading

    found = np.zeros_like(flat)
    score_gradient(target, named(flat, SIZES), worth(flat)[1], batch, named(found, SIZES))
    for place in some_parameters(np.random.default_rng(seed)):
        above, below = flat.copy(), flat.copy()
        above[place] += 1e-6
        below[place] -= 1e-6
        slope = (worth(above)[0] - worth(below)[0]) / 2e-6
        assert found[place] == pytest.approx(slope, rel=1e-5, abs=1e-6)


def test_what_is_left_out_leaves_means_as_they_are():
    dropout = Dropout(np.random.default_rng(0), 0.4)
    inputs, (vectors, factor) = dropout.of_inputs((400, 200)), dropout.of_vectors((400, 200))
    assert set(np.unique(inputs)) == {0, np.float32(1) / np.float32(0.6)}
    assert inputs.mean() == pytest.approx(1, abs=0.02)
    assert (vectors * factor).mean() == pytest.approx(1, abs=0.02)
    assert vectors.mean() == pytest.approx(0.8, abs=0.01)


# --- posteriors of chains


def trees_over(n):
    """All sets of spans of n words of which no two cross."""
    spans = [(i, j) for i in range(n) for j in range(i + 1, n + 1)]
    for size in range(len(spans) + 1):
        for chosen in combinations(spans, size):
            if all(not (a[0] < b[0] < a[1] < b[1]) for a in chosen for b in chosen):
                yield [spans.index(span) for span in chosen]


@pytest.mark.parametrize("seed", range(3))
def test_posteriors_are_those_over_all_trees_with_all_chains(seed):
    batch = pack([3])
    scores = np.random.default_rng(seed).normal(0, 2, (6, 2)).astype(np.float32)
    odds = np.exp(scores.astype(float))
    trees = [(tree, np.prod([odds[s].sum() for s in tree])) for tree in trees_over(3)]
    total = sum(weight for _, weight in trees)
    expected = [
        [sum(weight / odds[s].sum() * odds[s, c] for tree, weight in trees if s in tree) / total for c in (0, 1)]
        for s in range(6)
    ]
    posterior, logarithm = chain_posteriors(scores, batch)
    np.testing.assert_allclose(posterior, expected, atol=1e-6)
    assert logarithm[0] == pytest.approx(np.log(total), rel=1e-6)


# --- vocabularies

TEXT = "(S (NP (DT The) (NN man)) (VP (VBD saw) (NP (DT the) (NN man))))" * 3
ODD = "(S (X (NP (NN man-made))))"


def test_what_is_rare_is_not_known():
    trees = list(tree_chains(treebank_from_text(TEXT + ODD)))
    vocabulary, counts = vocabulary_of(trees)
    assert vocabulary.words == ("The", "man", "saw", "the", "man-made")
    assert counts["man"] == 6
    assert vocabulary.tags == ("DT", "NN", "VBD")
    assert set(vocabulary.spellings) == {"Cthe", "lman", "lsaw", "lthe"}  # that of man-made occurs once
    assert vocabulary.chains == (("NP",), ("S",), ("VP",))
    columns = vocabulary.columns(["saw", "zebra"], ["NN", "ZZ"])
    assert [part.tolist() for part in columns[:3]] == [[FIRST + 2, UNKNOWN], [FIRST + 1, UNKNOWN], [FIRST + 2, UNKNOWN]]


def test_a_chain_that_is_not_known_is_its_longest_known_part():
    vocabulary = Vocabulary((), (), (), (("A",), ("B", "C"), ("C",)))
    assert vocabulary.chain_number(("A", "B", "C")) == 1
    assert vocabulary.chain_number(("C", "A")) == 2  # the topmost of those of one length
    assert vocabulary.chain_number(("D",)) is None


@pytest.mark.parametrize(
    ("word", "expected"), [("Man-made", "C-ade"), ("1st", "d1st"), ("a", "la"), ("ÉTÉ", "Cété"), ("", "l")]
)
def test_spellings(word, expected):
    assert spelling(word) == expected


# --- learning


def examples_of(text):
    trees = list(tree_chains(treebank_from_text(text)))
    vocabulary, counts = vocabulary_of(trees)
    return [example_of(tree, vocabulary, counts) for tree in trees], vocabulary


def test_an_example_has_the_constituents_of_its_tree():
    examples, vocabulary = examples_of(TEXT + ODD)
    chains = [vocabulary.chains[chain] for chain in examples[0].chain]
    spans = dict(zip(examples[0].span.tolist(), chains, strict=True))
    number = {
        span: int(span_numbers(np.array([span[0]]), np.array([span[1]]), 5)[0]) for span in ((0, 5), (0, 2), (2, 5))
    }
    assert [spans[number[span]] for span in number] == [("S",), ("NP",), ("VP",)]
    np.testing.assert_allclose(examples[0].chance[:3], UNKNOWN_AS_IF / (UNKNOWN_AS_IF + np.array([3, 6, 3])))
    unknown = example_of(TreeChains(["x"], ["NN"], {(0, 1): ("Q",)}), vocabulary, {})
    assert (unknown.span.tolist(), unknown.chance.tolist()) == ([], [1.0])


def test_the_gradient_of_the_likelihood_is_that_of_differences():
    flat, columns, _ = problem(1, [3, 2])
    trees = ([0, 2, 3], [2])
    some = [
        Example(one, np.zeros(len(one.word)), np.array(tree), np.arange(len(tree)) % SIZES.chains)
        for one, tree in zip(columns, trees, strict=True)
    ]

    def likelihood(flat):
        found = np.zeros_like(flat)
        total = likelihood_gradient(
            some, named(flat, SIZES), named(found, SIZES), Dropout(np.random.default_rng(2), 0.2)
        )
        return total, found

    _, found = likelihood(flat)
    for place in some_parameters(np.random.default_rng(0), 6):
        above, below = flat.copy(), flat.copy()
        above[place] += 1e-4
        below[place] -= 1e-4
        slope = (likelihood(above)[0] - likelihood(below)[0]) / 2e-4 / len(some)
        assert found[place] == pytest.approx(slope, rel=1e-3, abs=1e-5)


SETTINGS = SpanSettings(networks=1, states=8, passes=6)


def test_learning_raises_the_likelihood_and_depends_on_the_seed_alone():
    examples, vocabulary = examples_of(TEXT * 8)
    sizes = sizes_of(vocabulary, states_of_layers(SETTINGS.states))
    first, again, other = (learn(examples, sizes, SETTINGS, np.random.default_rng(seed)) for seed in (0, 0, 1))
    assert len(first.likelihood) == SETTINGS.passes
    assert first.likelihood[-1] > first.likelihood[0]
    assert first.likelihood == again.likelihood != other.likelihood
    np.testing.assert_array_equal(first.parameters, again.parameters)


def test_a_network_learns_its_trees_by_heart():
    examples, vocabulary = examples_of(TEXT + "(S (NP (DT The) (NN man)) (VP (VBD ran)))" * 3)
    settings = replace(SETTINGS, passes=200, dropout=0.0, states=8, rate=0.01)
    sizes = sizes_of(vocabulary, states_of_layers(settings.states))
    parameters = named(learn(examples, sizes, settings, np.random.default_rng(0)).parameters, sizes)
    for example in (examples[0], examples[-1]):
        batch = pack([len(example.chance)])
        posterior, _ = chain_posteriors(chain_scores(parameters, [example.columns], batch)[0], batch)
        gold = np.zeros_like(posterior)
        gold[example.span, example.chain] = 1
        assert np.abs(posterior - gold).max() < 0.3
