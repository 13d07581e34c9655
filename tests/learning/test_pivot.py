"""Pivot learning end to end: with exact moments it finds the parameters, and with samples it comes near."""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from lpcfg_cli.config import (
    BinarizeSettings,
    CleanSettings,
    FeatureSettings,
    LexiconSettings,
    PivotSettings,
    Settings,
    SvdSettings,
)
from lpcfg_cli.features.matrices import NodeFeatures, extract, sort_nodes
from lpcfg_cli.features.template import NodeView
from lpcfg_cli.features.templates import choose_templates
from lpcfg_cli.learning.pivot import _Stacked, decompose_symbols, pivot_counts
from lpcfg_cli.learning.preparation import ScaledFeatures, lexical_entries, lexicon_of, project_all
from lpcfg_cli.learning.projected_nodes import project_nodes
from lpcfg_cli.learning.rule_table import maximise, rule_table
from lpcfg_cli.treebank.binarize import binarize
from lpcfg_cli.treebank.binary import LEXICAL
from lpcfg_cli.treebank.brackets import treebank_from_text
from lpcfg_cli.treebank.clean import clean
from lpcfg_cli.treebank.heads import load_head_rules

ROOTS = {("S", 0): "3/4", ("A", 0): "1/16", ("A", 1): "3/16"}
RULES = {
    ("S", 0): {("X0", "A0"): "1/4", ("Y0", "A1"): "1/4", ("Z0", "A0"): "1/8", ("Z0", "A1"): "3/8"},
    ("A", 0): {("U0",): "1/2", ("V0",): "1/2"},
    ("A", 1): {("W0",): "1/2", ("V1",): "1/2"},
    ("U", 0): {("D0", "X0"): "1"},
    ("W", 0): {("D0", "Y0"): "1"},
    ("V", 0): {("B0", "C0"): "1"},
    ("V", 1): {("B1", "C1"): "1/2", ("D0", "C0"): "1/8", ("D0", "C1"): "3/8"},
    ("B", 0): {"b1": "1/2", "b3": "1/2"},
    ("B", 1): {"b2": "1/4", "b3": "3/4"},
    ("C", 0): {"c1": "1/2", "c3": "1/2"},
    ("C", 1): {"c2": "1/2", "c3": "1/2"},
    **{(a, 0): {a.lower(): "1"} for a in "DXYZ"},
}
"""An L-PCFG without recursion: every state of A, V, B and C has a pivot inside and one outside."""

ONE_TEMPLATE_A_SIDE = ("rule_over_left", "word", "three_rules_above")


def phrases(symbol, state):
    """All trees below a symbol in a state, with their probabilities."""
    found = defaultdict(Fraction)
    for children, p in RULES[symbol, state].items():
        if isinstance(children, str):
            found[f"({symbol} {children})"] += Fraction(p)
            continue
        for parts in itertools.product(*(phrases(child[0], int(child[1])).items() for child in children)):
            q = Fraction(p)
            for _, of_part in parts:
                q *= of_part
            found[f"({symbol} {' '.join(text for text, _ in parts)})"] += q
    return found


def language():
    """The probability of every tree."""
    found = defaultdict(Fraction)
    for (symbol, state), p in ROOTS.items():
        for text, q in phrases(symbol, state).items():
            found[text] += Fraction(p) * q
    assert sum(found.values()) == 1
    return found


def projected_features(lines, templates, states):
    """Trees, lexical entries, features and projected nodes."""
    trees, _ = clean(treebank_from_text("\n".join(lines)), CleanSettings())
    trees = binarize(trees, BinarizeSettings(), load_head_rules("neutral"))
    settings = Settings(
        lexicon=LexiconSettings(rare_below=1, lowercase=False),
        features=FeatureSettings(templates=templates),
        svd=SvdSettings(states=states, tolerance=0.05),
    )
    entry = lexical_entries(trees, lexicon_of(trees, settings.lexicon))
    view, order = NodeView(trees, entry), sort_nodes(trees.symbol, len(trees.symbols))
    sides = [[t for t in choose_templates(templates) if t.is_inside == is_inside] for is_inside in (True, False)]
    features = NodeFeatures(order, *(extract(view, side, order) for side in sides))
    projections = project_all(ScaledFeatures(features, settings.features), settings)
    return trees, entry, features, project_nodes(projections, features, settings.features)


def learn(lines, templates, pivot):
    """Trees, rule table and parameters."""
    trees, entry, features, projected = projected_features(lines, templates, 2)
    found = decompose_symbols(features, projected, pivot)
    table = rule_table(trees, entry, np.array([d.n_states for d in found], np.int32))
    counts = pivot_counts(trees, table, features, found, pivot, np.random.default_rng(0))
    return trees, table, maximise(table, counts, 0.0)


def largest_error(trees, table, parameters):
    """Largest difference from the true parameters, with the states of each symbol in their best order."""
    names = [symbol.name for symbol in trees.symbols]
    split = [a for a, m in enumerate(table.n_states) if m == 2]
    assert sorted(names[a] for a in split) == ["A", "B", "C", "V"]
    orders = itertools.product([(0, 1), (1, 0)], repeat=len(split))
    return min(_error(trees, table, parameters, names, dict(zip(split, order, strict=True))) for order in orders)


