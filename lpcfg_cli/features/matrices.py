"""Sparse feature matrices, one for each nonterminal, stored in common arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lpcfg_cli.arrays.grouping import number_rows
from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.config import FeatureSettings
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.features.template import NodeView, Template
from lpcfg_cli.spectral.scaling import inverse_deviations

if TYPE_CHECKING:
    from scipy import sparse


@dataclass(frozen=True)
class NodeOrder:
    """The nodes sorted by symbol: the rows of the feature matrices.

    Attributes
    ----------
    node : ndarray of int64, shape (n_nodes,)
        Node of each row.
    row_start : ndarray of int64, shape (n_symbols + 1,)
        Symbol a has the rows ``row_start[a]:row_start[a + 1]``.
    weight : ndarray of float64, shape (n_nodes,)
        How often each row counts.
    """

    node: np.ndarray
    row_start: np.ndarray
    weight: np.ndarray

    def weight_of(self, symbol: int) -> np.ndarray:
        """The weights of a symbol's rows."""
        return self.weight[self.row_start[symbol] : self.row_start[symbol + 1]]


@dataclass(frozen=True)
class FeatureMatrices:
    """Binary features of one side (inside or outside) of every node: a CSR matrix for each symbol.

    Attributes
    ----------
    indptr : ndarray of int64, shape (n_nodes + 1,)
        Row r has the columns ``indices[indptr[r]:indptr[r + 1]]``.
    indices : ndarray of int32, shape (n_nonzero,)
        Columns; those of each symbol start from 0.
    column_start : ndarray of int64, shape (n_symbols + 1,)
        Symbol a has the features ``column_start[a]:column_start[a + 1]``.
    count : ndarray of int32 or float64, shape (n_features,)
        Number of nodes with each feature; or the sum of their weights, if any is not 1.
    template : ndarray of int16, shape (n_features,)
        Position of each feature's template among the templates of this side.
    """

    indptr: np.ndarray
    indices: np.ndarray
    column_start: np.ndarray
    count: np.ndarray
    template: np.ndarray

    def matrix(self, symbol: int, order: NodeOrder, settings: FeatureSettings) -> sparse.csr_array:
        """The scaled feature matrix of one symbol, float64, shape (nodes of the symbol, its features).

        A feature of ``count`` out of M nodes, both weighted, has the value √(M / (count + κ)) (C13 §3.1), or 1 without
        scaling.
        """
        from scipy import sparse  # imported here because scipy is slow to import and parsing does not need it

        first, last = order.row_start[symbol : symbol + 2]
        low, high = self.column_start[symbol : symbol + 2]
        indptr = self.indptr[first : last + 1]
        columns = self.indices[indptr[0] : indptr[-1]]
        n_rows = int(last - first)
        count = self.count[low:high]
        n_examples = float(order.weight_of(symbol).sum())
        scale = inverse_deviations(count, n_examples, settings.kappa) if settings.scale else np.ones(len(count))
        return sparse.csr_array((scale[columns], columns, indptr - indptr[0]), shape=(n_rows, int(high - low)))


class NodeFeatures(NamedTuple):
    """Inside and outside features of all nodes.

    Attributes
    ----------
    order : NodeOrder
    inside, outside : FeatureMatrices
    """

    order: NodeOrder
    inside: FeatureMatrices
    outside: FeatureMatrices


def sort_nodes(symbol: np.ndarray, n_symbols: int, weight: np.ndarray | None = None) -> NodeOrder:
    """Sort nodes by symbol, int, (n_nodes,); nodes of one symbol keep their order.

    `weight` has the weight of each node, float64, (n_nodes,); by default all are 1.
    """
    node = np.argsort(symbol, kind="stable")
    own = np.ones(len(node)) if weight is None else weight[node]
    return NodeOrder(node, starts(np.bincount(symbol, minlength=n_symbols)), own)


def extract(
    view: NodeView, templates: Sequence[Template], order: NodeOrder, progress: Progress = no_progress
) -> FeatureMatrices:
    """Evaluate the templates of one side on all nodes.

    Parameters
    ----------
    view : NodeView
    templates : sequence of Template
        Templates of one side.
    order : NodeOrder
        From `sort_nodes`.
    progress : Progress
        Reports progress over the templates.
    """
    symbol, kind = view.trees.symbol, view.trees.kind
    n_symbols = len(order.row_start) - 1
    feature = np.full((len(templates), len(symbol)), -1, np.int64)
    feature_symbols: list[np.ndarray] = []
    n_features = 0
    for row, template in zip(feature, progress(templates, "features", len(templates), "template"), strict=True):
        nodes = np.flatnonzero(np.isin(kind, template.kinds))
        number, where = number_rows([symbol[nodes], *(column[nodes] for column in template.columns(view))])
        row[nodes] = number + n_features
        feature_symbols.append(symbol[nodes[where]])
        n_features += len(where)
    return _by_symbol(feature, feature_symbols, order, n_symbols)


def _by_symbol(
    feature: np.ndarray, feature_symbols: list[np.ndarray], order: NodeOrder, n_symbols: int
) -> FeatureMatrices:
    """Renumber features so that those of a symbol are consecutive, and sort rows by `order`.

    `feature`, int64, (n_templates, n_nodes), has the feature of each template and node, -1 for none.
    """
    feature_symbol = np.concatenate(feature_symbols)
    template = np.repeat(np.arange(len(feature_symbols)), [len(symbols) for symbols in feature_symbols])
    sorted_features = np.argsort(feature_symbol, kind="stable")
    column_start = starts(np.bincount(feature_symbol, minlength=n_symbols))
    column = np.empty(len(feature_symbol), np.int32)
    column[sorted_features] = np.arange(len(feature_symbol)) - column_start[feature_symbol[sorted_features]]
    by_row = feature[:, order.node].T
    is_there = by_row >= 0
    flat = by_row[is_there]
    indptr = starts(is_there.sum(1))
    if np.all(order.weight == 1):
        count: np.ndarray = np.bincount(flat, minlength=len(feature_symbol)).astype(np.int32)
    else:
        count = np.bincount(flat, np.repeat(order.weight, is_there.sum(1)), len(feature_symbol))
    return FeatureMatrices(
        indptr, column[flat], column_start, count[sorted_features], template[sorted_features].astype(np.int16)
    )
