"""Compiled core of the bracket reader: token numbers in, preorder tree arrays out.

Loop indexes: k: tokens; t: the number of a token's string; s: sequences of tokens.
"""

from typing import NamedTuple

import numpy as np

from lpcfg_cli.arrays.kernel_options import FILLING, njit

OPEN, CLOSE, EMPTY = 0, 1, 2
"""Numbers that the reader's string table gives to ``(``, ``)`` and the empty label."""

OK, EXTRA_CLOSE, UNCLOSED, STRAY_TEXT, TWO_WORDS, MIXED, NO_CONTENT = range(7)
"""Problems of a token sequence; `lpcfg_cli.treebank.bracket_tokens.PROBLEMS` has the messages."""


class NodeBuffers(NamedTuple):
    """Room for the nodes and trees of a token sequence, and for as many entries of the stack.

    Attributes
    ----------
    label, word, parent : ndarray of int32, shape (≥ n_nodes,)
    opened_at : ndarray of int64, shape (≥ n_nodes,)
        Token at which each node starts.
    n_below, stack : ndarray of int32, shape (≥ n_nodes,)
        Number of children of each node, and the nodes that are open.
    tree_start, tree_token : ndarray of int64, shape (≥ n_trees + 1,)
        First node and first token of each tree.
    """

    label: np.ndarray
    word: np.ndarray
    parent: np.ndarray
    opened_at: np.ndarray
    n_below: np.ndarray
    stack: np.ndarray
    tree_start: np.ndarray
    tree_token: np.ndarray


def room_for_nodes(size: int) -> NodeBuffers:
    """Room for up to `size` brackets that open."""
    types = np.int32, np.int32, np.int32, np.int64, np.int32, np.int32, np.int64, np.int64
    return NodeBuffers(*(np.zeros(size + 1, kind) for kind in types))


def read_trees(
    token: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, int, int, int]:
    """Turn a token sequence into preorder arrays, up to the first problem; O(tokens).

    Parameters
    ----------
    token : ndarray of int32, shape (n,)
        Numbers of strings, with `OPEN` and `CLOSE` for the brackets.

    Returns
    -------
    label, word, parent : ndarray of int32, shape (n_nodes,)
    tree_start : ndarray of int64, shape (n_trees + 1,)
    tree_token : ndarray of int64, shape (n_trees,)
        Token at which each tree starts.
    node_token : ndarray of int64, shape (n_nodes,)
        Token at which each node starts.
    problem : int
        `OK`, or the first problem.
    where : int
        The token with the problem.
    began : int
        The token at which the tree with the problem starts; `where` if the problem is outside all trees.
    """
    room = room_for_nodes(int(np.count_nonzero(token == OPEN)))
    n_nodes, n_trees, problem, where, began = fill_trees(token, *room)
    label, word, parent, node_token = (part[:n_nodes] for part in room[:4])
    return (
        label,
        word,
        parent,
        room.tree_start[: n_trees + 1],
        room.tree_token[:n_trees],
        node_token,
        problem,
        where,
        began,
    )


@njit(**FILLING)
def fill_trees(
    token: np.ndarray,
    label: np.ndarray,
    word: np.ndarray,
    parent: np.ndarray,
    opened_at: np.ndarray,
    n_below: np.ndarray,
    stack: np.ndarray,
    tree_start: np.ndarray,
    tree_token: np.ndarray,
) -> tuple[int, int, int, int, int]:
    """Fill the arrays of `NodeBuffers`; returns the numbers of nodes and trees, and the last three of `read_trees`."""
    depth, n_nodes, n_trees = 0, 0, 0
    problem, where = OK, 0
    tree_start[0], tree_token[0] = 0, 0
    n = token.shape[0]
    k = 0
    while k < n:
        t = token[k]
        if t == OPEN:
            if depth == 0:
                tree_token[n_trees] = k
                parent[n_nodes] = -1
            else:
                above = stack[depth - 1]
                if word[above] >= 0:
                    problem, where = MIXED, k
                    break
                parent[n_nodes] = above
                n_below[above] += 1
            opened_at[n_nodes], word[n_nodes], n_below[n_nodes] = k, -1, 0
            if k + 1 < n and token[k + 1] != OPEN and token[k + 1] != CLOSE:
                k += 1
                label[n_nodes] = token[k]
            else:
                label[n_nodes] = EMPTY
            stack[depth] = n_nodes
            depth += 1
            n_nodes += 1
        elif t == CLOSE:
            if depth == 0:
                problem, where = EXTRA_CLOSE, k
                break
            depth -= 1
            node = stack[depth]
            if word[node] < 0 and n_below[node] == 0:
                if label[node] != EMPTY:
                    problem, where = NO_CONTENT, opened_at[node]
                    break
                # a node without label and content, as in (()), is removed
                n_nodes = node
                if depth > 0:
                    n_below[stack[depth - 1]] -= 1
            if depth == 0:
                n_trees += 1
                tree_start[n_trees] = n_nodes
        else:
            if depth == 0:
                problem, where = STRAY_TEXT, k
                break
            node = stack[depth - 1]
            if word[node] >= 0:
                problem, where = TWO_WORDS, k
                break
            if n_below[node] > 0 or label[node] == EMPTY:  # the latter after a null node, as in (() dog)
                problem, where = MIXED, k
                break
            word[node] = t
        k += 1
    if problem == OK and depth > 0:
        problem, where = UNCLOSED, tree_token[n_trees]
    began = tree_token[n_trees] if depth > 0 or problem == NO_CONTENT else where
    return n_nodes, n_trees, problem, where, began


def are_well_formed(token: np.ndarray, first_token: np.ndarray) -> np.ndarray:
    """Whether each of n token sequences has nothing but trees; O(tokens).

    Parameters
    ----------
    token : ndarray of int32, shape (n_tokens,)
    first_token : ndarray of int64, shape (n + 1,)
        Sequence s is ``token[first_token[s]:first_token[s + 1]]``.

    Returns
    -------
    ndarray of bool, shape (n,)
    """
    well_formed = np.empty(len(first_token) - 1, bool)
    check_trees(token, first_token, well_formed, *room_for_nodes(int(np.diff(first_token).max(initial=0))))
    return well_formed


@njit(**FILLING)
def check_trees(
    token: np.ndarray,
    first_token: np.ndarray,
    well_formed: np.ndarray,
    label: np.ndarray,
    word: np.ndarray,
    parent: np.ndarray,
    opened_at: np.ndarray,
    n_below: np.ndarray,
    stack: np.ndarray,
    tree_start: np.ndarray,
    tree_token: np.ndarray,
) -> None:
    """Fill `well_formed` of `are_well_formed`; the arrays of `NodeBuffers` are overwritten."""
    for s in range(well_formed.shape[0]):
        sequence = token[first_token[s] : first_token[s + 1]]
        found = fill_trees(sequence, label, word, parent, opened_at, n_below, stack, tree_start, tree_token)
        well_formed[s] = found[2] == OK


@njit(**FILLING)
def tree_length(token: np.ndarray) -> int:
    """Number of tokens up to the bracket that closes the first one; all of them if it is never closed.  O(n)."""
    depth = 0
    for k in range(token.shape[0]):
        if token[k] == OPEN:
            depth += 1
        elif token[k] == CLOSE:
            depth -= 1
            if depth == 0:
                return k + 1
    return token.shape[0]


@njit(**FILLING)
def tokens_before_open(token: np.ndarray) -> int:
    """Number of tokens before the first `OPEN`; all of them if there is none.  O(n)."""
    for k in range(token.shape[0]):
        if token[k] == OPEN:
            return k
    return token.shape[0]