def _error(trees, table, parameters, names, order):
    def state(a, h):
        return order[a][h] if a in order else h

    worst = 0.0
    root = {a: parameters.root[table.state_start[a] :][: table.n_states[a]] for a in range(len(names))}
    for (symbol, h), p in ROOTS.items():
        a = names.index(symbol)
        worst = max(worst, abs(root[a][state(a, h)] - float(Fraction(p))))
    lexical = dict(enumerate(table.lexical.first, len(table.binary) + len(table.unary)))
    for r, block in enumerate(table.blocks(parameters.rules)):
        a, b, c = table.parent[r], table.left[r], table.right[r]
        for places in np.ndindex(*block.shape):
            children = tuple(f"{names[s]}{h}" for s, h in zip((b, c), places[1:], strict=True) if s >= 0)
            key = children or trees.strings[trees.word[lexical[r]]]
            truth = float(Fraction(RULES[names[a], places[0]].get(key, 0)))
            found = block[tuple(state(s, h) for s, h in zip((a, b, c), places, strict=True))]
            worst = max(worst, abs(found - truth))
    return worst


EXACT = PivotSettings(anchor_count=0.0, combinations=1, rule_prior=0.0, steps=5000, tolerance=1e-14)


def test_exact_moments_give_the_parameters_up_to_a_permutation_of_states():
    """CC14 Theorem 1, with unary rules too."""
    size = 4096
    assert all((p * size).denominator == 1 for p in language().values())
    lines = [line for line, p in language().items() for _ in range(int(p * size))]
    trees, table, parameters = learn(lines, ONE_TEMPLATE_A_SIDE, EXACT)
    assert {*trees.kind} == {LEXICAL, 1, 2}
    assert largest_error(trees, table, parameters) < 2e-5


@pytest.mark.parametrize("templates", [ONE_TEMPLATE_A_SIDE, "full"])
def test_sampled_trees_give_parameters_nearer_the_truth_the_more_there_are(templates):
    """Several templates a side too (CC14 §6.2), though not all their features are pivots."""
    trees, probability = zip(*language().items(), strict=True)
    rng = np.random.default_rng(0)
    settings = replace(PivotSettings(), anchor_count=1.0, steps=500, tolerance=1e-7)
    errors = []
    for size in (500, 50_000):
        sample = rng.choice(len(trees), size, p=np.array(probability, float))
        errors.append(largest_error(*learn([trees[k] for k in sample], templates, settings)))
    assert errors[1] < 0.03
    assert errors[1] < errors[0] / 2


STATES = np.array([0.6, 0.3, 0.1])


def trees_of_three_states(rng, size):
    """A word of A and its sister's label, drawn by one state; each state has one word and one label for itself."""

    def draw_from(own, n):
        return np.vstack([np.diag(own), rng.dirichlet(np.full(n, 0.4), 3).T * (1 - own)])

    words, sisters = draw_from(np.array([0.3, 0.2, 0.2]), 30), draw_from(np.array([0.5, 0.4, 0.3]), 5)
    states = rng.choice(3, size, p=STATES)
    pairs = ((rng.choice(len(words), p=words[:, h]), rng.choice(len(sisters), p=sisters[:, h])) for h in states)
    return [f"(S (A w{word}) (B{sister} v))" for word, sister in pairs]


@pytest.mark.parametrize("seed", [1, 3])
def test_anchors_do_not_depend_on_the_units_of_projections(seed):
    """Where one direction is a hundred times as long as others, its noise would look like a vertex."""
    lines = trees_of_three_states(np.random.default_rng(seed), 3000)
    templates = ("rule_over_left", "word", "rule_above")
    trees, _, features, projected = projected_features(lines, templates, 3)
    a = [symbol.name for symbol in trees.symbols].index("A")
    pivot = PivotSettings(anchor_count=0.5)
    found = []
    for units in ([1, 1, 1], [1, 1, 100], [1e-3, 1, 1]):
        stretched = replace(projected, inside=projected.inside * units, outside=projected.outside * units)
        found.append(decompose_symbols(features, stretched, pivot)[a])
        np.testing.assert_allclose(np.sort(found[-1].states), np.sort(STATES), atol=0.05)
    for other in found[1:]:
        np.testing.assert_allclose(other.inside, found[0].inside, rtol=1e-6)
        np.testing.assert_allclose(other.outside, found[0].outside, rtol=1e-6)


def test_the_rarest_feature_is_that_of_the_smallest_count():
    """Two nodes of symbols with features 0 to 2 and 3 to 5; each node has two of them, in rows 1 and 0."""
    side = SimpleNamespace(
        indptr=np.array([0, 2, 4]), indices=np.array([0, 2, 1, 2]), column_start=np.array([0, 3]),
        count=np.array([9, 4, 1, 7, 8, 2]),
    )  # fmt: skip
    learner = SimpleNamespace(row=np.array([1, 0]), trees=SimpleNamespace(symbol=np.array([1, 0])))
    assert _Stacked.rarest(learner, side, np.array([0, 1])).tolist() == [5, 2]
