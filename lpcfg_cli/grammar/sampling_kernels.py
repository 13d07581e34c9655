"""Compiled ancestral sampling from an L-PCFG whose parameters may be in any basis (C14 §6).

Kernels draw no random numbers: they are handed uniform ones.  Sums run in a fixed order, so that results do not
depend on the machine.  A rule's parameters are given as in `lpcfg_cli.grammar.model`: a tensor dense in row-major
order with rank 0, or as R components.
"""

from typing import NamedTuple

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, njit

LEXICAL, BINARY, UNARY = 0, 1, 2
"""As in `lpcfg_cli.treebank.binary`."""

COMPLETE, TOO_LONG, DEAD_END = 0, 1, 2
"""How the sampling of a tree ended."""

_NEW, _IN_LEFT, _IN_RIGHT = 0, 1, 2


class Options(NamedTuple):
    """The rules of a grammar, all kinds together, ordered by the symbol that they rewrite.

    Attributes
    ----------
    n_states, state_start : ndarray of int64
        As in `lpcfg_cli.grammar.model.Grammar`.
    first : ndarray of int64, shape (n_symbols + 1,)
        Symbol a has the options ``first[a]:first[a + 1]``.
    first_unary : ndarray of int64, shape (n_symbols,)
        Where the symbol's unary options begin, which are its last.
    kind, left, right, rank : ndarray of int64, shape (n_options,)
        Children that the kind of rule does not have are -1.
    start : ndarray of int64, shape (n_options + 1,)
        Option r has the parameters ``values[start[r]:start[r + 1]]``.
    values : ndarray of float64
    mass_start : ndarray of int64, shape (n_options + 1,)
        Where the masses of each option, a vector of m_a, stand in the result of `next_masses`.
    """

    n_states: np.ndarray
    state_start: np.ndarray
    first: np.ndarray
    first_unary: np.ndarray
    kind: np.ndarray
    left: np.ndarray
    right: np.ndarray
    rank: np.ndarray
    start: np.ndarray
    values: np.ndarray
    mass_start: np.ndarray


class TreeBuffers(NamedTuple):
    """Where `sample_tree` writes a tree, in preorder, and keeps its state vectors.

    Attributes
    ----------
    symbol, option, parent, right : ndarray of int64, shape (n,)
        Of each node; `right` is its right child.
    phase, stack : ndarray of int64, shape (n,)
    functional, inside : ndarray of float64, shape (n, largest m)
    """

    symbol: np.ndarray
    option: np.ndarray
    parent: np.ndarray
    right: np.ndarray
    phase: np.ndarray
    stack: np.ndarray
    functional: np.ndarray
    inside: np.ndarray


@njit(**ENTRY)
def add(x: np.ndarray, out: np.ndarray) -> None:
    """out += x; loops compile in a fraction of the time of array expressions."""
    for i in range(x.shape[0]):
        out[i] += x[i]


@njit(**ENTRY)
def scale_to_one(x: np.ndarray) -> None:
    """Divide a vector by its largest absolute value, if it has any but zeros."""
    largest = 0.0
    for i in range(x.shape[0]):
        largest = max(largest, abs(x[i]))
    if largest > 0.0:
        for i in range(x.shape[0]):
            x[i] /= largest


@njit(**ENTRY)
def dot(x: np.ndarray, y: np.ndarray) -> float:
    """Σ_i x_i y_i."""
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * y[i]
    return total


