"""Compiled left-to-right pass over the inside vectors of a sentence: prefix probabilities of an L-PCFG.

The mathematics is at the top of `lpcfg_cli.parsing.prefix`.

Loop indexes: i, j: start and end of a span; item: top items, sorted by end, symbol and start; r: binary rules; a:
states of the parent; b, c: states of the left and the right child; q: components of a factored tensor; s: states of all
symbols; x: candidates of a word; k: entries of an array, or places of rules in ``rules.order``.
"""

import numpy as np

from lpcfg_cli.arrays.entrywise import add_scaled, dot
from lpcfg_cli.arrays.kernel_options import BORROWING, ENTRY, REORDERED_SUMS, njit
from lpcfg_cli.parsing.layout import Words
from lpcfg_cli.parsing.prefix_layout import LeftItems, PrefixChart, PrefixRules
from lpcfg_cli.parsing.product_kernels import add_product, add_transposed_product, copy_part, set_zero
from lpcfg_cli.parsing.tensor_kernels import largest


@njit(**BORROWING)
def dense_right(rules: PrefixRules, r: int, summed: np.ndarray, expected: np.ndarray) -> None:
    """Add Σ_ab S_ba T_abc to what is expected after the left child; O(m_a m_b m_c).

    `summed`, (≥ m_b m_a,), is S row by row; `expected`, (Σ m,), is added to.
    """
    tensors = rules.tensors
    parent, left, right = tensors.parent[r], tensors.left[r], tensors.right[r]
    m_a, m_c, first = tensors.n_states[parent], tensors.n_states[right], tensors.root_start[right]
    for b in range(tensors.n_states[left]):
        place = tensors.start[r] + b * m_c * m_a
        add_product(tensors.inside_values, place, (m_c, m_a), summed, b * m_a, expected, first)


@njit(**BORROWING)
def sum_products(
    rules: PrefixRules,
    r: int,
    items: LeftItems,
    between: tuple[int, int],
    weight: np.ndarray,
    predicted: np.ndarray,
    summed: np.ndarray,
) -> None:
    """Fill S_ba = Σ_items w α_b H_a for the left child and the parent of a rule; O(m_a m_b) an item.

    `weight`, (n,), is the factor of each start; `predicted`, (n, Σ m), is H of each start; `summed`, (≥ m_b m_a,), is
    written.
    """
    tensors = rules.tensors
    parent, left = tensors.parent[r], tensors.left[r]
    m_a, m_b, first = tensors.n_states[parent], tensors.n_states[left], tensors.root_start[parent]
    set_zero(summed, 0, m_a * m_b)
    for item in range(between[0], between[1]):
        h = predicted[items.start[item]]
        for b in range(m_b):
            factor = weight[item - between[0]] * items.vector[items.vector_start[item] + b]
            add_scaled(summed, b * m_a, factor, h, first, m_a)


