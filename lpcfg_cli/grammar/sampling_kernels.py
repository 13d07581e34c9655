"""Compiled ancestral sampling from an L-PCFG whose parameters may be in any basis (C14 §6).

Kernels draw no random numbers: they are handed uniform ones.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from lpcfg_cli.grammar.contraction_kernels import (
    SamplingRules,
    add_inside,
    add_unary_inside,
    dot,
    left_functional,
    right_functional,
    unary_functional,
)

LEXICAL, BINARY, UNARY = 0, 1, 2
"""As in `lpcfg_cli.treebank.binary`."""

COMPLETE, TOO_LONG, DEAD_END = 0, 1, 2
"""How the sampling of a tree ended."""

_ABOVE_LEFT, _ABOVE_RIGHT, _ABOVE_ONLY, _NEW = 1, 2, 3, 0


class TreeBuffers(NamedTuple):
    """Where `sample_tree` writes a tree, in preorder, and keeps its state vectors.

    Attributes
    ----------
    symbol, kind, rule, parent, right : ndarray of int32, shape (n,)
        Of each node; `right` is -1 for nodes without a right child.
    phase, stack : ndarray of int32, shape (n,)
    functional, inside : ndarray of float64, shape (n, largest m)
    """

    symbol: np.ndarray
    kind: np.ndarray
    rule: np.ndarray
    parent: np.ndarray
    right: np.ndarray
    phase: np.ndarray
    stack: np.ndarray
    functional: np.ndarray
    inside: np.ndarray


@njit(cache=True)
def next_masses(rules: SamplingRules, lexical: np.ndarray, top: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One step of ι_bottom = Σ lexical + Σ T(ι_top, ι_top), ι_top = ι_bottom + Σ E ι_bottom.

    Parameters
    ----------
    rules : SamplingRules
    lexical : ndarray of float64, shape (Σ m_a,)
        Sums of the lexical vectors of each symbol.
    top : ndarray of float64, shape (Σ m_a,)
        Masses of trees one level less high.

    Returns
    -------
    bottom, top : ndarray of float64, shape (Σ m_a,)
    """
    at = rules.state_start
    bottom = lexical.copy()
    for rule in range(rules.binary_parent.shape[0]):
        a, b, c = rules.binary_parent[rule], rules.binary_left[rule], rules.binary_right[rule]
        add_inside(rules, rule, top[at[b] : at[b + 1]], top[at[c] : at[c + 1]], bottom[at[a] : at[a + 1]])
    new_top = bottom.copy()
    for rule in range(rules.unary_parent.shape[0]):
        a, b = rules.unary_parent[rule], rules.unary_child[rule]
        add_unary_inside(rules, rule, bottom[at[b] : at[b + 1]], new_top[at[a] : at[a + 1]])
    return bottom, new_top


@njit(cache=True)
def option_masses(rules: SamplingRules, bottom: np.ndarray, top: np.ndarray) -> np.ndarray:
    """The mass vector of every option, float64, laid out as ``rules.mass_start`` says.

    A functional times the mass vector is the probability of all trees that begin with the option.
    """
    at = rules.state_start
    mass = np.zeros(rules.mass_start[-1])
    for a in range(rules.n_states.shape[0]):
        m_a = rules.n_states[a]
        for option in range(rules.option_start[a], rules.option_start[a + 1]):
            begin = rules.mass_start[a] + (option - rules.option_start[a]) * m_a
            out = mass[begin : begin + m_a]
            rule = rules.option_rule[option]
            if rules.option_kind[option] == LEXICAL:
                out[:] = rules.lexical_values[rules.lexical_start[rule] : rules.lexical_start[rule + 1]]
            elif rules.option_kind[option] == BINARY:
                b, c = rules.binary_left[rule], rules.binary_right[rule]
                add_inside(rules, rule, top[at[b] : at[b + 1]], top[at[c] : at[c + 1]], out)
            else:
                b = rules.unary_child[rule]
                add_unary_inside(rules, rule, bottom[at[b] : at[b + 1]], out)
    return mass


@njit(cache=True)
def choose(weights: np.ndarray, uniform: float) -> tuple[int, float, float]:
    """A position with probability proportional to max(weight, 0).

    Returns
    -------
    position : int
        -1 when no weight is positive.
    total : float
        Sum of the positive weights.
    clipped : float
        Sum of the others, without their sign.
    """
    total, clipped = 0.0, 0.0
    for weight in weights:
        if weight > 0.0:
            total += weight
        else:
            clipped -= weight
    position, passed = -1, 0.0
    for k in range(weights.shape[0]):
        if weights[k] > 0.0:
            position = k
            passed += weights[k]
            if passed > uniform * total:
                break
    return position, total, clipped


