"""Compiled ancestral sampling from an L-PCFG whose parameters may be in any basis (C14 §6).

Kernels do not draw random numbers: they get uniform ones as arguments.  Sums have a fixed order, so that results do not
depend on the machine.

Loop indexes: i: states of the parent a; j, k: states of the left child b and the right child c (an only child is b); r:
components of a factored tensor; option: rules; a in `next_masses`: symbols; node: nodes of the tree.

The parameters `values` of a rule are stored as in `lpcfg_cli.grammar.model`: with rank 0 a dense tensor T,
(m_a m_b m_c,), else R components U, V, W, (R (m_a + m_b + m_c),); for a unary rule the matrix E, (m_a m_b,).  Vectors
y, z over states of children have shapes (m_b,) and (m_c,), f over states of the parent (m_a,); `out` is written.  All
are float64.  A dense binary rule costs O(m_a m_b m_c), a factored one O(R (m_a + m_b + m_c)), a unary one O(m_a m_b).
"""

from typing import NamedTuple

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, njit

LEXICAL, BINARY, UNARY = 0, 1, 2
"""As in `lpcfg_cli.treebank.binary`."""

COMPLETE, TOO_LONG, DEAD_END = 0, 1, 2
"""Outcomes of sampling a tree."""

_NEW, _IN_LEFT, _IN_RIGHT = 0, 1, 2


class Options(NamedTuple):
    """The rules of a grammar, of all kinds, sorted by the symbol that they rewrite.

    Attributes
    ----------
    n_states, state_start : ndarray of int64, shapes (n_symbols,) and (n_symbols + 1,)
        As in `lpcfg_cli.grammar.model.Grammar`.
    first : ndarray of int64, shape (n_symbols + 1,)
        Symbol a has the options ``first[a]:first[a + 1]``.
    first_unary : ndarray of int64, shape (n_symbols,)
        The unary options of symbol a are ``first_unary[a]:first[a + 1]``.
    kind, left, right, rank : ndarray of int64, shape (n_options,)
        Kind of rule, children, and rank (0 if dense); -1 for an absent child.
    start : ndarray of int64, shape (n_options + 1,)
        Option r has the parameters ``values[start[r]:start[r + 1]]``.
    values : ndarray of float64
    mass_start : ndarray of int64, shape (n_options + 1,)
        Option r has the mass vector ``mass[mass_start[r]:mass_start[r + 1]]``, (m_a,), in the result of `next_masses`.
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
    """Buffers in which `sample_tree` writes a tree, in preorder, and its state vectors.

    Attributes
    ----------
    symbol, option, parent, right : ndarray of int64, shape (n,)
        Symbol, rule, parent and right child of each node.
    phase, stack : ndarray of int64, shape (n,)
        How far each node is expanded, and the nodes that are not finished.
    functional, inside : ndarray of float64, shape (n, largest m)
        The functional f and the inside vector of each node.
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
    """out += x, written as a loop, which compiles much faster than an array expression."""
    for i in range(x.shape[0]):
        out[i] += x[i]


@njit(**ENTRY)
def scale_to_one(x: np.ndarray) -> None:
    """Divide a vector by its largest absolute value, unless it is zero."""
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
    """out_i += Σ_j E_ij y_j: the inside vector of a unary node, or the mass of a unary rule."""
    m_b = y.shape[0]
    for i in range(out.shape[0]):
        out[i] += dot(values[i * m_b : (i + 1) * m_b], y)


@njit(**ENTRY)
def unary_functional(values: np.ndarray, f: np.ndarray, out: np.ndarray) -> None:
    """out_j = Σ_i f_i E_ij: the functional of the only child."""
    m_b = out.shape[0]
    out[:] = 0.0
    for i in range(f.shape[0]):
        for j in range(m_b):
            out[j] += f[i] * values[i * m_b + j]


@njit(**ENTRY)
def add_binary_inside(values: np.ndarray, rank: int, y: np.ndarray, z: np.ndarray, out: np.ndarray) -> None:
    """out_i += Σ_jk T_ijk y_j z_k: the inside vector of a binary node, or the mass of a binary rule."""
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
    """out_j = Σ_ik f_i T_ijk z_k: the functional of the left child; with z = ι_c the right child is summed out."""
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
    """out_k = Σ_ij f_i T_ijk y_j: the functional of the right child, given the left subtree's inside vector y."""
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

    The cost is that of applying every rule once.

    Parameters
    ----------
    options : Options
    top : ndarray of float64, shape (Σ m_a,)
        ι_top of trees that are one level lower.

    Returns
    -------
    new_top : ndarray of float64, shape (Σ m_a,)
    mass : ndarray of float64, shape (Σ m_a over options,)
        The mass vector of every option; its product with a functional is the weight of all trees that start with it.
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
    """Choose a position with probability proportional to max(weight, 0); O(n).

    Parameters
    ----------
    weights : ndarray of float64, shape (n,)
    uniform : float
        A uniform random number from [0, 1).

    Returns
    -------
    position : int
        -1 if no weight is positive.
    total : float
        Sum of the positive weights.
    clipped : float
        Absolute sum of the negative weights.
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
    """Sample one tree, top-down and left to right.

    A node is rewritten under a functional f over its states.  A rule a → b c is chosen with probability proportional to
    f·T(ι_b, ι_c).  The left child gets the functional f·T(·, ι_c).  Once its subtree is finished, with inside vector
    α_b, the right child gets f·T(α_b, ·).  For the parameters of an L-PCFG in any basis this is exact, because f and α
    transform contragrediently (C14 Theorem 3).  A node costs O(options of its symbol · m) and its rule's application.

    Parameters
    ----------
    options : Options
    root_vector, top : ndarray of float64, shape (Σ m_a,)
        Root parameters, and ι of top items.
    mass : ndarray of float64
        From `next_masses`.
    uniforms : ndarray of float64, shape (≥ n_nodes + 1,)
        Uniform random numbers from [0, 1): one for the root's symbol and one for each node.
    max_words : int
    clip_tolerance : float
        Negative weights whose sum is a smaller share of the positive sum count as rounding.
    tree : TreeBuffers
        Written.

    Returns
    -------
    n_nodes : int
    outcome : int
        `COMPLETE`, `TOO_LONG`, or `DEAD_END` if no rule has a positive weight.
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
                end = options.first_unary[a]  # a span has at most one unary rule
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
            scale_to_one(alpha)  # only ratios matter; prevents underflow in long trees
            depth -= 1
            continue
        tree.symbol[n_nodes], tree.parent[n_nodes], tree.phase[n_nodes] = child, node, _NEW
        tree.stack[depth] = n_nodes
        depth += 1
        n_nodes += 1
    return n_nodes, COMPLETE, n_clipped
