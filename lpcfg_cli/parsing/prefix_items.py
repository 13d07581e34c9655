"""The inside items of a sentence as left children of the prefix pass."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.parsing.layout import CoarseInside, Forest, PrunedChart, Vectors
from lpcfg_cli.parsing.prefix_layout import LeftItems, PrefixRules


def items_of_chart(n: int, inside: CoarseInside) -> LeftItems:
    """The top items of a plain PCFG's chart, each with a vector of one state."""
    i, a, j = np.nonzero(inside.by_start)
    return _sorted_items(n, (i, j, a), inside.exponent[i, j], np.arange(len(i)), inside.by_start[i, a, j])


def items_of_forest(n: int, forest: Forest, vectors: Vectors, inside: CoarseInside) -> LeftItems:
    """The top items of a forest with their inside vectors.

    `vectors` are those of the forest, `inside` is from the coarse pass, whose exponents they share.
    """
    cell = np.repeat(np.arange(len(forest.cell_start)), np.diff(forest.cell_top))
    i, j = forest.cell_start[cell], forest.cell_stop[cell]
    exponent = inside.exponent[i, j] + vectors.level_exponent[j - i]
    return _sorted_items(n, (i, j, forest.top_symbol), exponent, vectors.top_start[:-1], vectors.top)


def _sorted_items(
    n: int,
    items: tuple[np.ndarray, np.ndarray, np.ndarray],
    exponent: np.ndarray,
    vector_start: np.ndarray,
    vector: np.ndarray,
) -> LeftItems:
    start, stop, symbol = items
    order = np.lexsort([start, symbol, stop])
    return LeftItems(
        np.searchsorted(stop[order], np.arange(n + 2)).astype(np.int64),
        start[order].astype(np.int32),
        symbol[order].astype(np.int32),
        exponent[order].astype(np.int64),
        vector_start[order].astype(np.int64),
        vector,
    )


def whole_sentence(n: int, items: LeftItems, rules: PrefixRules) -> tuple[float, int]:
    """The inside total of the first n words as a sentence, r · α_top(0, n), and the exponent by which it is scaled."""
    total, exponent = 0.0, 0
    for item in range(items.first[n], items.first[n + 1]):
        if items.start[item] == 0:
            first, last = rules.tensors.root_start[items.symbol[item] : items.symbol[item] + 2]
            at = items.vector_start[item]
            total += float(rules.tensors.root_vector[first:last] @ items.vector[at : at + last - first])
            exponent = int(items.exponent[item])
    return total, exponent


def kept_chart(bottom: np.ndarray, top: np.ndarray) -> PrunedChart:
    """The chart of the items that survive, without outside probabilities, from which a forest is built.

    Parameters
    ----------
    bottom : ndarray of bool, shape (n, n + 1, n_symbols)
        Whether the bottom item a over (i, j) survives, as ``bottom[i, j, a]``.
    top : ndarray of bool, shape (n, n_symbols, n + 1)
        Whether the top item survives, as ``top[i, a, j]``.
    """
    by_span = np.ascontiguousarray(top.transpose(0, 2, 1))
    is_kept = np.asarray(by_span.any(2))
    return PrunedChart(1.0, np.zeros(bottom.shape), by_span, np.ascontiguousarray(bottom), is_kept)