@njit(cache=True)
def sample_tree(
    rules: SamplingRules,
    top: np.ndarray,
    mass: np.ndarray,
    uniforms: np.ndarray,
    max_words: int,
    clip_tolerance: float,
    tree: TreeBuffers,
) -> tuple[int, int, int]:
    """Sample one tree top-down, left to right.

    A node is rewritten under a functional f over its states: a rule a → b c is chosen with probability
    proportional to f·T(ι_b, ι_c); the left child gets the functional f·T(·, ι_c), and, its subtree being done
    with inside vector α_b, the right child gets f·T(α_b, ·).  For the parameters of an L-PCFG in any basis this
    is exact, since f and α change contragrediently (C14 Theorem 3).  Time a node: O(m³) or O(R m).

    Parameters
    ----------
    rules : SamplingRules
    top : ndarray of float64, shape (Σ m_a,)
        ι of top items.
    mass : ndarray of float64
        From `option_masses`.
    uniforms : ndarray of float64, shape (n_nodes + 1,)
        One for the root's symbol and one for each node.
    max_words : int
    clip_tolerance : float
        Negative weights that sum to less than this share of the positive ones are taken for rounding.
    tree : TreeBuffers

    Returns
    -------
    n_nodes : int
    outcome : int
        `COMPLETE`, `TOO_LONG`, or `DEAD_END` when no rule has a positive weight.
    n_clipped : int
        Choices in which negative weights were clipped.
    """
    n_symbols = rules.n_states.shape[0]
    limit = uniforms.shape[0] - 1
    roots = np.zeros(n_symbols)
    at = rules.state_start
    for a in range(n_symbols):
        roots[a] = dot(rules.root_vector[at[a] : at[a + 1]], top[at[a] : at[a + 1]])
    root, total, clipped = choose(roots, uniforms[0])
    if root < 0:
        return 0, DEAD_END, 1
    n_clipped = int(clipped > clip_tolerance * total)
    n_nodes, n_words, depth = 1, 0, 1
    weights = np.empty(np.diff(rules.option_start).max())
    tree.symbol[0], tree.parent[0], tree.phase[0], tree.stack[0] = root, -1, _NEW, 0
    tree.functional[0, : rules.n_states[root]] = rules.root_vector[at[root] : at[root + 1]]
    while depth > 0:
        node = tree.stack[depth - 1]
        a = tree.symbol[node]
        m_a = rules.n_states[a]
        f, alpha = tree.functional[node, :m_a], tree.inside[node, :m_a]
        rule = tree.rule[node]
        if tree.phase[node] == _NEW:
            first, last = rules.option_start[a], rules.option_start[a + 1]
            above = tree.parent[node]
            if above >= 0 and tree.kind[above] == UNARY:
                last = rules.option_unary[a]
            begin = rules.mass_start[a]
            for k in range(last - first):
                weights[k] = dot(mass[begin + k * m_a : begin + (k + 1) * m_a], f)
            option, total, clipped = choose(weights[: last - first], uniforms[node + 1])
            n_clipped += int(clipped > clip_tolerance * total)
            if option < 0 or not np.isfinite(total):
                return n_nodes, DEAD_END, n_clipped
            f /= total
            rule = rules.option_rule[first + option]
            tree.rule[node], tree.kind[node], tree.right[node] = rule, rules.option_kind[first + option], -1
            if tree.kind[node] == LEXICAL:
                alpha[:] = rules.lexical_values[rules.lexical_start[rule] : rules.lexical_start[rule + 1]]
                n_words += 1
                depth -= 1
                if n_words > max_words:
                    return n_nodes, TOO_LONG, n_clipped
                continue
            if n_nodes >= limit:
                return n_nodes, TOO_LONG, n_clipped
            if tree.kind[node] == BINARY:
                b, c = rules.binary_left[rule], rules.binary_right[rule]
                left_functional(rules, rule, f, top[at[c] : at[c + 1]], tree.functional[n_nodes, : rules.n_states[b]])
                tree.phase[node] = _ABOVE_LEFT
            else:
                b = rules.unary_child[rule]
                unary_functional(rules, rule, f, tree.functional[n_nodes, : rules.n_states[b]])
                tree.phase[node] = _ABOVE_ONLY
            child = b
        elif tree.phase[node] == _ABOVE_LEFT:
            if n_nodes >= limit:
                return n_nodes, TOO_LONG, n_clipped
            b, child = rules.binary_left[rule], rules.binary_right[rule]
            y = tree.inside[node + 1, : rules.n_states[b]]
            right_functional(rules, rule, f, y, tree.functional[n_nodes, : rules.n_states[child]])
            tree.right[node] = n_nodes
            tree.phase[node] = _ABOVE_RIGHT
        else:
            alpha[:] = 0.0
            if tree.phase[node] == _ABOVE_ONLY:
                b = rules.unary_child[rule]
                add_unary_inside(rules, rule, tree.inside[node + 1, : rules.n_states[b]], alpha)
            else:
                y = tree.inside[node + 1, : rules.n_states[rules.binary_left[rule]]]
                z = tree.inside[tree.right[node], : rules.n_states[rules.binary_right[rule]]]
                add_inside(rules, rule, y, z, alpha)
            largest = np.abs(alpha).max()
            if largest > 0.0:
                alpha /= largest  # only ratios matter; keeps long trees from underflow
            depth -= 1
            continue
        tree.symbol[n_nodes], tree.parent[n_nodes], tree.phase[n_nodes] = child, node, _NEW
        tree.stack[depth] = n_nodes
        depth += 1
        n_nodes += 1
    return n_nodes, COMPLETE, n_clipped
