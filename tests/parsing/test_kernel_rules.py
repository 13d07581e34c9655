"""Parameters in the order of the passes: every entry of a tensor is where the kernels look for it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from grammars import as_components, random_grammar

from lpcfg_cli.arrays.halves import whole_numbers
from lpcfg_cli.grammar.model import with_significant_bits
from lpcfg_cli.parsing.kernel_rules import ALIGNED, tensor_rules

STATES = (3, 40, 7, 1, 9, 12)
"""Tensors with fewer columns than a panel has, with exactly its own, and with several panels and a rest."""


def inside_tensor(rules, r, shape):
    """The tensor that the inside pass reads."""
    a, b, c = shape
    rank, values = rules.rank[r], rules.inside_values[rules.start[r] :]
    if rank == 0:
        return values[: a * b * c].reshape(b, c, a).transpose(2, 0, 1)
    u, v, w = np.split(values[: rank * sum(shape)], rank * np.cumsum(shape)[:2])
    return np.einsum("ra,br,cr->abc", u.reshape(rank, a), v.reshape(b, rank), w.reshape(c, rank))


def outside_tensor(rules, r, shape):
    """The tensor that the outside pass reads."""
    a, b, c = shape
    rank, values = rules.rank[r], rules.outside_values[rules.start[r] :]
    if rank > 0:
        u, v, w = np.split(values[: rank * sum(shape)], rank * np.cumsum(shape)[:2])
        return np.einsum("ar,rb,rc->abc", u.reshape(a, rank), v.reshape(rank, b), w.reshape(rank, c))
    step = c * min(b, max(1, 128 // c))
    panels = [values[first * a : min(first + step, b * c) * a].reshape(a, -1) for first in range(0, b * c, step)]
    return np.hstack(panels).reshape(a, b, c)


@pytest.mark.parametrize("factored", [False, True])
def test_both_passes_find_every_entry(factored):
    grammar = random_grammar(np.random.default_rng(3), n_states=STATES, factored=factored)
    rules = tensor_rules(grammar)
    assert not np.any(rules.start % ALIGNED)
    for r in range(len(grammar.binary)):
        tensor = grammar.binary.tensor(r, grammar.n_states)
        np.testing.assert_allclose(inside_tensor(rules, r, tensor.shape), tensor, rtol=1e-12)
        np.testing.assert_allclose(outside_tensor(rules, r, tensor.shape), tensor, rtol=1e-12)


def test_dense_and_factored_rules_are_found_beside_each_other():
    dense = random_grammar(np.random.default_rng(4), n_states=STATES)
    factored = as_components(dense)
    parts = [(dense if r % 2 else factored).binary for r in range(len(dense.binary))]
    blocks = [part.values[part.start[r] : part.start[r + 1]] for r, part in enumerate(parts)]
    binary = replace(
        dense.binary,
        rank=np.array([part.rank[r] for r, part in enumerate(parts)], np.int32),
        start=np.cumsum([0, *map(len, blocks)]),
        values=np.concatenate(blocks),
    )
    rules = tensor_rules(replace(dense, binary=binary))
    for r in range(len(binary)):
        tensor = dense.binary.tensor(r, dense.n_states)
        np.testing.assert_allclose(inside_tensor(rules, r, tensor.shape), tensor, rtol=1e-12)
        np.testing.assert_allclose(outside_tensor(rules, r, tensor.shape), tensor, rtol=1e-12)


@pytest.mark.parametrize("factored", [False, True])
def test_halved_parameters_are_those_of_the_grammar(factored):
    grammar = with_significant_bits(random_grammar(np.random.default_rng(5), STATES, factored=factored), 8)
    halved, whole = tensor_rules(grammar, np.float32), tensor_rules(grammar, np.float64)
    for ours, theirs in ((halved.inside_values, whole.inside_values), (halved.outside_values, whole.outside_values)):
        assert ours.dtype == np.uint16 and theirs.dtype == np.float64
        np.testing.assert_array_equal(whole_numbers(ours), theirs)
