"""Named tuples of arrays for prefix probabilities; those of parsing are in `lpcfg_cli.parsing.layout`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lpcfg_cli.parsing.layout import TensorRules


class PrefixRules(NamedTuple):
    """An L-PCFG for prefix probabilities; all floating-point arrays have the same type.

    Attributes
    ----------
    tensors : TensorRules
    order : ndarray of int64, shape (n_rules,)
        The binary rules sorted by left child, parent and right child, so that sums over left children are made once
        for all right children.
    left_start : ndarray of int64, shape (n_symbols + 1,)
        Left child b has the rules ``order[left_start[b]:left_start[b + 1]]``.
    closure : ndarray, shape (Σ m_a, Σ m_a)
        R of `lpcfg_cli.parsing.prefix`.
    """

    tensors: TensorRules
    order: np.ndarray
    left_start: np.ndarray
    closure: np.ndarray


class LeftItems(NamedTuple):
    """Top items as left children, sorted by end, symbol and start.

    Attributes
    ----------
    first : ndarray of int64, shape (n + 2,)
        The items ``first[j]:first[j + 1]`` end at j.
    start, symbol : ndarray of int32, shape (n_items,)
    exponent : ndarray of int64, shape (n_items,)
        The true vector is the stored one times 2^`exponent`.
    vector_start : ndarray of int64, shape (n_items,)
        Where the vector of each item begins.
    vector : ndarray of float32 or float64
        Inside vectors, (m_a,) each.
    """

    first: np.ndarray
    start: np.ndarray
    symbol: np.ndarray
    exponent: np.ndarray
    vector_start: np.ndarray
    vector: np.ndarray


class PrefixChart(NamedTuple):
    """What may follow each position of a sentence; see `lpcfg_cli.parsing.prefix`.

    Attributes
    ----------
    expected, predicted : ndarray of float64, shape (n_positions, Σ m_a)
        F and H of each position, n of them or also that behind the last word; true values are the stored ones times
        2^`exponent`.
    exponent : ndarray of int64, shape (n_positions,)
    total, total_exponent : ndarray of float64 and int64, shape (n + 1,)
        The prefix total of the first j words is ``total[j]`` times 2^``total_exponent[j]``; that of no words is not
        set.
    """

    expected: np.ndarray
    predicted: np.ndarray
    exponent: np.ndarray
    total: np.ndarray
    total_exponent: np.ndarray
