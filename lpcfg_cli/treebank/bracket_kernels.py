"""Compiled core of the bracket reader: token numbers in, preorder tree arrays out.

Loop indexes: k: tokens; t: the number of a token's string; s: sequences of tokens.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, njit

OPEN, CLOSE, EMPTY = 0, 1, 2
"""Numbers that the reader's string table gives to ``(``, ``)`` and the empty label."""

OK, EXTRA_CLOSE, UNCLOSED, STRAY_TEXT, TWO_WORDS, MIXED, NO_CONTENT = range(7)
"""Problems of a token sequence; `lpcfg_cli.treebank.bracket_tokens.PROBLEMS` has the messages."""


@njit(**ENTRY)
def read_trees(
    token: np.ndarray, depth_limit: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, int, int, int]:
    """Turn a token sequence into preorder arrays, up to the first problem; O(tokens).

    Parameters
    ----------
    token : ndarray of int32, shape (n,)
        Numbers of strings, with `OPEN` and `CLOSE` for the brackets.
    depth_limit : int
        Size of the stack; the number of `OPEN` tokens is always enough.

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
    n_open = 0
    for t in token:
        if t == OPEN:
            n_open += 1
    label = np.empty(n_open, np.int32)
    word = np.full(n_open, -1, np.int32)
    parent = np.empty(n_open, np.int32)
    opened_at = np.empty(n_open, np.int64)
    n_below = np.zeros(n_open, np.int32)
    tree_start = np.zeros(n_open + 1, np.int64)
    tree_token = np.zeros(n_open, np.int64)
    stack = np.empty(depth_limit + 1, np.int32)
    depth = 0
    n_nodes = 0
    n_trees = 0
    problem, where = OK, 0
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
            opened_at[n_nodes] = k
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
                word[node] = -1
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
    return (
        label[:n_nodes],
        word[:n_nodes],
        parent[:n_nodes],
        tree_start[: n_trees + 1],
        tree_token[:n_trees],
        opened_at[:n_nodes],
        problem,
        where,
        began,
    )


@njit(**ENTRY)
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
    n = first_token.shape[0] - 1
    well_formed = np.empty(n, np.bool_)
    for s in range(n):
        sequence = token[first_token[s] : first_token[s + 1]]
        well_formed[s] = read_trees(sequence, sequence.shape[0])[6] == OK
    return well_formed


@njit(**ENTRY)
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


@njit(**ENTRY)
def tokens_before_open(token: np.ndarray) -> int:
    """Number of tokens before the first `OPEN`; all of them if there is none.  O(n)."""
    for k in range(token.shape[0]):
        if token[k] == OPEN:
            return k
    return token.shape[0]
