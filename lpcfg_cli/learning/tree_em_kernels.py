"""Compiled inside-outside over given trees, and the sums of the M-step (Matsuzaki et al. 2005; Baum-Welch on trees).

Each inside vector is divided by its sum s.  Outside vectors are scaled so that the product of a node's inside and
outside vectors is the weight of its tree.  All numbers then stay near 1 in trees of any size, and only the sums s need
logarithms.

The work is done by matrix products over k nodes of one rule at a time:

- T, shape (m_a, m_b m_c): the rule's tensor;
- P, shape (k, m_b m_c): each row is the outer product of the inside vectors of a node's children;
- W, shape (k, m_a): each row is the outside vector of a node, divided by s.

Inside vectors are P Tᵀ, messages to the children W T, counts Wᵀ P.  The first two are computed for runs of nodes of
one height and one rule, which are consecutive; counts for all nodes of a rule.  The cost is O(k m³), as for one node
at a time, but at the speed of BLAS, which is at least as fast as loops from two nodes and m = 8 on.

Parameters that several kernels share (n: nodes; m: largest number of states; rules as in a `RuleTable`):

- ``run``, int64, (n_runs + 1,): run k has the nodes ``run[k]:run[k + 1]``, all of one height and one rule;
- ``rule``, int32, (n,): rule of each node;
- ``left``, ``right``, int32, (n,): children of each node; n stands for an absent child.  The child of a unary node is
  the right one; a preterminal has none;
- ``shape``, int64, (n_rules, 3): m_a, m_b and m_c of each rule; only its row, (3,), in kernels for one run or rule;
- ``start``, int64, (n_rules + 1,): rule r has the parameters ``values[start[r]:start[r + 1]]``;
- ``state_start``, int64, (n_symbols + 1,): where the states of each symbol begin among all states;
- ``values``, ``counts``, float64, (Σ m_a m_b m_c,): parameters and counts of all rules, or of one rule in kernels for
  one rule; ``tensor``: the parameters of one rule;
- ``alpha``, float64, (n + 1, m): scaled inside vectors; row n, for absent children, is (1, 0, …, 0);
- ``beta``, float64, (n + 1, m): outside vectors;
- ``scale``, float64, (n,): the sum s of each inside vector before scaling;
- ``weight``, float64, (n,): weight of each node's tree; in kernels for one run, (k,);
- ``room``, float64, (2, ≥ max(`BATCH`, m²)): buffers for the matrices of one batch.

Loop indexes: a: states of the parent; b, c: states of the left and the right child; h: states of a root; i, node:
nodes; k: runs, or entries of a tensor; r: rules.
"""

import math

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, INNER, REORDERED_SUMS, njit

BATCH = 1 << 14
"""Largest number of entries of P: longer runs are cut into batches, so that P stays in the cache."""


