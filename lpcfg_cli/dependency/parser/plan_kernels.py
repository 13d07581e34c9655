"""The items of the charts of projective dependency parsing, and how each is made of two smaller ones.

Positions are 0 for the root and 1 to n for the words; N = n + 1.  An item is a kind and a pair of positions i ≤ j; its
number is (kind N + i) N + j:

- complete to the right (left): word i (j) with all its descendants in i … j on that side;
- incomplete to the right (left): an arc from i to j (j to i) with what lies between its ends;
- siblings (second order only): i and j, next to each other among the children of one head, with what lies between.

The plan lists the derivations of all items, smaller items first (Eisner 1996; McDonald and Pereira 2006, figure 4).
A row has all derivations of an item that differ in the split only: item, left item, right item and score of the first
one, each with its step from one to the next, and their number.  The algorithms on charts are then the same for both
orders.

Loop indexes: i, j: positions; row: rows of the plan.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, INNER, njit

COMPLETE_RIGHT, COMPLETE_LEFT, INCOMPLETE_RIGHT, INCOMPLETE_LEFT, SIBLINGS, GOAL = range(6)
"""Kinds of items.  The goal is one item: the whole sentence under the root."""

N_FIELDS = 8
ITEM, LEFT, LEFT_STEP, RIGHT, RIGHT_STEP, SCORE, SCORE_STEP, COUNT = range(N_FIELDS)
"""Columns of a plan."""


@njit(**INNER)
def _item(kind: int, i: int, j: int, n_positions: int) -> int:
    return (kind * n_positions + i) * n_positions + j


@njit(**INNER)
def _put(
    plan: np.ndarray,
    row: int,
    item: int,
    left: int,
    left_step: int,
    right: int,
    right_step: int,
    score: int,
    score_step: int,
    count: int,
) -> int:
    """Write a row, and return the number of the next one."""
    plan[row, ITEM] = item
    plan[row, LEFT] = left
    plan[row, LEFT_STEP] = left_step
    plan[row, RIGHT] = right
    plan[row, RIGHT_STEP] = right_step
    plan[row, SCORE] = score
    plan[row, SCORE_STEP] = score_step
    plan[row, COUNT] = count
    return row + 1


@njit(**INNER)
def _put_arcs(plan: np.ndarray, row: int, i: int, j: int, N: int, zero: int, is_second: bool) -> int:
    """Write the rows of the items with an arc between i and j; the root, at 0, has no head."""
    start, stop = _item(COMPLETE_RIGHT, i, i, N), _item(COMPLETE_LEFT, i + 1, j, N)
    last = _item(COMPLETE_RIGHT, i, j - 1, N), _item(COMPLETE_LEFT, j, j, N)
    to_right, to_left = _item(INCOMPLETE_RIGHT, i, j, N), _item(INCOMPLETE_LEFT, i, j, N)
    if not is_second:
        row = _put(plan, row, to_right, start, 1, stop, N, i * N + j, 0, j - i)
        return _put(plan, row, to_left, start, 1, stop, N, j * N + i, 0, j - i) if i else row
    if i:
        row = _put(plan, row, _item(SIBLINGS, i, j, N), start, 1, stop, N, zero, 0, j - i)
    right, left = (i * N + j) * N, (j * N + i) * N
    # the first child, then those with a sibling between
    row = _put(plan, row, to_right, start, 0, stop, 0, right + i, 0, 1)
    between = _item(INCOMPLETE_RIGHT, i, i + 1, N), _item(SIBLINGS, i + 1, j, N)
    row = _put(plan, row, to_right, between[0], 1, between[1], N, right + i + 1, 1, j - i - 1)
    if i:
        row = _put(plan, row, to_left, last[0], 0, last[1], 0, left + j, 0, 1)
        between = _item(SIBLINGS, i, i + 1, N), _item(INCOMPLETE_LEFT, i + 1, j, N)
        row = _put(plan, row, to_left, between[0], 1, between[1], N, left + i + 1, 1, j - i - 1)
    return row


@njit(**ENTRY)
def make_plan(n: int, is_second: bool, has_one_root: bool) -> np.ndarray:
    """The plan for sentences of a length; O(n²).

    Parameters
    ----------
    n : int
        Number of words, at least 1.
    is_second : bool
        Whether scores are of an arc and its sibling: h, m, s at (h N + m) N + s, where s = h for the first child of h
        on that side.  If not, they are of arcs: h, m at h N + m.  After the last of them comes a zero.
    has_one_root : bool
        Whether trees have one child of the root, or several.

    Returns
    -------
    ndarray of int64, shape (n_rows, 8)
        The last row is that of the goal.
    """
    N = n + 1
    zero = N**3 if is_second else N**2
    plan = np.empty(((7 if is_second else 4) * N * N, N_FIELDS), np.int64)
    row = 0
    first = 1 if has_one_root else 0
    for width in range(1, N):
        for i in range(first, N - width):
            j = i + width
            row = _put_arcs(plan, row, i, j, N, zero, is_second)
            left, right = _item(INCOMPLETE_RIGHT, i, i + 1, N), _item(COMPLETE_RIGHT, i + 1, j, N)
            row = _put(plan, row, _item(COMPLETE_RIGHT, i, j, N), left, 1, right, N, zero, 0, width)
            if i:
                left, right = _item(COMPLETE_LEFT, i, i, N), _item(INCOMPLETE_LEFT, i, j, N)
                row = _put(plan, row, _item(COMPLETE_LEFT, i, j, N), left, 1, right, N, zero, 0, width)
    goal, right = _item(GOAL, 0, 0, N), _item(COMPLETE_RIGHT, 1, n, N)
    if has_one_root:
        score, step = (N, N) if is_second else (1, 1)  # of the arcs from 0 to 1 … n, as first children
        row = _put(plan, row, goal, _item(COMPLETE_LEFT, 1, 1, N), 1, right, N, score, step, n)
    else:
        row = _put(plan, row, goal, _item(INCOMPLETE_RIGHT, 0, 1, N), 1, right, N, zero, 0, n)
    return plan[:row]
