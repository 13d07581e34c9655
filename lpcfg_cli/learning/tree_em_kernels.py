"""Compiled inside-outside over given trees, and the M-step's sums (Matsuzaki et al. 2005; Baum-Welch on trees).

Inside vectors are divided by their sums s, outside vectors are such that their product with the inside vector is 1:
all numbers stay near 1 however large a tree is, and no logarithm is taken but of s.

All is done by matrix products, for k nodes of one rule at a time.  With the rule's tensor as a matrix T of m_a rows,
the outer products of the children's inside vectors as the rows of P, and the nodes' outside vectors, each divided by
s, as those of W: inside vectors are P Tᵀ, messages to the children W T, and counts Wᵀ P.  The first two take runs of
nodes of one height, which stand side by side, the last all nodes of a rule.  That is O(k m³), as it is one by one,
but at the speed of BLAS, which is no slower than loops from two nodes and m = 8 on.

A child that is not there is the row after the last node, whose inside vector is (1).
"""

import math

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, INNER, REORDERED_SUMS, njit

BATCH = 1 << 14
"""How many numbers P may have: longer runs are cut, so that it is still in the cache when it is used."""


@njit(**ENTRY, **REORDERED_SUMS)
def heights(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Height of each node above the lowest word below it, int32; nodes come in preorder, absent children last."""
    n = left.shape[0]
    height = np.full(n + 1, -1, np.int32)
    for node in range(n - 1, -1, -1):
        height[node] = max(height[left[node]], height[right[node]]) + 1
    return height[:n]


@njit(**INNER, **REORDERED_SUMS)
def batch_rows(m_a: int, size: int) -> int:
    """How many nodes are done at a time: no matrix with as many rows has more than `BATCH` numbers, if it can be."""
    return max(1, BATCH // max(m_a, size))


@njit(**INNER, **REORDERED_SUMS)
def matrix(buffer: np.ndarray, n_rows: int, n_columns: int) -> np.ndarray:
    """The beginning of a buffer as a matrix."""
    return buffer[: n_rows * n_columns].reshape(n_rows, n_columns)


@njit(**INNER, **REORDERED_SUMS)
def outer_product(first: np.ndarray, second: np.ndarray, m_b: int, m_c: int, out: np.ndarray) -> None:
    """A row of P: the outer product of the first m_b numbers of one vector and the first m_c of another."""
    for b in range(m_b):
        factor, at = first[b], b * m_c
        for c in range(m_c):
            out[at + c] = factor * second[c]


@njit(**INNER, **REORDERED_SUMS)
def scale_rows(unscaled: np.ndarray, alpha: np.ndarray, scale: np.ndarray) -> float:
    """Divide inside vectors by their sums, which go to `scale`; returns Σ log s, or NaN if a sum is zero."""
    total = 0.0
    for i in range(unscaled.shape[0]):
        whole = 0.0
        for a in range(unscaled.shape[1]):
            whole += unscaled[i, a]
        if not whole > 0.0:
            return math.nan
        scale[i] = whole
        for a in range(unscaled.shape[1]):
            alpha[i, a] = unscaled[i, a] / whole
        total += math.log(whole)
    return total


@njit(**INNER, **REORDERED_SUMS)
def lexical_inside(tensor: np.ndarray, alpha: np.ndarray, scale: np.ndarray) -> float:
    """Inside vectors of a run without children: the same for all, O(k m)."""
    whole = 0.0
    for value in tensor:
        whole += value
    if not whole > 0.0:
        return math.nan
    for i in range(scale.shape[0]):
        scale[i] = whole
        for a in range(tensor.shape[0]):
            alpha[i, a] = tensor[a] / whole
    return scale.shape[0] * math.log(whole)


@njit(**INNER, **REORDERED_SUMS)
def inside_run(
    first: int,
    last: int,
    left: np.ndarray,
    right: np.ndarray,
    shape: np.ndarray,
    tensor: np.ndarray,
    alpha: np.ndarray,
    scale: np.ndarray,
    room: np.ndarray,
) -> float:
    """Inside vectors of a run with children, in batches; O(k m³)."""
    m_a, m_b, m_c = shape[0], shape[1], shape[2]
    size = m_b * m_c
    rows, by_column = batch_rows(m_a, size), tensor.reshape(m_a, size).T
    total = 0.0
    for at in range(first, last, rows):
        stop = min(at + rows, last)
        products, unscaled = matrix(room[0], stop - at, size), matrix(room[1], stop - at, m_a)
        for i in range(at, stop):
            outer_product(alpha[left[i]], alpha[right[i]], m_b, m_c, products[i - at])
        np.dot(products, by_column, unscaled)
        total += scale_rows(unscaled, alpha[at:stop], scale[at:stop])
    return total


@njit(**ENTRY, **REORDERED_SUMS)
def inside(
    run: np.ndarray,
    rule: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    shape: np.ndarray,
    start: np.ndarray,
    values: np.ndarray,
    alpha: np.ndarray,
    scale: np.ndarray,
) -> float:
    """Fill `alpha`, shape (n_nodes + 1, m), and the sums `scale`, shape (n_nodes,); returns Σ log s.  O(n m³).

    NaN is returned as soon as an inside vector is zero.
    """
    absent, m = scale.shape[0], alpha.shape[1]
    room = np.empty((2, max(BATCH, m * m)))
    alpha[absent, 0] = 1.0
    total = 0.0
    for k in range(run.shape[0] - 1):
        first, last = run[k], run[k + 1]
        r = rule[first]
        tensor = values[start[r] : start[r + 1]]
        if right[first] == absent:
            total += lexical_inside(tensor, alpha[first:last], scale[first:last])
        else:
            total += inside_run(first, last, left, right, shape[r], tensor, alpha, scale, room)
        if math.isnan(total):
            break
    return total


@njit(**ENTRY, **REORDERED_SUMS)
def roots(
    root: np.ndarray,
    symbol: np.ndarray,
    state_start: np.ndarray,
    prior: np.ndarray,
    alpha: np.ndarray,
    beta: np.ndarray,
    counts: np.ndarray,
) -> float:
    """Outside vectors of the root nodes, and their states' expected counts; returns Σ log (π · inside)."""
    total = 0.0
    for node in root:
        first = state_start[symbol[node]]
        m = state_start[symbol[node] + 1] - first
        whole = 0.0
        for h in range(m):
            whole += prior[first + h] * alpha[node, h]
        if not whole > 0.0:
            return math.nan
        for h in range(m):
            beta[node, h] = prior[first + h] / whole
            counts[first + h] += beta[node, h] * alpha[node, h]
        total += math.log(whole)
    return total


@njit(**INNER, **REORDERED_SUMS)
def divide(vector: np.ndarray, by: float, out: np.ndarray) -> None:
    """out = vector / by, as far as `out` goes."""
    for a in range(out.shape[0]):
        out[a] = vector[a] / by


@njit(**INNER, **REORDERED_SUMS)
def add(values: np.ndarray, sums: np.ndarray) -> None:
    """sums += values."""
    for k in range(values.shape[0]):
        sums[k] += values[k]


@njit(**INNER, **REORDERED_SUMS)
def send_messages(
    left: np.ndarray,
    right: np.ndarray,
    m_b: int,
    m_c: int,
    messages: np.ndarray,
    alpha: np.ndarray,
    beta: np.ndarray,
) -> None:
    """Outside vectors of the children: each node's message times the inside vector of the other child."""
    to_second = np.empty(m_c)  # not in `beta` at once: the compiler would fear that it overlaps `alpha`
    for i in range(left.shape[0]):
        first, second, row = alpha[left[i]], alpha[right[i]], messages[i]
        for c in range(m_c):
            to_second[c] = 0.0
        for b in range(m_b):
            value, factor, at = 0.0, first[b], b * m_c
            for c in range(m_c):
                value += row[at + c] * second[c]
                to_second[c] += row[at + c] * factor
            beta[left[i], b] = value
        for c in range(m_c):
            beta[right[i], c] = to_second[c]


@njit(**INNER, **REORDERED_SUMS)
def outside_run(
    first: int,
    last: int,
    left: np.ndarray,
    right: np.ndarray,
    shape: np.ndarray,
    tensor: np.ndarray,
    alpha: np.ndarray,
    scale: np.ndarray,
    beta: np.ndarray,
    room: np.ndarray,
) -> None:
    """Outside vectors of the children of a run, in batches; O(k m³)."""
    m_a, m_b, m_c = shape[0], shape[1], shape[2]
    size = m_b * m_c
    rows, by_row = batch_rows(m_a, size), tensor.reshape(m_a, size)
    for at in range(first, last, rows):
        stop = min(at + rows, last)
        messages, weights = matrix(room[0], stop - at, size), matrix(room[1], stop - at, m_a)
        for i in range(at, stop):
            divide(beta[i], scale[i], weights[i - at])
        np.dot(weights, by_row, messages)
        send_messages(left[at:stop], right[at:stop], m_b, m_c, messages, alpha, beta)


@njit(**ENTRY, **REORDERED_SUMS)
def outside(
    run: np.ndarray,
    rule: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    shape: np.ndarray,
    start: np.ndarray,
    values: np.ndarray,
    alpha: np.ndarray,
    scale: np.ndarray,
    beta: np.ndarray,
) -> None:
    """Fill `beta`, shape (n_nodes + 1, m), from the roots down; O(n m³)."""
    absent, m = scale.shape[0], alpha.shape[1]
    room = np.empty((2, max(BATCH, m * m)))
    for k in range(run.shape[0] - 2, -1, -1):
        first, last = run[k], run[k + 1]
        r = rule[first]
        if right[first] != absent:
            tensor = values[start[r] : start[r + 1]]
            outside_run(first, last, left, right, shape[r], tensor, alpha, scale, beta, room)


@njit(**INNER, **REORDERED_SUMS)
def lexical_counts(nodes: np.ndarray, beta: np.ndarray, scale: np.ndarray, counts: np.ndarray) -> None:
    """Add the counts of a rule without children; O(k m)."""
    for node in nodes:
        for a in range(counts.shape[0]):
            counts[a] += beta[node, a] / scale[node]


@njit(**INNER, **REORDERED_SUMS)
def rule_counts(
    nodes: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    shape: np.ndarray,
    alpha: np.ndarray,
    scale: np.ndarray,
    beta: np.ndarray,
    counts: np.ndarray,
    room: np.ndarray,
    sums: np.ndarray,
) -> None:
    """Counts of a rule with children, which were zero, in batches; O(k m³)."""
    m_a, m_b, m_c = shape[0], shape[1], shape[2]
    size = m_b * m_c
    rows = batch_rows(m_a, size)
    for first in range(0, nodes.shape[0], rows):
        batch = nodes[first : first + rows]
        products, weights = matrix(room[0], batch.shape[0], size), matrix(room[1], batch.shape[0], m_a)
        for i in range(batch.shape[0]):
            node = batch[i]
            outer_product(alpha[left[node]], alpha[right[node]], m_b, m_c, products[i])
            divide(beta[node], scale[node], weights[i])
        if first == 0:
            np.dot(weights.T, products, matrix(counts, m_a, size))
        else:
            np.dot(weights.T, products, matrix(sums, m_a, size))
            add(sums[: m_a * size], counts)


@njit(**ENTRY, **REORDERED_SUMS)
def count(
    by_rule: np.ndarray,
    rule: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    shape: np.ndarray,
    start: np.ndarray,
    alpha: np.ndarray,
    scale: np.ndarray,
    beta: np.ndarray,
    counts: np.ndarray,
) -> None:
    """Fill `counts`, which are zero, with what lacks the tensors' factor; `by_rule` has the nodes by rule.  O(n m³).

    Expected counts are ``counts * values``: that product is taken once, not for every node.  Nodes of all heights
    are counted together: there are fewer matrices to be added up than runs.
    """
    absent, m = scale.shape[0], alpha.shape[1]
    room, sums = np.empty((2, max(BATCH, m * m))), np.empty(m * m * m)
    first = 0
    while first < by_rule.shape[0]:
        r, last = rule[by_rule[first]], first + 1
        while last < by_rule.shape[0] and rule[by_rule[last]] == r:
            last += 1
        nodes, found = by_rule[first:last], counts[start[r] : start[r + 1]]
        if right[nodes[0]] == absent:
            lexical_counts(nodes, beta, scale, found)
        else:
            rule_counts(nodes, left, right, shape[r], alpha, scale, beta, found, room, sums)
        first = last


@njit(**ENTRY, **REORDERED_SUMS)
def multiply(values: np.ndarray, counts: np.ndarray) -> None:
    """counts *= values."""
    for k in range(values.shape[0]):
        counts[k] *= values[k]


@njit(**ENTRY, **REORDERED_SUMS)
def normalise(
    parent: np.ndarray,
    shape: np.ndarray,
    start: np.ndarray,
    state_start: np.ndarray,
    base: np.ndarray,
    prior: float,
    values: np.ndarray,
) -> None:
    """Counts become probabilities, in place.

    ``prior * base[r]`` is added to every number of rule r; numbers of one parent state are divided by their sum over
    all rules, or are ``base[r]`` where that is zero.
    """
    total = np.zeros(state_start[-1])
    for r in range(parent.shape[0]):
        size = shape[r, 1] * shape[r, 2]
        at, first, extra = start[r], state_start[parent[r]], prior * base[r]
        for a in range(shape[r, 0]):
            whole = 0.0
            for k in range(at, at + size):
                values[k] += extra
                whole += values[k]
            total[first + a] += whole
            at += size
    for r in range(parent.shape[0]):
        size = shape[r, 1] * shape[r, 2]
        at, first = start[r], state_start[parent[r]]
        for a in range(shape[r, 0]):
            whole = total[first + a]
            for k in range(at, at + size):
                values[k] = values[k] / whole if whole > 0.0 else base[r]
            at += size