@njit(**ENTRY, **REORDERED_SUMS)
def heights(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Height of each node, int32, shape (n,): 0 for preterminals, else one more than the higher child's; O(n).

    Nodes must come in preorder.  `left` and `right` are integers of shape (n,), n for an absent child.
    """
    n = left.shape[0]
    height = np.full(n + 1, -1, np.int32)
    for node in range(n - 1, -1, -1):
        height[node] = max(height[left[node]], height[right[node]]) + 1
    return height[:n]


@njit(**INNER, **REORDERED_SUMS)
def batch_rows(m_a: int, size: int) -> int:
    """Number of nodes in a batch, at least 1: P (`size` columns) and W (m_a columns) then have ≤ `BATCH` entries."""
    return max(1, BATCH // max(m_a, size))


@njit(**INNER, **REORDERED_SUMS)
def matrix(buffer: np.ndarray, n_rows: int, n_columns: int) -> np.ndarray:
    """The first entries of a float64 vector as a matrix of shape (n_rows, n_columns)."""
    return buffer[: n_rows * n_columns].reshape(n_rows, n_columns)


@njit(**INNER, **REORDERED_SUMS)
def outer_product(first: np.ndarray, second: np.ndarray, m_b: int, m_c: int, out: np.ndarray) -> None:
    """A row of P: the outer product of ``first[:m_b]`` and ``second[:m_c]``, written to `out`, shape (m_b m_c,)."""
    for b in range(m_b):
        factor, at = first[b], b * m_c
        for c in range(m_c):
            out[at + c] = factor * second[c]


@njit(**INNER, **REORDERED_SUMS)
def scale_rows(unscaled: np.ndarray, weight: np.ndarray, alpha: np.ndarray, scale: np.ndarray) -> float:
    """Divide inside vectors by their sums; returns the weighted Σ log s, or NaN if a sum is zero.

    Reads `unscaled`, shape (k, m_a); writes `alpha`, shape (k, m), and the sums to `scale`, shape (k,).
    """
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
        total += weight[i] * math.log(whole)
    return total


@njit(**INNER, **REORDERED_SUMS)
def lexical_inside(tensor: np.ndarray, weight: np.ndarray, alpha: np.ndarray, scale: np.ndarray) -> float:
    """Inside vectors of a run of k preterminals: all are the scaled `tensor`, shape (m_a,); O(k m).

    Writes `alpha`, shape (k, m), and `scale`, shape (k,).  Returns the weighted Σ log s, or NaN if the tensor's sum is
    zero.
    """
    whole = 0.0
    for value in tensor:
        whole += value
    if not whole > 0.0:
        return math.nan
    for i in range(scale.shape[0]):
        scale[i] = whole
        for a in range(tensor.shape[0]):
            alpha[i, a] = tensor[a] / whole
    return weight.sum() * math.log(whole)


@njit(**INNER, **REORDERED_SUMS)
def inside_run(
    first: int,
    last: int,
    left: np.ndarray,
    right: np.ndarray,
    shape: np.ndarray,
    tensor: np.ndarray,
    weight: np.ndarray,
    alpha: np.ndarray,
    scale: np.ndarray,
    room: np.ndarray,
) -> float:
    """Inside vectors of the run ``first:last`` of k nodes with children, in batches; O(k m³).

    Writes their rows of `alpha` and `scale`.  Returns the weighted Σ log s, or NaN if an inside vector is zero.
    """
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
        total += scale_rows(unscaled, weight[at:stop], alpha[at:stop], scale[at:stop])
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
    weight: np.ndarray,
    alpha: np.ndarray,
    scale: np.ndarray,
) -> float:
    """Fill `scale`, and `alpha`, which must come as zeros, from the lowest nodes up; O(n m³).

    Returns the weighted Σ log s over all nodes, or NaN as soon as an inside vector is zero.
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
            total += lexical_inside(tensor, weight[first:last], alpha[first:last], scale[first:last])
        else:
            total += inside_run(first, last, left, right, shape[r], tensor, weight, alpha, scale, room)
        if math.isnan(total):
            break
    return total


@njit(**ENTRY, **REORDERED_SUMS)
def roots(
    root: np.ndarray,
    symbol: np.ndarray,
    weight: np.ndarray,
    state_start: np.ndarray,
    prior: np.ndarray,
    alpha: np.ndarray,
    beta: np.ndarray,
    counts: np.ndarray,
) -> float:
    """Outside vectors of the root nodes, and expected counts of their states; O(n_roots m).

    `root`, int32, (n_roots,), has the root nodes; `symbol`, int32, (n,), the symbol of each node; `prior`, float64,
    (Σ m_a,), is π.  Writes the roots' rows of `beta` and adds to `counts`, shape (Σ m_a,).  Returns the weighted
    Σ log (π · inside), or NaN if a tree has probability zero.
    """
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
            beta[node, h] = weight[node] * prior[first + h] / whole
            counts[first + h] += beta[node, h] * alpha[node, h]
        total += weight[node] * math.log(whole)
    return total


@njit(**INNER, **REORDERED_SUMS)
def divide(vector: np.ndarray, by: float, out: np.ndarray) -> None:
    """out = vector / by, for as many entries as `out` has."""
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
    """Outside vectors of the children: each node's message times the inside vector of the other child; O(k m²).

    `left` and `right` have the k nodes of a batch; `messages`, shape (k, m_b m_c), is W T.  Writes `beta`.
    """
    to_second = np.empty(m_c)  # adding to `beta` directly is slower: the compiler assumes that it may overlap `alpha`
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
    """Outside vectors of the children of the run ``first:last`` of k nodes, in batches; O(k m³)."""
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
    """Fill `beta` from the roots, whose rows `roots` has written, down; O(n m³)."""
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
    """Add the counts of a lexical rule with k `nodes` to `counts`, shape (m_a,); O(k m)."""
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
    """Counts of a binary or unary rule with k `nodes`, in batches; O(k m³).

    Overwrites `counts`, shape (m_a m_b m_c,).  `sums`, of that length or longer, is a buffer for one batch's counts.
    """
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
    """Fill `counts`, which must come as zeros, with the expected counts divided by `values`; O(n m³).

    `by_rule`, int64, (n,), has the nodes sorted by rule.  `multiply` applies the factor `values` once, instead of once
    a node.  Nodes of all heights are counted together, so that fewer matrices are added up than with one for each run.
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
    """counts *= values, entry by entry."""
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
    """Turn the counts `values` into probabilities, in place; O(Σ m_a m_b m_c).

    `parent`, int32, (n_rules,), has the parent symbol of each rule; `base`, float64, (n_rules,), the value of a rule's
    entries in the evenly split PCFG.  ``prior * base[r]`` is added to every entry of rule r.  The entries of one parent
    state are then divided by their sum over all rules; where that sum is zero they become ``base[r]``.
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
