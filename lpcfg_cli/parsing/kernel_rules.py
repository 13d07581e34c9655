"""The rules of grammars in the form that the kernels take."""

from __future__ import annotations

import math

import numpy as np

from lpcfg_cli.arrays.halves import LINE, aligned_zeros, have_upper_halves, stored_rows, upper_halves
from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.grammar.model import DENSE, Grammar
from lpcfg_cli.parsing.layout import CoarseRules, TensorRules
from lpcfg_cli.parsing.tensor_kernels import panel_columns

ALIGNED = LINE // np.dtype(np.uint16).itemsize
"""The parameters of a rule begin at a multiple of so many numbers, and so where a line of the cache does."""

TOGETHER = 1 << 16
"""About so many parameters are brought into order together, so that they stay in the caches."""


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
    return TensorRules(
        grammar.n_states.astype(np.int64),
        binary.parent,
        binary.left,
        binary.right,
        binary.rank.astype(np.int64),
        *in_orders_of_passes(grammar, values),
        unary.start,
        unary.values.astype(dtype, copy=False),
        grammar.state_start,
        grammar.root_vector.astype(dtype, copy=False),
    )


def in_orders_of_passes(grammar: Grammar, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`start`, `inside_values` and `outside_values` of `TensorRules`, of values of binary rules, or halves."""
    binary, n_states = grammar.binary, grammar.n_states
    start = starts(-(-np.diff(binary.start) // ALIGNED) * ALIGNED)
    inside, outside = (aligned_zeros(int(start[-1]), values.dtype) for _ in range(2))
    sides = [n_states[side] for side in (binary.parent, binary.left, binary.right)]
    shapes, number = np.unique(np.stack([binary.rank, *sides], axis=1), axis=0, return_inverse=True)
    for k, (rank, *shape) in enumerate(shapes.tolist()):
        of_shape, size = np.flatnonzero(number.ravel() == k), math.prod(shape) if rank == DENSE else rank * sum(shape)
        n_parts = min(len(of_shape), -(-len(of_shape) * size // TOGETHER))
        for rules in np.array_split(of_shape, n_parts):
            own = values[binary.start[rules][:, None] + np.arange(size)]
            found = (dense_orders if rank == DENSE else factored_orders)(own, shape)
            for first, one, other in zip(start[rules].tolist(), *found, strict=True):
                inside[first : first + size], outside[first : first + size] = one, other
    return start, inside, outside


def dense_orders(values: np.ndarray, shape: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """The entries of tensors of one shape, (k, m_a m_b m_c), in the order of the inside and of the outside pass.

    See `TensorRules`.
    """
    a, b, c = shape
    k, step, tensors = len(values), panel_columns(b, c), values.reshape(-1, a, b * c)
    panels = [stored_rows(tensors[..., first : first + step]).reshape(k, -1) for first in range(0, b * c, step)]
    return stored_rows(tensors.swapaxes(1, 2)).reshape(k, -1), np.concatenate(panels, axis=1)


def factored_orders(values: np.ndarray, shape: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """U, V and W of tensors of one shape and rank in the order of the inside and of the outside pass.

    Their entries are (k, R (m_a + m_b + m_c)).  See `TensorRules`.
    """
    k, rank = len(values), values.shape[1] // sum(shape)
    parts = np.split(values, rank * np.cumsum(shape)[:2], axis=1)
    rows = [part.reshape(k, rank, m) for part, m in zip(parts, shape, strict=True)]
    u, v, w = (stored_rows(part).reshape(k, -1) for part in rows)
    turned_u, turned_v, turned_w = (stored_rows(part.swapaxes(1, 2)).reshape(k, -1) for part in rows)
    return np.concatenate([u, turned_v, turned_w], axis=1), np.concatenate([turned_u, v, w], axis=1)


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
