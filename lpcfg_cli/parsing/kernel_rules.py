"""The rules of grammars in the form that the kernels take."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.arrays.halves import LINE, aligned_zeros, have_upper_halves, upper_halves
from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.grammar.model import DENSE, Grammar
from lpcfg_cli.parsing.layout import CoarseRules, TensorRules
from lpcfg_cli.parsing.tensor_kernels import panel_columns

ALIGNED = LINE // np.dtype(np.uint16).itemsize
"""The parameters of a rule begin at a multiple of so many numbers, and so where a line of the cache does."""


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
    """The parameters of an L-PCFG for the kernels, in the given floating-point type.

    Those of binary rules are halved if they are float32 of few significant bits.
    """
    binary, unary = grammar.binary, grammar.unary
    values: np.ndarray = binary.values.astype(dtype, copy=False)
    values = upper_halves(values) if have_upper_halves(values) else values
    start = starts(-(-np.diff(binary.start) // ALIGNED) * ALIGNED)
    inside, outside = (aligned_zeros(int(start[-1]), values.dtype) for _ in range(2))
    for rule, (first, rank) in enumerate(zip(start.tolist(), binary.rank.tolist(), strict=False)):
        own = values[binary.start[rule] : binary.start[rule + 1]]
        shape = grammar.n_states[[binary.parent[rule], binary.left[rule], binary.right[rule]]].tolist()
        orders = dense_orders if rank == DENSE else factored_orders
        orders(own, shape, inside[first : first + len(own)], outside[first : first + len(own)])
    return TensorRules(
        grammar.n_states.astype(np.int64),
        binary.parent,
        binary.left,
        binary.right,
        binary.rank.astype(np.int64),
        start,
        inside,
        outside,
        unary.start,
        unary.values.astype(dtype, copy=False),
        grammar.state_start,
        grammar.root_vector.astype(dtype, copy=False),
    )


def dense_orders(values: np.ndarray, shape: list[int], inside: np.ndarray, outside: np.ndarray) -> None:
    """Write the entries of a tensor in the order of the inside and of the outside pass; see `TensorRules`."""
    a, b, c = shape
    inside.reshape(b * c, a)[:] = values.reshape(a, b * c).T
    step = panel_columns(b, c)
    for first in range(0, b * c, step):
        last = min(first + step, b * c)
        outside[first * a : last * a].reshape(a, -1)[:] = values.reshape(a, b * c)[:, first:last]


def factored_orders(values: np.ndarray, shape: list[int], inside: np.ndarray, outside: np.ndarray) -> None:
    """Write U, V and W of a tensor in the order of the inside and of the outside pass; see `TensorRules`."""
    rank, first = len(values) // sum(shape), 0
    for m, order, other in zip(shape, (inside, outside, outside), (outside, inside, inside), strict=True):
        part = slice(first, first + rank * m)
        order[part] = values[part]
        other[part].reshape(m, rank)[:] = values[part].reshape(rank, m).T
        first = part.stop


def plain_tensor_rules(grammar: Grammar, dtype: type = np.float64) -> TensorRules:
    """The plain PCFG as an L-PCFG with one state for each symbol, for the same kernels."""
    binary, unary = grammar.binary, grammar.unary
    values: np.ndarray = binary.probability.astype(dtype, copy=False)
    return TensorRules(
        np.ones(grammar.n_symbols, np.int64),
        binary.parent,
        binary.left,
        binary.right,
        np.full(len(binary), DENSE, np.int64),
        np.arange(len(binary) + 1),
        values,
        values,
        np.arange(len(unary) + 1),
        unary.probability.astype(dtype, copy=False),
        np.arange(grammar.n_symbols + 1),
        grammar.root_probability.astype(dtype, copy=False),
    )
