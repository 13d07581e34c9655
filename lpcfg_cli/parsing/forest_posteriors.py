"""Inside-outside over a forest whose rule applications have weights of their own, by the kernels of the L-PCFG.

What the kernels multiply by is a grammar of one state whose only binary rule is certain: each application's weight
goes into the edge, or is a unary rule or a word of its own.  No kernel needs to be compiled for it.
"""

from __future__ import annotations

import numpy as np

from lpcfg_cli.grammar.model import DENSE, starts
from lpcfg_cli.parsing.layout import Forest, Marginals, TensorRules, Words
from lpcfg_cli.parsing.tensor_kernels import tensor_inside, tensor_outside

PRECISION = np.float32
"""That of the parser, for which the kernels are compiled already."""


def forest_posteriors(forest: Forest, weights: Marginals, is_root: np.ndarray) -> Marginals:
    """Posteriors of rule applications where p(tree) ∝ the product of its applications' weights; O(edges).

    Parameters
    ----------
    forest : Forest
    weights : Marginals
        A positive number for each rule application.
    is_root : ndarray of bool, shape (n_top,)
        Whether a tree may have a top item as its root.

    Returns
    -------
    Marginals
        Their total is 1; all are zero when the forest has no tree.
    """
    # the kernels take no factor for an item as it is: its weight goes to what uses the item, and divides its unaries'
    as_is = np.where(forest.top_bottom >= 0, weights.identity, 1.0)
    edges = weights.edge * as_is[forest.edge_left] * as_is[forest.edge_right]
    n_unary = len(forest.unary_rule)
    weighted = forest._replace(
        group_rule=np.zeros_like(forest.group_rule),
        edge_weight=edges,
        unary_rule=np.arange(n_unary, dtype=np.int32),
    )
    rules = _one_state(forest, weights.unary / as_is[forest.unary_top], as_is, is_root)
    n = len(forest.level_cell) - 1
    vectors = tensor_inside(weighted, rules, _words(forest, weights.lexical), np.ones(n))
    found = tensor_outside(n, weighted, rules, vectors)
    total = found.total or 1.0
    parts = (part / total for part in (found.edge, found.unary, found.lexical, found.identity))
    return Marginals(0, found.total / total, *parts)


def _one_state(forest: Forest, unary: np.ndarray, as_is: np.ndarray, is_root: np.ndarray) -> TensorRules:
    """The grammar: a certain binary rule, a unary rule for each application, and the roots' weights by symbol."""
    n_symbols = int(max(forest.top_symbol.max(initial=0), forest.bottom_symbol.max(initial=0))) + 1
    root = np.zeros(n_symbols, PRECISION)
    root[forest.top_symbol[is_root]] = as_is[is_root]
    only = np.zeros(1, np.int32)
    return TensorRules(
        np.ones(n_symbols, np.int64),
        only,
        only,
        only,
        np.full(1, DENSE, np.int64),
        np.arange(2),
        np.ones(1, PRECISION),
        np.arange(len(unary) + 1),
        unary.astype(PRECISION),
        np.arange(n_symbols + 1),
        root,
    )


def _words(forest: Forest, weight: np.ndarray) -> Words:
    """Each bottom item over a word as a candidate of the word, with its weight."""
    cells, n = forest.level_cell[1], len(forest.level_cell) - 1
    items = forest.cell_bottom[cells]
    size = np.zeros(n, np.int64)
    size[forest.cell_start[:cells]] = np.diff(forest.cell_bottom[: cells + 1])
    own = weight[:items]
    return Words(starts(size), forest.bottom_symbol[:items], own, np.arange(items + 1), own.astype(PRECISION))
