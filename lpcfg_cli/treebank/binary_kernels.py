"""Compiled loops that make and complete binarized trees.

Loop indexes: node: nodes in preorder; root: nodes without a parent; k: children of a node; part: the right part of a
binarized node, then its left part; out: nodes of the binarized trees.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, FILLING, njit

LEFT, RIGHT, HEAD = 0, 1, 2
"""Directions of binarization."""


def children(parent: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Children of every node; O(n).

    Parameters
    ----------
    parent : ndarray of int32, shape (n,)
        Parents in preorder, -1 for roots; at most two children each.

    Returns
    -------
    left, right : ndarray of int32, shape (n,)
        -1 for an absent child; an only child is the left one.
    is_right : ndarray of bool, shape (n,)
        Whether each node is a right child.
    """
    n = len(parent)
    left, right, is_right = np.full(n, -1, np.int32), np.full(n, -1, np.int32), np.zeros(n, bool)
    nodes = np.flatnonzero(parent >= 0)
    right[parent[nodes]] = nodes  # of several values for one place, the last one stays
    left[parent[nodes[::-1]]] = nodes[::-1]
    right[right == left] = -1
    is_right[right[right >= 0]] = True
    return left, right, is_right


def stops_and_heads(
    start: np.ndarray, left: np.ndarray, right: np.ndarray, head_is_right: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Ends of spans and head preterminals, bottom up; O(n).

    Parameters
    ----------
    start, left, right : ndarray of int32, shape (n,)
        Starts of spans, and children as from `children`, in preorder.
    head_is_right : ndarray of bool, shape (n,)

    Returns
    -------
    stop, head : ndarray of int32, shape (n,)
    """
    last = np.where(right >= 0, right, left)
    head_child = np.where(head_is_right, right, left)
    stop, head = (start + 1).astype(np.int32), np.arange(len(start), dtype=np.int32)
    copy_upwards(last, stop)
    copy_upwards(head_child, head)
    return stop, head


@njit(**FILLING)
def copy_upwards(child: np.ndarray, value: np.ndarray) -> None:
    """Replace the value of each node by that of one of its children, -1 for none, bottom up; both int32, (n,)."""
    for node in range(value.shape[0] - 1, -1, -1):
        if child[node] >= 0:
            value[node] = value[child[node]]


@njit(**ENTRY)
def binarize(
    parent: np.ndarray,
    has_word: np.ndarray,
    first: np.ndarray,
    child: np.ndarray,
    head_child: np.ndarray,
    direction: int,
    collapse: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Binarize trees of any shape, without recursion; O(n), and O(Σ arity²) to find the position of heads.

    Parameters
    ----------
    parent : ndarray of int32, shape (n,)
        Parents in preorder, -1 for roots.
    has_word : ndarray of bool, shape (n,)
    first : ndarray of int64, shape (n + 1,)
    child : ndarray of int32, shape (first[n],)
        Children of every node, from `tree_kernels.children_in_order`.
    head_child : ndarray of int32, shape (n,)
        Position of each phrase's head child.
    direction : int
        `LEFT`, `RIGHT` or `HEAD`.
    collapse : bool
        Make no unary nodes: the lowest node of a unary chain stands for the whole chain.

    Returns
    -------
    kind : ndarray of int8, shape (n_out,)
        0 lexical, 1 binary, 2 unary.
    top, bottom : ndarray of int32, shape (n_out,)
        First and last node of the unary chain from which the new node is made.
    low, high : ndarray of int32, shape (n_out,)
        A binary node covers the children ``low:high`` of ``bottom``, counted from 0; all of them, or fewer if it is
        intermediate.
    new_parent : ndarray of int32, shape (n_out,)
    head_is_right : ndarray of bool, shape (n_out,)
        Whether the head is in the right child; False for nodes that are not binary.
    """
    n = parent.shape[0]
    size = 2 * n + 1
    kind = np.zeros(size, np.int8)
    top = np.empty(size, np.int32)
    bottom = np.empty(size, np.int32)
    low = np.zeros(size, np.int32)
    high = np.zeros(size, np.int32)
    new_parent = np.empty(size, np.int32)
    head_is_right = np.zeros(size, np.bool_)
    # first node of the collapsed chain that ends in each node; intermediate nodes of that node have it too
    chain_start = np.arange(n).astype(np.int32)
    # A stack entry is (node, low, high, new parent): a node and the range of its children to cover.  The range (0, 0)
    # stands for the node itself together with the unary chain below it.
    stack = np.empty((size, 4), np.int32)
    out = 0
    for root in range(n):
        if parent[root] >= 0:
            continue
        stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = root, 0, 0, -1
        depth = 1
        while depth > 0:
            depth -= 1
            node, lo, hi, above = stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3]
            chain_top = node
            if hi == 0:
                while not has_word[node] and first[node + 1] - first[node] == 1:
                    node = child[first[node]]
                if node != chain_top and not collapse:
                    kind[out], top[out], bottom[out], new_parent[out] = 2, chain_top, node, above
                    above = out
                    out += 1
                    chain_top = node
                chain_start[node] = chain_top
                hi = np.int32(first[node + 1] - first[node])
            top[out], bottom[out], new_parent[out] = chain_start[node], node, above
            low[out], high[out] = lo, hi
            if has_word[node]:
                kind[out] = 0
            else:
                kind[out] = 1
                head = -1
                for k in range(hi):
                    if child[first[node] + k] == head_child[node]:
                        head = k
                cut_right = direction == 0 or (direction == 2 and hi - 1 > head)
                split = hi - 1 if cut_right else lo + 1
                head_is_right[out] = lo <= head < hi and head >= split
                for part in range(2):
                    a, b = (split, hi) if part == 0 else (lo, split)
                    if b - a == 1:
                        entry = child[first[node] + a]
                        stack[depth, 0], stack[depth, 1], stack[depth, 2] = entry, 0, 0
                    else:
                        stack[depth, 0], stack[depth, 1], stack[depth, 2] = node, a, b
                    stack[depth, 3] = out
                    depth += 1
            out += 1
    return kind[:out], top[:out], bottom[:out], low[:out], high[:out], new_parent[:out], head_is_right[:out]
