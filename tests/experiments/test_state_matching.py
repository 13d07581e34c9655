"""Comparison of parameters up to a permutation of states, against trying all permutations."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from grammars import grammar_from_tables, random_grammar

from lpcfg_cli.experiments.state_matching import Recovery, recover
from lpcfg_cli.grammar.text_grammar import shipped_grammar
from lpcfg_cli.grammar.tree_values import rule_values


def permuted(grammar, order, noise, rng):
    """The grammar with the states of each symbol permuted, and with noise on its parameters."""

    def noisy(values):
        return values + noise * rng.uniform(-1, 1, values.shape)

    n, binary, unary, lexical = grammar.n_states, grammar.binary, grammar.unary, grammar.lexical
    tensors = [
        binary.tensor(r, n)[np.ix_(*(order[k] for k in abc))].ravel()
        for r, abc in enumerate(zip(binary.parent, binary.left, binary.right, strict=True))
    ]
    matrices = [
        unary.matrix(r, n)[np.ix_(order[a], order[b])].ravel()
        for r, (a, b) in enumerate(zip(unary.parent, unary.child, strict=True))
    ]
    vectors = [
        part[order[a]] for a, part in zip(lexical.symbol, np.split(lexical.values, lexical.start[1:-1]), strict=True)
    ]
    roots = [part[order[a]] for a, part in enumerate(np.split(grammar.root_vector, grammar.state_start[1:-1]))]
    return replace(
        grammar,
        root_vector=noisy(np.concatenate(roots)),
        binary=replace(binary, values=noisy(np.concatenate(tensors))),
        unary=replace(unary, values=noisy(np.concatenate(matrices))),
        lexical=replace(lexical, values=noisy(np.concatenate(vectors))),
    )


def distances(known, learnt):
    """Largest differences of rules, words and roots, and the sum of all."""
    pairs = [(rule_values(known)[key], value) for key, value in rule_values(learnt).items()]
    groups = ([p for p in pairs if p[0].ndim > 1], [p for p in pairs if p[0].ndim == 1])
    groups += ([(known.root_vector, learnt.root_vector)],)
    largest = [max(np.abs(one - other).max() for one, other in group) for group in groups]
    return sum(np.abs(one - other).sum() for group in groups for one, other in group), largest


@pytest.mark.parametrize("noise", [0.0, 0.05, 0.2])
@pytest.mark.parametrize("seed", range(3))
def test_the_best_of_all_permutations_is_found(seed, noise):
    rng = np.random.default_rng(seed)
    known = random_grammar(rng, n_states=(2, 3, 2, 1, 2, 2), signed=False)
    learnt = permuted(known, [rng.permutation(m) for m in known.n_states], noise, rng)
    everything = product(*(map(np.array, permutations(range(m))) for m in known.n_states))
    best = min((distances(known, permuted(learnt, order, 0.0, rng)) for order in everything), key=lambda d: d[0])
    found = recover(known, learnt)
    assert [found.rules, found.words, found.roots] == pytest.approx(best[1], abs=1e-12)
    assert (max(best[1]) < 1e-12) == (noise == 0)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("noise", [0.0, 0.05])
def test_as_many_states_as_models_have_are_matched(seed, noise):
    """16! permutations are too many to try, yet the random permutations applied to the states are found."""
    rng = np.random.default_rng(seed)
    known = random_grammar(rng, n_states=(16, 16, 9, 1, 16, 12), signed=False)
    order = [rng.permutation(m) for m in known.n_states]
    learnt = permuted(known, order, noise, rng)
    back = permuted(learnt, [np.argsort(states) for states in order], 0.0, rng)
    found = recover(known, learnt)
    assert [found.rules, found.words, found.roots] == pytest.approx(distances(known, back)[1], abs=1e-12)
    assert found.rules <= noise


def test_states_are_told_apart_by_where_they_occur_alone():
    """All states of A have the same rules, so only their use in the rules of S can tell them apart."""
    names = ["S", "A", "t"]
    rng = np.random.default_rng(3)
    halves = np.stack([np.outer(p, [0.5, 0.5]) for p in rng.dirichlet(np.ones(8), 2)])
    binary = {(0, 1, 0): halves, (0, 1, 2): rng.dirichlet(np.ones(8), 2).reshape(2, 8, 1)}
    lexical = {(2, 0): np.ones(1)}
    unary = {(1, 2): np.full((8, 1), 0.5)}
    known = grammar_from_tables(names, (2, 8, 1), {0: np.array([0.7, 0.3])}, binary, unary, lexical, ["x"])
    learnt = permuted(known, [rng.permutation(m) for m in known.n_states], 0.0, rng)
    found = recover(known, learnt)
    assert max(found.rules, found.words, found.roots) < 1e-12


def test_other_numbers_of_states_cannot_be_compared():
    known, other = (random_grammar(np.random.default_rng(0), n_states=m) for m in ((2,) * 6, (3,) * 6))
    assert recover(known, other) is None


def test_a_rule_that_was_not_learnt_counts_as_zero():
    known = shipped_grammar("separable").grammar
    lexical = replace(known.lexical, values=np.zeros_like(known.lexical.values))
    assert recover(known, replace(known, lexical=lexical)) == Recovery(0.0, known.lexical.values.max(), 0.0)
