"""Compiled coarse pass: inside-outside of a plain PCFG, and pruning by posterior (C13 §4).

Every cell has its own exponent (true value = stored value · 2^exponent), so that sentences of any length neither
underflow nor overflow.

Loop indexes: i, j: start and end of a span (a cell); k: split points, i < k < j; a: symbols, or parents; b, c: left and
right children; pair: pairs (b, c) of children; r: binary rules; u: unary rules; x: candidates of a word.  n is the
number of words.  Named tuples of arrays are described in `lpcfg_cli.parsing.layout`.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import FILLING, INLINED, REORDERED_SUMS, njit
from lpcfg_cli.parsing.layout import CoarseInside, CoarseRules, PrunedChart, Words


@njit(**INLINED)
def split_weights(exponent: np.ndarray, has_items: np.ndarray, i: int, j: int, total: int, weight: np.ndarray) -> None:
    """Fill ``weight[k]`` with 2^(e_ik + e_kj − total), or 0 where (i, k) or (k, j) has no items; O(n).

    `exponent`, int64, and `has_items`, bool, have shape (n, n + 1); `weight`, float64, shape (n + 1,).
    """
    for k in range(i + 1, j):
        if has_items[i, k] and has_items[k, j]:
            weight[k] = 2.0 ** (exponent[i, k] + exponent[k, j] - total)
        else:
            weight[k] = 0.0


@njit(**INLINED)
def extend_ranges(
    i: int,
    j: int,
    symbol: int,
    first_by_start: np.ndarray,
    last_by_start: np.ndarray,
    first_by_stop: np.ndarray,
    last_by_stop: np.ndarray,
) -> None:
    """Extend the ranges of a `CoarseInside` by the item (i, j, symbol); O(1)."""
    first_by_start[i, symbol] = min(first_by_start[i, symbol], j)
    last_by_start[i, symbol] = max(last_by_start[i, symbol], j)
    first_by_stop[j, symbol] = min(first_by_stop[j, symbol], i)
    last_by_stop[j, symbol] = max(last_by_stop[j, symbol], i)


@njit(**INLINED)
def largest_exponent(exponent: np.ndarray, has_items: np.ndarray, i: int, j: int) -> tuple[bool, int]:
    """Whether any split of (i, j) has items on both sides, and the largest sum of their exponents; O(n)."""
    found, largest = False, 0
    for k in range(i + 1, j):
        if has_items[i, k] and has_items[k, j]:
            e = exponent[i, k] + exponent[k, j]
            if not found or e > largest:
                largest = e
            found = True
    return found, largest


@njit(**INLINED)
def add_splits(
    rules: CoarseRules, inside: CoarseInside, i: int, j: int, weight: np.ndarray, weighted: np.ndarray
) -> None:
    """Apply binary rules to all splits of (i, j): adds to its bottom items.  O(n · active pairs + their rules).

    `weight`, float64, (n + 1,), has the factor of each split point; `weighted`, float64, (n + 1,), is a buffer.
    """
    bottom = inside.bottom[i, j]
    for b in range(rules.root_probability.shape[0]):
        first, last = inside.first_by_start[i, b], min(inside.last_by_start[i, b], j - 1)
        if first > last:
            continue
        left = inside.by_start[i, b]
        for k in range(first, last + 1):
            weighted[k] = left[k] * weight[k]
        for pair in range(rules.pair_left_start[b], rules.pair_left_start[b + 1]):
            c = rules.pair_right[pair]
            low, high = max(first, inside.first_by_stop[j, c]), min(last, inside.last_by_stop[j, c])
            if low > high:
                continue
            right = inside.by_stop[j, c]
            total = 0.0
            for k in range(low, high + 1):
                total += weighted[k] * right[k]
            if total > 0.0:
                for r in range(rules.pair_rule_start[pair], rules.pair_rule_start[pair + 1]):
                    bottom[rules.rule_parent[r]] += rules.rule_probability[r] * total


@njit(**INLINED)
def store_cell(rules: CoarseRules, inside: CoarseInside, i: int, j: int, exponent: int, top: np.ndarray) -> bool:
    """Apply unary rules to the bottom items of (i, j), rescale the cell and store it; O(n_symbols + unary rules).

    What constraints do not permit becomes zero.  `exponent` is the current exponent of the bottom items; `top`,
    float64, (n_symbols,), is a buffer.  Returns False if the cell has no items.
    """
    bottom = inside.bottom[i, j]
    n_symbols = bottom.shape[0]
    is_free = rules.permitted_bottom.shape[0] == 0
    for a in range(n_symbols):
        if not is_free and not rules.permitted_bottom[i, j, a]:
            bottom[a] = 0.0
        top[a] = bottom[a] if is_free or rules.permitted_identity[i, j, a] else 0.0
    for u in range(rules.unary_parent.shape[0]):
        value = bottom[rules.unary_child[u]]
        if value > 0.0 and (is_free or rules.permitted_unary[i, j, u]):
            top[rules.unary_parent[u]] += rules.unary_probability[u] * value
    largest = 0.0
    for a in range(n_symbols):
        largest = max(largest, top[a])
    if largest == 0.0:
        return False
    shift = int(np.floor(np.log2(largest)))
    inside.exponent[i, j] = exponent + shift
    factor = 2.0**-shift
    for a in range(n_symbols):
        bottom[a] *= factor
        if top[a] > 0.0:
            inside.by_start[i, a, j] = top[a] * factor
            inside.by_stop[j, a, i] = top[a] * factor
            extend_ranges(
                i, j, a, inside.first_by_start, inside.last_by_start, inside.first_by_stop, inside.last_by_stop
            )
    return True


def coarse_inside(n: int, rules: CoarseRules, words: Words) -> tuple[CoarseInside, np.ndarray]:
    """Compute inside probabilities; O(n³ · active pairs), with the sum over splits innermost.

    Parameters
    ----------
    n : int
        Number of words.
    rules : CoarseRules
    words : Words

    Returns
    -------
    CoarseInside
    has_items : ndarray of bool, shape (n, n + 1)
        Whether each span has any item.
    """
    n_symbols = len(rules.root_probability)
    inside = CoarseInside(
        np.zeros((n, n_symbols, n + 1)),
        np.zeros((n + 1, n_symbols, n)),
        np.zeros((n, n + 1, n_symbols)),
        np.zeros((n, n + 1), np.int64),
        np.full((n, n_symbols), n + 1, np.int32),
        np.full((n, n_symbols), -1, np.int32),
        np.full((n + 1, n_symbols), n + 1, np.int32),
        np.full((n + 1, n_symbols), -1, np.int32),
    )
    has_items = np.zeros((n, n + 1), bool)
    fill_inside(rules, words, inside, has_items, np.zeros(n + 1), np.zeros(n + 1), np.zeros(n_symbols))
    return inside, has_items


@njit(**FILLING, **REORDERED_SUMS)
def fill_inside(
    rules: CoarseRules,
    words: Words,
    inside: CoarseInside,
    has_items: np.ndarray,
    weight: np.ndarray,
    weighted: np.ndarray,
    top: np.ndarray,
) -> None:
    """Fill the inside probabilities and `has_items` of `coarse_inside`.

    Buffers are `weight` and `weighted`, float64, (n + 1,), and `top`, float64, (n_symbols,).
    """
    n = has_items.shape[0]
    for j in range(1, n + 1):
        for i in range(j - 1, -1, -1):
            found, exponent = largest_exponent(inside.exponent, has_items, i, j)
            if found:
                split_weights(inside.exponent, has_items, i, j, exponent, weight)
                add_splits(rules, inside, i, j, weight, weighted)
            if i == j - 1:
                found = True
                for x in range(words.start[i], words.start[j]):
                    inside.bottom[i, j, words.symbol[x]] += words.probability[x]
            if found:
                has_items[i, j] = store_cell(rules, inside, i, j, exponent, top)


@njit(**INLINED)
def prune_cell(
    rules: CoarseRules, inside: CoarseInside, kept: PrunedChart, i: int, j: int, least: float, top_outside: np.ndarray
) -> bool:
    """Mark the items of (i, j) whose inside times outside is at least `least`; O(n_symbols + unary rules).

    `top_outside`, float64, (n_symbols,), has the outside probabilities of the top items; those of pruned items become
    zero.  Returns False if no bottom item survives.
    """
    n_symbols = top_outside.shape[0]
    is_free = rules.permitted_bottom.shape[0] == 0
    outside = kept.outside[i, j]
    for a in range(n_symbols):
        posterior = top_outside[a] * inside.by_start[i, a, j]
        if posterior > 0.0 and posterior >= least:
            kept.top[i, j, a] = True
            kept.cell[i, j] = True
        else:
            top_outside[a] = 0.0
        outside[a] = top_outside[a] if is_free or rules.permitted_identity[i, j, a] else 0.0
    if not kept.cell[i, j]:
        return False
    for u in range(rules.unary_parent.shape[0]):
        value = top_outside[rules.unary_parent[u]]
        if value > 0.0 and (is_free or rules.permitted_unary[i, j, u]):
            outside[rules.unary_child[u]] += rules.unary_probability[u] * value
    any_bottom = False
    for a in range(n_symbols):
        posterior = outside[a] * inside.bottom[i, j, a]
        if posterior > 0.0 and posterior >= least:
            kept.bottom[i, j, a] = True
            any_bottom = True
        else:
            outside[a] = 0.0
    return any_bottom


@njit(**INLINED)
def spread_outside(
    rules: CoarseRules,
    inside: CoarseInside,
    outside: np.ndarray,
    span: tuple[int, int],
    weight: np.ndarray,
    out_by_start: np.ndarray,
    out_by_stop: np.ndarray,
) -> None:
    """Add the contributions of a span's bottom items to the outside of both children of every split.

    `outside`, float64, (n_symbols,), is that of the span's bottom items; `weight`, (n + 1,), is as in `add_splits`.
    Adds to `out_by_start` and `out_by_stop`, shaped like ``inside.by_start`` and ``inside.by_stop``.
    O(n · active pairs + their rules).
    """
    i, j = span
    for b in range(rules.root_probability.shape[0]):
        first, last = inside.first_by_start[i, b], min(inside.last_by_start[i, b], j - 1)
        if first > last:
            continue
        left, left_out = inside.by_start[i, b], out_by_start[i, b]
        for pair in range(rules.pair_left_start[b], rules.pair_left_start[b + 1]):
            c = rules.pair_right[pair]
            low, high = max(first, inside.first_by_stop[j, c]), min(last, inside.last_by_stop[j, c])
            if low > high:
                continue
            above = 0.0
            for r in range(rules.pair_rule_start[pair], rules.pair_rule_start[pair + 1]):
                above += rules.rule_probability[r] * outside[rules.rule_parent[r]]
            if above == 0.0:
                continue
            right, right_out = inside.by_stop[j, c], out_by_stop[j, c]
            for k in range(low, high + 1):
                w = above * weight[k]
                left_out[k] += w * right[k]
                right_out[k] += w * left[k]


def coarse_outside(
    n: int, rules: CoarseRules, inside: CoarseInside, has_items: np.ndarray, threshold: float
) -> PrunedChart:
    """Compute outside probabilities top down, pruning items whose posterior is below the threshold.

    The stored outside value is the true one times 2^(exponent of the cell − exponent of the sentence), so that in every
    cell inside times outside is the posterior times the stored total.  O(n³ · active pairs).

    Parameters
    ----------
    n, rules
        As for `coarse_inside`.
    inside, has_items
        From `coarse_inside`.
    threshold : float
        Smallest posterior of an item that survives; with 0 all items that occur in any tree survive.

    Returns
    -------
    PrunedChart
        Without items, and with a total of 0, if the sentence has no tree.
    """
    n_symbols = len(rules.root_probability)
    total = float(rules.root_probability @ inside.by_start[0, :, n])
    kept = PrunedChart(
        total,
        np.zeros((n, n + 1, n_symbols)),
        np.zeros((n, n + 1, n_symbols), bool),
        np.zeros((n, n + 1, n_symbols), bool),
        np.zeros((n, n + 1), bool),
    )
    if total > 0.0:
        out_by_start, out_by_stop = np.zeros_like(inside.by_start), np.zeros_like(inside.by_stop)
        buffers = np.zeros(n + 1), np.zeros(n_symbols)
        fill_outside(rules, inside, has_items, kept, threshold * total, out_by_start, out_by_stop, *buffers)
    return kept


@njit(**FILLING, **REORDERED_SUMS)
def fill_outside(
    rules: CoarseRules,
    inside: CoarseInside,
    has_items: np.ndarray,
    kept: PrunedChart,
    least: float,
    out_by_start: np.ndarray,
    out_by_stop: np.ndarray,
    weight: np.ndarray,
    top_outside: np.ndarray,
) -> None:
    """Fill the chart of `coarse_outside`; `least` and the arrays of zeros after it are as in the functions for a cell.

    `weight` and `top_outside` are buffers.
    """
    n = has_items.shape[0]
    for width in range(n, 0, -1):
        for i in range(n - width + 1):
            j = i + width
            if not has_items[i, j]:
                continue
            for a in range(top_outside.shape[0]):
                at_root = rules.root_probability[a] if width == n else 0.0
                top_outside[a] = out_by_start[i, a, j] + out_by_stop[j, a, i] + at_root
            if prune_cell(rules, inside, kept, i, j, least, top_outside) and width > 1:
                split_weights(inside.exponent, has_items, i, j, inside.exponent[i, j], weight)
                spread_outside(rules, inside, kept.outside[i, j], (i, j), weight, out_by_start, out_by_stop)