@njit(**ENTRY)
def add_unary_inside(values: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    """out_i += Σ_j E_ij y_j: the inside vector of a unary node, or its mass."""
    m_b = y.shape[0]
    for i in range(out.shape[0]):
        out[i] += dot(values[i * m_b : (i + 1) * m_b], y)


@njit(**ENTRY)
def unary_functional(values: np.ndarray, f: np.ndarray, out: np.ndarray) -> None:
    """out_j = Σ_i f_i E_ij: what weighs the only child."""
    m_b = out.shape[0]
    out[:] = 0.0
    for i in range(f.shape[0]):
        for j in range(m_b):
            out[j] += f[i] * values[i * m_b + j]


@njit(**ENTRY)
def add_binary_inside(values: np.ndarray, rank: int, y: np.ndarray, z: np.ndarray, out: np.ndarray) -> None:
    """out_i += Σ_jk T_ijk y_j z_k: the inside vector of a binary node, or its mass.  O(m³) or O(R m)."""
    m_a, m_b, m_c = out.shape[0], y.shape[0], z.shape[0]
    if rank == 0:
        for i in range(m_a):
            for j in range(m_b):
                if y[j] != 0.0:
                    at = (i * m_b + j) * m_c
                    out[i] += y[j] * dot(values[at : at + m_c], z)
        return
    v, w = rank * m_a, rank * (m_a + m_b)
    for r in range(rank):
        factor = dot(values[v + r * m_b : v + (r + 1) * m_b], y) * dot(values[w + r * m_c : w + (r + 1) * m_c], z)
        for i in range(m_a):
            out[i] += factor * values[r * m_a + i]


@njit(**ENTRY)
def left_functional(values: np.ndarray, rank: int, f: np.ndarray, z: np.ndarray, out: np.ndarray) -> None:
    """out_j = Σ_ik f_i T_ijk z_k: what weighs the left child when the right one is summed out."""
    m_a, m_b, m_c = f.shape[0], out.shape[0], z.shape[0]
    out[:] = 0.0
    if rank == 0:
        for i in range(m_a):
            if f[i] != 0.0:
                for j in range(m_b):
                    at = (i * m_b + j) * m_c
                    out[j] += f[i] * dot(values[at : at + m_c], z)
        return
    v, w = rank * m_a, rank * (m_a + m_b)
    for r in range(rank):
        factor = dot(values[r * m_a : (r + 1) * m_a], f) * dot(values[w + r * m_c : w + (r + 1) * m_c], z)
        for j in range(m_b):
            out[j] += factor * values[v + r * m_b + j]


@njit(**ENTRY)
def right_functional(values: np.ndarray, rank: int, f: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    """out_k = Σ_ij f_i T_ijk y_j: what weighs the right child once the left subtree is known."""
    m_a, m_b, m_c = f.shape[0], y.shape[0], out.shape[0]
    out[:] = 0.0
    if rank == 0:
        for i in range(m_a):
            for j in range(m_b):
                factor = f[i] * y[j]
                if factor != 0.0:
                    at = (i * m_b + j) * m_c
                    for k in range(m_c):
                        out[k] += factor * values[at + k]
        return
    v, w = rank * m_a, rank * (m_a + m_b)
    for r in range(rank):
        factor = dot(values[r * m_a : (r + 1) * m_a], f) * dot(values[v + r * m_b : v + (r + 1) * m_b], y)
        for k in range(m_c):
            out[k] += factor * values[w + r * m_c + k]


@njit(**ENTRY)
def next_masses(options: Options, top: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One step of ι_bottom = Σ lexical + Σ T(ι_top, ι_top), ι_top = ι_bottom + Σ E ι_bottom.

    Parameters
    ----------
    options : Options
    top : ndarray of float64, shape (Σ m_a,)
        Masses of trees one level less high.

    Returns
    -------
    new_top : ndarray of float64, shape (Σ m_a,)
    mass : ndarray of float64
        The mass vector of every option: a functional times it is the weight of all trees that begin so.
    """
    at = options.state_start
    mass = np.zeros(options.mass_start[-1])
    bottom = np.zeros(at[-1])
    new_top = np.zeros(at[-1])
    for a in range(options.n_states.shape[0]):
        for option in range(options.first[a], options.first_unary[a]):
            out = mass[options.mass_start[option] : options.mass_start[option + 1]]
            values = options.values[options.start[option] : options.start[option + 1]]
            if options.kind[option] == LEXICAL:
                add(values, out)
            else:
                b, c = options.left[option], options.right[option]
                add_binary_inside(values, options.rank[option], top[at[b] : at[b + 1]], top[at[c] : at[c + 1]], out)
            add(out, bottom[at[a] : at[a + 1]])
    for a in range(options.n_states.shape[0]):
        add(bottom[at[a] : at[a + 1]], new_top[at[a] : at[a + 1]])
        for option in range(options.first_unary[a], options.first[a + 1]):
            out = mass[options.mass_start[option] : options.mass_start[option + 1]]
            b = options.left[option]
            values = options.values[options.start[option] : options.start[option + 1]]
            add_unary_inside(values, bottom[at[b] : at[b + 1]], out)
            add(out, new_top[at[a] : at[a + 1]])
    return new_top, mass


@njit(**ENTRY)
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
    for k in range(weights.shape[0]):
        if weights[k] > 0.0:
            total += weights[k]
        else:
            clipped -= weights[k]
    position, passed = -1, 0.0
    for k in range(weights.shape[0]):
        if weights[k] > 0.0:
            position = k
            passed += weights[k]
            if passed > uniform * total:
                break
    return position, total, clipped


@njit(**ENTRY)
def sample_tree(
    options: Options,
    root_vector: np.ndarray,
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
    options : Options
    root_vector, top : ndarray of float64, shape (Σ m_a,)
        `top` is ι of top items.
    mass : ndarray of float64
        From `next_masses`.
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
    at, m = options.state_start, options.n_states
    weights = np.empty(max(m.shape[0], options.kind.shape[0]))
    for a in range(m.shape[0]):
        weights[a] = dot(root_vector[at[a] : at[a + 1]], top[at[a] : at[a + 1]])
    a, total, clipped = choose(weights[: m.shape[0]], uniforms[0])
    if a < 0:
        return 0, DEAD_END, 1
    n_clipped = int(clipped > clip_tolerance * total)
    tree.symbol[0], tree.parent[0], tree.phase[0], tree.stack[0] = a, -1, _NEW, 0
    for i in range(m[a]):
        tree.functional[0, i] = root_vector[at[a] + i]
    n_nodes, n_words, depth = 1, 0, 1
    while depth > 0:
        node = tree.stack[depth - 1]
        a = tree.symbol[node]
        f, alpha = tree.functional[node, : m[a]], tree.inside[node, : m[a]]
        if tree.phase[node] == _NEW:
            begin, end = options.first[a], options.first[a + 1]
            if node > 0 and options.kind[tree.option[tree.parent[node]]] == UNARY:
                end = options.first_unary[a]  # a span has one unary rule at most
            for option in range(begin, end):
                weights[option - begin] = dot(mass[options.mass_start[option] : options.mass_start[option + 1]], f)
            chosen, total, clipped = choose(weights[: end - begin], uniforms[node + 1])
            n_clipped += int(clipped > clip_tolerance * total)
            if chosen < 0 or not np.isfinite(total):
                return n_nodes, DEAD_END, n_clipped
            tree.option[node] = begin + chosen
            for i in range(m[a]):
                f[i] /= total
        option = tree.option[node]
        kind, b, c = options.kind[option], options.left[option], options.right[option]
        values, rank = options.values[options.start[option] : options.start[option + 1]], options.rank[option]
        is_done = kind == LEXICAL or tree.phase[node] == _IN_RIGHT or (kind == UNARY and tree.phase[node] == _IN_LEFT)
        if not is_done and n_nodes == tree.symbol.shape[0]:
            return n_nodes, TOO_LONG, n_clipped
        if not is_done and tree.phase[node] == _NEW:
            child, out = b, tree.functional[n_nodes, : m[b]]
            if kind == BINARY:
                left_functional(values, rank, f, top[at[c] : at[c + 1]], out)
            else:
                unary_functional(values, f, out)
            tree.phase[node] = _IN_LEFT
        elif not is_done:
            child, out = c, tree.functional[n_nodes, : m[c]]
            right_functional(values, rank, f, tree.inside[node + 1, : m[b]], out)
            tree.right[node] = n_nodes
            tree.phase[node] = _IN_RIGHT
        else:
            alpha[:] = 0.0
            if kind == LEXICAL:
                add(values, alpha)
                n_words += 1
                if n_words > max_words:
                    return n_nodes, TOO_LONG, n_clipped
            elif kind == BINARY:
                y, z = tree.inside[node + 1, : m[b]], tree.inside[tree.right[node], : m[c]]
                add_binary_inside(values, rank, y, z, alpha)
            else:
                add_unary_inside(values, tree.inside[node + 1, : m[b]], alpha)
            scale_to_one(alpha)  # only ratios matter; keeps long trees from underflow
            depth -= 1
            continue
        tree.symbol[n_nodes], tree.parent[n_nodes], tree.phase[n_nodes] = child, node, _NEW
        tree.stack[depth] = n_nodes
        depth += 1
        n_nodes += 1
    return n_nodes, COMPLETE, n_clipped