@njit(**BORROWING, **REORDERED_SUMS)
def factored_right(
    rules: PrefixRules,
    r: int,
    items: LeftItems,
    between: tuple[int, int],
    weight: np.ndarray,
    predicted: np.ndarray,
    expected: np.ndarray,
    buffers: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Add Σ_items w Σ_q (U_q · H)(V_q · α) W_q to what is expected; O(R (m_a + m_b)) an item and O(R m_c) in addition.

    The arguments are those of `sum_products` and `dense_right`; `buffers` have shape (≥ R,).
    """
    tensors = rules.tensors
    parent, left, right = tensors.parent[r], tensors.left[r], tensors.right[r]
    m_a, m_b, m_c = tensors.n_states[parent], tensors.n_states[left], tensors.n_states[right]
    rank, first_u = tensors.rank[r], tensors.start[r]
    first_v, first_w = first_u + rank * m_a, first_u + rank * (m_a + m_b)
    above, first_c = tensors.root_start[parent], tensors.root_start[right]
    total, from_left, from_above = buffers
    set_zero(total, 0, rank)
    for item in range(between[0], between[1]):
        set_zero(from_left, 0, rank)
        set_zero(from_above, 0, rank)
        h = predicted[items.start[item]]
        add_transposed_product(tensors.outside_values, first_u, (m_a, rank), h, above, from_above, 0)
        add_transposed_product(
            tensors.inside_values, first_v, (m_b, rank), items.vector, items.vector_start[item], from_left, 0
        )
        for q in range(rank):
            total[q] += weight[item - between[0]] * from_above[q] * from_left[q]
    add_transposed_product(tensors.outside_values, first_w, (rank, m_c), total, 0, expected, first_c)


@njit(**BORROWING)
def weigh_items(
    items: LeftItems, between: tuple[int, int], exponent: np.ndarray, reference: int, weight: np.ndarray
) -> None:
    """Fill `weight` with 2^(exponent of the start + exponent of the item − reference) of each item; O(items)."""
    for item in range(between[0], between[1]):
        weight[item - between[0]] = 2.0 ** (exponent[items.start[item]] + items.exponent[item] - reference)


@njit(**BORROWING)
def largest_item_exponent(items: LeftItems, between: tuple[int, int], exponent: np.ndarray) -> int:
    """The largest sum of the exponents of an item and of its start; 0 without items."""
    found = 0
    for item in range(between[0], between[1]):
        total = exponent[items.start[item]] + items.exponent[item]
        found = total if item == between[0] else max(found, total)
    return found


@njit(**BORROWING)
def expect_right(
    rules: PrefixRules,
    items: LeftItems,
    j: int,
    chart: PrefixChart,
    buffers: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Compute F of position j from the left children that end there; see `prefix_pass`.

    `buffers` are for the weights of the items, (n,), for S, (largest m²,), and three for `factored_right`.
    """
    tensors = rules.tensors
    weight, summed = buffers[:2]
    expected = chart.expected[j]
    item, last = items.first[j], items.first[j + 1]
    reference = largest_item_exponent(items, (item, last), chart.exponent)
    chart.exponent[j] = reference
    while item < last:
        left = items.symbol[item]
        stop = item + 1
        while stop < last and items.symbol[stop] == left:
            stop += 1
        weigh_items(items, (item, stop), chart.exponent, reference, weight)
        parent = -1
        for k in range(rules.left_start[left], rules.left_start[left + 1]):
            r = rules.order[k]
            if tensors.rank[r] > 0:
                factored_right(rules, r, items, (item, stop), weight, chart.predicted, expected, buffers[2:])
                continue
            if tensors.parent[r] != parent:
                parent = tensors.parent[r]
                sum_products(rules, r, items, (item, stop), weight, chart.predicted, summed)
            dense_right(rules, r, summed, expected)
        item = stop


@njit(**BORROWING)
def rescale(vector: np.ndarray) -> int:
    """Divide by the power of two that brings the largest entry near 1; returns its exponent, 0 if that is no number."""
    size = 0.0
    for k in range(vector.shape[0]):
        size = max(size, abs(vector[k]))
    if not 0.0 < size < np.inf:
        return 0
    shift = int(np.floor(np.log2(size)))
    for k in range(vector.shape[0]):
        vector[k] *= 2.0**-shift
    return shift


@njit(**BORROWING)
def predict(expected: np.ndarray, closure: np.ndarray, predicted: np.ndarray) -> None:
    """H = F R: what may begin, however deep at the left edge of what is expected; O((Σ m)²)."""
    for s in range(expected.shape[0]):
        if expected[s] != 0.0:
            add_scaled(predicted, 0, expected[s], closure[s], 0, predicted.shape[0])


@njit(**ENTRY, **REORDERED_SUMS)
def prefix_pass(n: int, n_positions: int, rules: PrefixRules, items: LeftItems, words: Words) -> PrefixChart:
    """Compute F, H and the prefix probabilities of a sentence, left to right.

    Parameters
    ----------
    n : int
        Number of words.
    n_positions : int
        n, or n + 1 to compute what may follow the last word too.
    rules : PrefixRules
    items : LeftItems
        The inside vectors of top items; those that end at n are used for what follows the last word only.
    words : Words
        With vectors of the same floating-point type as the rules.

    Returns
    -------
    PrefixChart
        O((Σ m)²) a word, O(rules · m³) a word and O(rules · m²) a span.
    """
    tensors = rules.tensors
    n_total = tensors.root_start[-1]
    chart = PrefixChart(
        np.zeros((n_positions, n_total)),
        np.zeros((n_positions, n_total)),
        np.zeros(n_positions, np.int64),
        np.zeros(n + 1),
        np.zeros(n + 1, np.int64),
    )
    m = largest(tensors.n_states)
    rank = largest(tensors.rank)
    buffers = np.empty(n + 1), np.empty(m * m), np.empty(rank), np.empty(rank), np.empty(rank)
    for j in range(n_positions):
        if j == 0:
            copy_part(tensors.root_vector, 0, n_total, chart.expected[0], 0)
        else:
            expect_right(rules, items, j, chart, buffers)
        chart.exponent[j] += rescale(chart.expected[j])
        predict(chart.expected[j], rules.closure, chart.predicted[j])
        if j == n:
            break
        total = 0.0
        for x in range(words.start[j], words.start[j + 1]):
            first, place = tensors.root_start[words.symbol[x]], words.vector_start[x]
            total += dot(words.vector, place, chart.predicted[j], first, words.vector_start[x + 1] - place)
        chart.total[j + 1], chart.total_exponent[j + 1] = total, chart.exponent[j]
    return chart
