"""Compiled passes over dependency trees: order of nodes, probabilities of trees, and the E-step of EM.

Loop indexes: k: trees; t: positions in the order of a tree; i: nodes; h, g: hidden states, or dimensions of their
linear map; l: dimensions.
"""

import math

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, INNER, REORDERED_SUMS, njit


@njit(**ENTRY)
def children_first(heads: np.ndarray, offsets: np.ndarray, order: np.ndarray) -> int:
    """Order the nodes of each tree so that children come before their heads; O(nodes).

    Parameters
    ----------
    heads : ndarray of int32, shape (n,)
        Counted from 1 in the tree; 0 for a root.
    offsets : ndarray of int64, shape (n_trees + 1,)
    order : ndarray of int32, shape (n,)
        Overwritten with nodes counted from 0 in their tree.

    Returns
    -------
    int
        −1, or the first tree whose heads form no tree.
    """
    longest = 0
    for k in range(len(offsets) - 1):
        longest = max(longest, offsets[k + 1] - offsets[k])
    waiting = np.empty(longest, np.int32)
    for k in range(len(offsets) - 1):
        begin, size = offsets[k], offsets[k + 1] - offsets[k]
        waiting[:size] = 0
        for i in range(size):
            head = heads[begin + i]
            if head < 0 or head > size:
                return k
            if head > 0:
                waiting[head - 1] += 1
        end = 0
        for i in range(size):
            if waiting[i] == 0:
                order[begin + end] = i
                end += 1
        t = 0
        while t < end:
            head = heads[begin + order[begin + t]]
            t += 1
            if head > 0:
                waiting[head - 1] -= 1
                if waiting[head - 1] == 0:
                    order[begin + end] = head - 1
                    end += 1
        if end < size:
            return k
    return -1


@njit(**INNER)
def _rescaled(row: np.ndarray) -> float:
    """Divide a row by its largest absolute value, and return that value's logarithm; −∞ if the row is zero."""
    largest = 0.0
    for h in range(len(row)):
        largest = max(largest, abs(row[h]))
    if not (largest > 0.0 and largest < math.inf):
        return -math.inf
    for h in range(len(row)):
        row[h] /= largest
    return math.log(largest)


@njit(**ENTRY, **REORDERED_SUMS)
def observable_values(
    symbols: np.ndarray,
    heads: np.ndarray,
    offsets: np.ndarray,
    order: np.ndarray,
    start: np.ndarray,
    transitions: np.ndarray,
    pairs: np.ndarray,
    weights: np.ndarray,
    logs: np.ndarray,
    signs: np.ndarray,
) -> None:
    """Algorithm 1 of D12 in observable parameters; O(m³) for each node.

    Parameters
    ----------
    symbols, heads, order : ndarray of int32, shape (n,)
    offsets : ndarray of int64, shape (n_trees + 1,)
    start : ndarray of float64, shape (m,)
        c₁.
    transitions : ndarray of float64, shape (2, m, m)
        E_L and E_R.
    pairs : ndarray of float64, shape (m, m (m + 1) / 2)
        D, which is symmetric: the dimension g of v and r together is Σ_{l ≤ h} (v_l r_h + v_h r_l) of the pairs in
        row g, without the second term where l is h.
    weights : ndarray of float64, shape (n_words, m)
        The row of a word without children.
    logs, signs : ndarray of float64, shape (n_trees,)
        Overwritten: log |p̂| and the sign of p̂; −∞ and 0 where it vanishes.
    """
    m, longest = len(start), 0
    for k in range(len(offsets) - 1):
        longest = max(longest, offsets[k + 1] - offsets[k])
    rows, moved, both = np.empty((longest, m)), np.empty(m), np.empty(pairs.shape[1])
    for k in range(len(offsets) - 1):
        begin, size = offsets[k], offsets[k + 1] - offsets[k]
        total, sign = 0.0, 1.0
        for i in range(size):
            rows[i] = weights[symbols[begin + i]]
        for t in range(size):
            i = order[begin + t]
            total += _rescaled(rows[i])
            head = heads[begin + i] - 1
            if head < 0:
                value = 0.0
                for h in range(m):
                    value += rows[i, h] * start[h]
                total += math.log(abs(value)) if value != 0.0 else -math.inf
                sign *= np.sign(value)
                continue
            step = transitions[0 if i < head else 1]
            moved[:] = 0.0
            for h in range(m):
                for g in range(m):
                    moved[g] += rows[i, h] * step[h, g]
            own, p = rows[head], 0
            for l in range(m):
                both[p] = moved[l] * own[l]
                for h in range(l + 1, m):
                    both[p + h - l] = moved[l] * own[h] + moved[h] * own[l]
                p += m - l
            for g in range(m):
                value = 0.0
                for p in range(len(both)):
                    value += both[p] * pairs[g, p]
                own[g] = value
        logs[k] = total
        signs[k] = sign if total > -math.inf else 0.0


