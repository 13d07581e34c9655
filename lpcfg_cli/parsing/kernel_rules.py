"""The rules of grammars in the form that the kernels take."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.grammar.model import DENSE, BinaryRules, Grammar
from lpcfg_cli.parsing.layout import CoarseRules, TensorRules


def coarse_rules(grammar: Grammar) -> CoarseRules:
    """The plain PCFG of a grammar, its binary rules grouped by pair of children."""
    binary, unary = grammar.binary, grammar.unary
    is_new = np.ones(len(binary), bool)
    is_new[1:] = (binary.left[1:] != binary.left[:-1]) | (binary.right[1:] != binary.right[:-1])
    first = np.flatnonzero(is_new)
    number = np.full((grammar.n_symbols, grammar.n_symbols), -1, np.int32)
    number[binary.left[first], binary.right[first]] = np.arange(len(first))
    return CoarseRules(
        np.searchsorted(binary.left[first], np.arange(grammar.n_symbols + 1)).astype(np.int64),
        binary.right[first],
        number,
        np.append(first, len(binary)).astype(np.int64),
        binary.parent,
        binary.probability,
        unary.parent,
        unary.child,
        unary.probability,
        grammar.root_probability,
        *(np.zeros((0, 0, 0), bool) for _ in range(3)),
    )


def tensor_rules(grammar: Grammar, dtype: type = np.float64) -> TensorRules:
    """The parameters of an L-PCFG for the kernels, in the given floating-point type."""
    binary, unary = grammar.binary, grammar.unary
    return TensorRules(
        grammar.n_states.astype(np.int64),
        binary.parent,
        binary.left,
        binary.right,
        binary.rank.astype(np.int64),
        binary.start,
        with_columns_of_components(grammar.binary, grammar.n_states).astype(dtype, copy=False),
        unary.start,
        unary.values.astype(dtype, copy=False),
        grammar.state_start,
        grammar.root_vector.astype(dtype, copy=False),
    )


def with_columns_of_components(binary: BinaryRules, n_states: np.ndarray) -> np.ndarray:
    """The values of binary rules, with U, V and W of factored ones stored as Uᵀ, Vᵀ and Wᵀ.

    Kernels then read the numbers of all R components together.

    Parameters
    ----------
    binary : BinaryRules
    n_states : ndarray of int, shape (n_symbols,)
    """
    values = binary.values.copy()
    for rule in np.flatnonzero(binary.rank != DENSE):
        first, rank = binary.start[rule], binary.rank[rule]
        for symbol in (binary.parent[rule], binary.left[rule], binary.right[rule]):
            last = first + rank * n_states[symbol]
            values[first:last] = binary.values[first:last].reshape(rank, -1).T.ravel()
            first = last
    return values


def plain_tensor_rules(grammar: Grammar, dtype: type = np.float64) -> TensorRules:
    """The plain PCFG as an L-PCFG with one state for each symbol, for the same kernels."""
    binary, unary = grammar.binary, grammar.unary
    return TensorRules(
        np.ones(grammar.n_symbols, np.int64),
        binary.parent,
        binary.left,
        binary.right,
        np.full(len(binary), DENSE, np.int64),
        np.arange(len(binary) + 1),
        binary.probability.astype(dtype, copy=False),
        np.arange(len(unary) + 1),
        unary.probability.astype(dtype, copy=False),
        np.arange(grammar.n_symbols + 1),
        grammar.root_probability.astype(dtype, copy=False),
    )
