"""Spectral estimation: where theory says that the result is exact, it is."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from lpcfg_cli.config import (
    BinarizeSettings,
    CleanSettings,
    EstimateSettings,
    FeatureSettings,
    LexiconSettings,
    Settings,
    SvdSettings,
)
from lpcfg_cli.features.matrices import NodeFeatures, extract, sort_nodes
from lpcfg_cli.features.template import NodeView
from lpcfg_cli.features.templates import choose_templates
from lpcfg_cli.learning.preparation import ScaledFeatures, lexical_entries, lexicon_of, project_all
from lpcfg_cli.learning.projected_nodes import project_nodes
from lpcfg_cli.learning.spectral import estimate, unseen_probabilities
from lpcfg_cli.treebank.binarize import binarize
from lpcfg_cli.treebank.binary import LEXICAL, UNARY
from lpcfg_cli.treebank.brackets import treebank_from_text
from lpcfg_cli.treebank.clean import clean
from lpcfg_cli.treebank.heads import load_head_rules

UNSMOOTHED = EstimateSettings(smooth_rules=False, smooth_lexicon=False)
ALL_WORDS = LexiconSettings(rare_below=1, lowercase=False)


def learn(lines, states, templates="full", estimate_settings=UNSMOOTHED, scale=True, unaries="latent"):
    """Grammar and binarized trees of a list of bracketed trees."""
    trees, _ = clean(treebank_from_text("\n".join(lines)), CleanSettings())
    binary = binarize(trees, BinarizeSettings(unaries=unaries), load_head_rules("neutral"))
    settings = Settings(
        lexicon=ALL_WORDS,
        features=FeatureSettings(templates=templates, scale=scale),
        svd=SvdSettings(states=states, tolerance=1e-6),
        estimate=estimate_settings,
    )
    lexicon = lexicon_of(binary, settings.lexicon)
    entry = lexical_entries(binary, lexicon)
    view = NodeView(binary, entry)
    chosen = choose_templates(templates)
    order = sort_nodes(binary.symbol, len(binary.symbols))
    phi = extract(view, [t for t in chosen if t.is_inside], order)
    psi = extract(view, [t for t in chosen if not t.is_inside], order)
    features = NodeFeatures(order, phi, psi)
    projections = project_all(ScaledFeatures(features, settings.features), settings)
    projected = project_nodes(projections, features, settings.features)
    return estimate(binary, entry, projected, lexicon, settings.estimate), binary


def test_a_word_never_seen_is_as_probable_as_those_seen_once_and_a_tenth_more():
    _, trees = learn(["(S (A a) (B b))", "(S (A a) (B c))", "(S (A d) (B c))"], 1)
    found = dict(zip((symbol.name for symbol in trees.symbols), unseen_probabilities(trees), strict=True))
    assert found == {"S": 0, "A": pytest.approx(1.1 / 3.1), "B": pytest.approx(1.1 / 3.1)}
    _, trees = learn(["(S (A a) (B b))"] * 2, 1)
    assert unseen_probabilities(trees).max() == pytest.approx(0.1 / 2.1)


def tree_values(grammar, binary):
    """Value of each training tree under the grammar, node by node (C14 Fig. 4)."""
    tensors = {
        key: grammar.binary.tensor(r, grammar.n_states)
        for r, key in enumerate(zip(grammar.binary.parent, grammar.binary.left, grammar.binary.right, strict=True))
    }
    matrices = {
        key: grammar.unary.matrix(r, grammar.n_states)
        for r, key in enumerate(zip(grammar.unary.parent, grammar.unary.child, grammar.unary.hidden, strict=True))
    }
    vectors = {}
    rules = grammar.lexical
    for entry, r in ((e, r) for e in range(len(rules.entry_start) - 1) for r in range(*rules.entry_start[e : e + 2])):
        vectors[entry, rules.symbol[r]] = rules.values[rules.start[r] : rules.start[r + 1]]
    inside = {}
    for node in range(binary.n_nodes - 1, -1, -1):
        a, left, right = binary.symbol[node], binary.left[node], binary.right[node]
        if binary.kind[node] == LEXICAL:
            inside[node] = vectors[grammar.lexicon.entry(binary.strings[binary.word[node]]), a]
        elif binary.kind[node] == UNARY:
            inside[node] = matrices[a, binary.symbol[left], binary.hidden[node]] @ inside[left]
        else:
            tensor = tensors[a, binary.symbol[left], binary.symbol[right]]
            inside[node] = np.einsum("abc,b,c->a", tensor, inside[left], inside[right])
    values = []
    for root in binary.tree_start[:-1]:
        a = binary.symbol[root]
        start = grammar.state_start[a : a + 2]
        values.append(float(grammar.root_vector[start[0] : start[1]] @ inside[root]))
    return values


def two_state_treebank(with_unary=False):
    """All trees of an L-PCFG with two states, each as often as its probability says, and the probabilities.

    S → X A or Y A; the state of A depends on which; A → B C hands it on; B and C choose their words by it.
    With unary rules, A → U or W by its state, which goes on to them, and U and W → B C.
    """
    quarters = [Fraction(3, 4), Fraction(1, 4)]
    p_state = {"X": quarters, "Y": quarters[::-1]}
    p_word = [{"1": Fraction(3, 4), "2": Fraction(1, 4)}, {"1": Fraction(1, 4), "2": Fraction(3, 4)}]
    p_unary = {"U": quarters, "W": quarters[::-1]} if with_unary else {"": [Fraction(1)] * 2}
    hand_on = [
        {(0, 0): Fraction(3, 4), (1, 1): Fraction(1, 4)},
        {(1, 1): Fraction(1, 2), (0, 1): Fraction(1, 2)},
    ]
    probability = {}
    for mark, below, b, c in itertools.product("XY", p_unary, "12", "12"):
        p = sum(
            Fraction(1, 2) * p_state[mark][h] * p_unary[below][h] * share * p_word[hb][b] * p_word[hc][c]
            for h in (0, 1)
            for (hb, hc), share in hand_on[h].items()
        )
        phrase = f"(B b{b}) (C c{c})"
        phrase = f"(A ({below} {phrase}))" if with_unary else f"(A {phrase})"
        probability[f"(S ({mark} {mark.lower()}) {phrase})"] = p
    assert sum(probability.values()) == 1
    size = 4096
    assert all((p * size).denominator == 1 for p in probability.values())
    return [line for line, p in probability.items() for _ in range(int(p * size))], probability


@pytest.mark.parametrize("with_unary", [False, True])
@pytest.mark.parametrize("scale", [False, True])
def test_exact_moments_give_exact_tree_probabilities(with_unary, scale):
    """C14 Theorem 6: with moments of a rank-2 L-PCFG, the learnt parameters give its distribution."""
    lines, probability = two_state_treebank(with_unary)
    grammar, binary = learn(lines, states=2, scale=scale)
    found = tree_values(grammar, binary)
    for line, value in zip(lines, found, strict=True):
        assert value == pytest.approx(float(probability[line]), rel=1e-9)


def test_one_state_is_not_enough_for_two_state_trees():
    lines, probability = two_state_treebank()
    grammar, binary = learn(lines, states=1)
    errors = [
        abs(value - float(probability[line])) for line, value in zip(lines, tree_values(grammar, binary), strict=True)
    ]
    assert max(errors) > 0.01


def test_error_falls_as_the_sample_grows():
    _, probability = two_state_treebank()
    rng = np.random.default_rng(0)
    keys = list(probability)
    weights = np.array([float(p) for p in probability.values()])
    errors = []
    for size in (200, 20_000):
        sample = [keys[k] for k in rng.choice(len(keys), size, p=weights)]
        grammar, binary = learn(sample, states=2)
        values = dict(zip(sample, tree_values(grammar, binary), strict=True))
        errors.append(sum(abs(values.get(key, 0.0) - float(p)) for key, p in probability.items()))
    assert errors[1] < errors[0] / 3
    assert errors[1] < 0.05


TREES = [
    "(S (NP (DT the) (NN dog)) (VP (VBZ barks)))",
    "(S (NP (PRP it)) (VP (VBZ barks) (ADVP (RB loudly))))",
    "(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat))))",
    "(S (NP (NP (DT the) (NN dog)) (PP (IN with) (NP (DT a) (NN cat)))) (VP (VBZ barks)))",
    "(NP (NN dog))",
]


def relative_frequency(binary):
    """Probability of each training tree under the plain PCFG, counted in the plainest way."""
    rules, symbols, roots = Counter(), Counter(), Counter()

    def rule(node):
        if binary.kind[node] == LEXICAL:
            return binary.symbol[node], "word", binary.strings[binary.word[node]]
        children = [binary.symbol[c] for c in (binary.left[node], binary.right[node]) if c >= 0]
        return binary.symbol[node], *children, binary.hidden[node]

    for node in range(binary.n_nodes):
        rules[rule(node)] += 1
        symbols[binary.symbol[node]] += 1
    for root in binary.tree_start[:-1]:
        roots[binary.symbol[root]] += 1
    values = []
    for start, stop in itertools.pairwise(binary.tree_start):
        p = roots[binary.symbol[start]] / binary.n_trees
        for node in range(start, stop):
            p *= rules[rule(node)] / symbols[binary.symbol[node]]
        values.append(p)
    return values


@pytest.mark.parametrize("unaries", ["latent", "collapse"])
@pytest.mark.parametrize("smoothing", [UNSMOOTHED, EstimateSettings()])
def test_one_state_and_the_constant_feature_give_the_relative_frequency_pcfg(unaries, smoothing):
    grammar, binary = learn(TREES, 1, "constant", smoothing, scale=False, unaries=unaries)
    np.testing.assert_allclose(tree_values(grammar, binary), relative_frequency(binary), rtol=1e-12)


def test_coarse_probabilities_are_relative_frequencies_whatever_the_features():
    grammar, binary = learn(TREES, 3)
    symbols = Counter(binary.symbol.tolist())
    nodes = zip(binary.symbol, binary.left, binary.right, binary.kind, strict=True)
    counts = Counter((a, binary.symbol[l], binary.symbol[r]) for a, l, r, kind in nodes if kind == 1)
    rules = grammar.binary
    for a, b, c, p in zip(rules.parent, rules.left, rules.right, rules.probability, strict=True):
        assert p == pytest.approx(counts[a, b, c] / symbols[a])
    assert len(rules) == len(counts)


def test_lexical_smoothing_moves_rare_vectors_towards_the_mean_of_the_tag():
    plain, binary = learn(TREES, 2)
    smooth, _ = learn(
        TREES, 2, estimate_settings=EstimateSettings(smooth_rules=False, lexical_max_count=2, lexical_nu=0.25)
    )
    (nn,) = (k for k, symbol in enumerate(binary.symbols) if symbol.tag == "NN")
    rules = plain.lexical
    of_nn = np.flatnonzero(rules.symbol == nn)
    total = sum(rules.values[rules.start[r] : rules.start[r + 1]] for r in of_nn)  # Σ p(x|a) E[Z|a,x] = E[Z|a]
    count = Counter(binary.strings[w] for w in binary.word[binary.symbol == nn])
    for r in of_nn:
        word = plain.lexicon.entries[np.searchsorted(rules.entry_start, r, "right") - 1]
        own, p = rules.values[rules.start[r] : rules.start[r + 1]], rules.probability[r]
        nu = 0.25 if count[word] <= 2 else 1.0
        expected = nu * own + (1 - nu) * p * total
        np.testing.assert_allclose(smooth.lexical.values[rules.start[r] : rules.start[r + 1]], expected, atol=1e-12)
    assert {nu > 2 for nu in count.values()} == {True, False}