@njit(**INNER, **REORDERED_SUMS)
def _inside(
    symbols: np.ndarray,
    heads: np.ndarray,
    order: np.ndarray,
    initial: np.ndarray,
    transitions: np.ndarray,
    emission: np.ndarray,
    rows: np.ndarray,
    moved: np.ndarray,
) -> float:
    """The rows r of one tree, each scaled to sum 1, and p(below i | state of the head) up to that scale in `moved`.

    Returns
    -------
    float
        log p(tree); −∞ if it is impossible.
    """
    m, result = len(initial), 0.0
    for i in range(len(heads)):
        rows[i] = emission[symbols[i]]
    for t in range(len(heads)):
        i = order[t]
        head = heads[i] - 1
        total = 0.0
        for h in range(m):
            total += rows[i, h]
        if not total > 0.0:
            return -math.inf
        result += math.log(total)
        step = transitions[0 if i < head else 1]
        for h in range(m):
            rows[i, h] /= total
        if head < 0:
            total = 0.0
            for h in range(m):
                total += rows[i, h] * initial[h]
            if not total > 0.0:
                return -math.inf
            result += math.log(total)
            continue
        for h in range(m):
            value = 0.0
            for g in range(m):
                value += step[h, g] * rows[i, g]
            moved[i, h] = value
            rows[head, h] *= value
    return result


@njit(**ENTRY, **REORDERED_SUMS)
def hidden_values(
    symbols: np.ndarray,
    heads: np.ndarray,
    offsets: np.ndarray,
    order: np.ndarray,
    initial: np.ndarray,
    transitions: np.ndarray,
    emission: np.ndarray,
    logs: np.ndarray,
) -> None:
    """log p of each tree in hidden states; O(m²) for each node.

    Parameters
    ----------
    symbols, heads, order : ndarray of int32, shape (n,)
    offsets : ndarray of int64, shape (n_trees + 1,)
    initial : ndarray of float64, shape (m,)
    transitions : ndarray of float64, shape (2, m, m)
        p(g | h) in row h, of left and of right children.
    emission : ndarray of float64, shape (n_words, m)
    logs : ndarray of float64, shape (n_trees,)
        Overwritten; −∞ for an impossible tree.
    """
    longest, m = 0, len(initial)
    for k in range(len(offsets) - 1):
        longest = max(longest, offsets[k + 1] - offsets[k])
    rows, moved = np.empty((longest, m)), np.empty((longest, m))
    for k in range(len(offsets) - 1):
        a, b = offsets[k], offsets[k + 1]
        logs[k] = _inside(symbols[a:b], heads[a:b], order[a:b], initial, transitions, emission, rows, moved)


@njit(**ENTRY, **REORDERED_SUMS)
def expect_trees(
    symbols: np.ndarray,
    heads: np.ndarray,
    offsets: np.ndarray,
    order: np.ndarray,
    weights: np.ndarray,
    initial: np.ndarray,
    transitions: np.ndarray,
    emission: np.ndarray,
    initial_count: np.ndarray,
    transition_counts: np.ndarray,
    emission_count: np.ndarray,
) -> float:
    """The E-step; O(m²) for each node.

    Parameters
    ----------
    symbols, heads, offsets, order, initial, transitions, emission
        As for `hidden_values`.
    weights : ndarray of float64, shape (n_trees,)
        How often each tree counts.
    initial_count, transition_counts, emission_count : ndarray of float64
        Zeros of the shapes of the parameters, to which the expected counts are added.

    Returns
    -------
    float
        Σ log p(tree), each tree as often as it counts; −∞ as soon as a tree is impossible.
    """
    longest, m, result = 0, len(initial), 0.0
    for k in range(len(offsets) - 1):
        longest = max(longest, offsets[k + 1] - offsets[k])
    rows, moved = np.empty((longest, m)), np.empty((longest, m))
    posterior, other = np.empty((longest, m)), np.empty(m)
    for k in range(len(offsets) - 1):
        a, b = offsets[k], offsets[k + 1]
        value = _inside(symbols[a:b], heads[a:b], order[a:b], initial, transitions, emission, rows, moved)
        if not value > -math.inf:
            return -math.inf
        result += weights[k] * value
        for t in range(b - a - 1, -1, -1):
            i = order[a + t]
            head = heads[a + i] - 1
            count, own = emission_count[symbols[a + i]], posterior[i]
            if head < 0:
                total = 0.0
                for h in range(m):
                    own[h] = rows[i, h] * initial[h]
                    total += own[h]
                for h in range(m):
                    own[h] *= weights[k] / total
                    initial_count[h] += own[h]
            else:
                side = 0 if i < head else 1
                step, counts = transitions[side], transition_counts[side]
                own[:] = 0.0
                for h in range(m):
                    other[h] = posterior[head, h] / moved[i, h] if posterior[head, h] > 0.0 else 0.0
                for h in range(m):
                    for g in range(m):
                        both = other[h] * step[h, g] * rows[i, g]
                        counts[h, g] += both
                        own[g] += both
            for h in range(m):
                count[h] += own[h]
    return result
