"""Parameters in the order of the passes: every entry of a tensor is where the kernels look for it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from grammars import as_components, random_grammar

from lpcfg_cli.arrays.halves import whole_numbers
from lpcfg_cli.grammar.model import with_significant_bits
from lpcfg_cli.parsing import kernel_rules
from lpcfg_cli.parsing.kernel_rules import ALIGNED, tensor_rules

STATES = (3, 40, 7, 1, 9, 12)
"""Tensors with fewer columns than a panel has, with exactly its own, and with several panels and a rest."""


def matrix(values, rows, columns):
    """The first entries of an order of parameters as a matrix, and the entries after it."""
    found = values[: rows * columns].reshape(rows, columns)
    return whole_numbers(found) if values.dtype == np.uint16 else found, values[rows * columns :]


def inside_tensor(rules, r, shape):
    """The tensor that the inside pass reads."""
    a, b, c = shape
    rank, values = rules.rank[r], rules.inside_values[rules.start[r] :]
    if rank == 0:
        return matrix(values, b * c, a)[0].reshape(b, c, a).transpose(2, 0, 1)
    u, values = matrix(values, rank, a)
    v, values = matrix(values, b, rank)
    return np.einsum("ra,br,cr->abc", u, v, matrix(values, c, rank)[0])


def outside_tensor(rules, r, shape):
    """The tensor that the outside pass reads."""
    a, b, c = shape
    rank, values = rules.rank[r], rules.outside_values[rules.start[r] :]
    if rank > 0:
        u, values = matrix(values, a, rank)
        v, values = matrix(values, rank, b)
        return np.einsum("ar,rb,rc->abc", u, v, matrix(values, rank, c)[0])
    step, panels = c * min(b, max(1, 128 // c)), []
    for first in range(0, b * c, step):
        panel, values = matrix(values, a, min(step, b * c - first))
        panels.append(panel)
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


@pytest.mark.parametrize("together", [1, 500])
def test_rules_of_one_shape_are_brought_into_order_together_or_not(together, monkeypatch):
    grammar = random_grammar(np.random.default_rng(6), n_states=STATES, factored=True)
    expected = tensor_rules(grammar)
    monkeypatch.setattr(kernel_rules, "TOGETHER", together)
    found = tensor_rules(grammar)
    np.testing.assert_array_equal(found.inside_values, expected.inside_values)
    np.testing.assert_array_equal(found.outside_values, expected.outside_values)


@pytest.mark.parametrize("factored", [False, True])
def test_halved_parameters_are_those_of_the_grammar(factored):
    grammar = with_significant_bits(random_grammar(np.random.default_rng(5), STATES, factored=factored), 8)
    rules = tensor_rules(grammar, np.float32)
    assert rules.inside_values.dtype == rules.outside_values.dtype == np.uint16
    for r in range(len(grammar.binary)):
        tensor = grammar.binary.tensor(r, grammar.n_states)
        np.testing.assert_allclose(inside_tensor(rules, r, tensor.shape), tensor, rtol=1e-5)
        np.testing.assert_allclose(outside_tensor(rules, r, tensor.shape), tensor, rtol=1e-5)
