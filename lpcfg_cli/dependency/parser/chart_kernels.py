"""Compiled search for the best trees of a sentence, given the scores of their parts.

Loop indexes: row: rows of the plan; split: derivations of a row; k: ranks.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, INNER, njit
from lpcfg_cli.dependency.parser.plan_kernels import (
    COMPLETE_LEFT,
    COUNT,
    GOAL,
    INCOMPLETE_LEFT,
    INCOMPLETE_RIGHT,
    ITEM,
    LEFT,
    LEFT_STEP,
    RIGHT,
    RIGHT_STEP,
    SCORE,
    SCORE_STEP,
)


@njit(**ENTRY)
def best_tree(plan: np.ndarray, scores: np.ndarray, n: int) -> np.ndarray:
    """The heads of the tree with the largest sum of scores; O(n³).

    Parameters
    ----------
    plan : ndarray of int64, shape (n_rows, 8)
        From `make_plan`.
    scores : ndarray of float64, shape (n_parts + 1,)
    n : int
        Number of words.

    Returns
    -------
    ndarray of int32, shape (n,)
        Of equally good trees the same one is found always.
    """
    n_items = GOAL * (n + 1) * (n + 1) + 1
    best = np.full(n_items, -np.inf)
    lefts, rights = np.empty(n_items, np.int64), np.empty(n_items, np.int64)
    _put_leaves(best, n + 1)
    for row in plan:
        item, left, right, score = row[ITEM], row[LEFT], row[RIGHT], row[SCORE]
        for _ in range(row[COUNT]):
            value = best[left] + best[right] + scores[score]
            if value > best[item]:
                best[item] = value
                lefts[item], rights[item] = left, right
            left += row[LEFT_STEP]
            right += row[RIGHT_STEP]
            score += row[SCORE_STEP]
    heads = np.zeros(n, np.int32)
    pending = np.empty(n_items, np.int64)
    pending[0], size = n_items - 1, 1
    while size:
        size -= 1
        item = pending[size]
        if _set_head(heads, item, lefts[item], n + 1):
            pending[size], pending[size + 1] = lefts[item], rights[item]
            size += 2
    return heads


@njit(**INNER)
def _put_leaves(best: np.ndarray, n_positions: int) -> None:
    """Set the values of words alone, complete on either side."""
    for kind in range(COMPLETE_LEFT + 1):
        for i in range(n_positions):
            best[(kind * n_positions + i) * n_positions + i] = 0.0


@njit(**INNER)
def _set_head(heads: np.ndarray, item: int, left: int, n_positions: int) -> bool:
    """Set the head that an item tells, whose left item is given, if any; False if the item is a word alone."""
    kind, i, j = _parts(item, n_positions)
    if kind == INCOMPLETE_RIGHT:
        heads[j - 1] = i
    elif kind == INCOMPLETE_LEFT:
        heads[i - 1] = j
    elif kind == GOAL:
        left_kind, _, root = _parts(left, n_positions)
        if left_kind == COMPLETE_LEFT:
            heads[root - 1] = 0
    return kind > COMPLETE_LEFT or i != j


@njit(**INNER)
def _parts(item: int, n_positions: int) -> tuple[int, int, int]:
    """Kind, i and j of an item."""
    return item // (n_positions * n_positions), item // n_positions % n_positions, item % n_positions


@njit(**ENTRY)
def best_trees(plan: np.ndarray, scores: np.ndarray, n: int, most: int) -> tuple[np.ndarray, np.ndarray]:
    """The trees with the largest sums of scores, exactly (Huang and Chiang 2005, algorithm 2); O(n³ + n² k log n).

    Every tree has one derivation, so that no tree comes twice.

    Parameters
    ----------
    plan, scores, n
        As for `best_tree`.
    most : int
        k, at least 1.

    Returns
    -------
    heads : ndarray of int32, shape (n_trees, n)
        Best first; fewer than k if there are no more trees.
    totals : ndarray of float64, shape (n_trees,)
    """
    n_items = GOAL * (n + 1) * (n + 1) + 1
    number = np.zeros(n_items, np.int64)  # of derivations found
    best = np.empty((n_items, most))
    back = np.empty((n_items, most, 4), np.int32)  # left item and its rank, right item and its rank
    for kind in range(COMPLETE_LEFT + 1):
        for i in range(n + 1):
            leaf = (kind * (n + 1) + i) * (n + 1) + i
            number[leaf], best[leaf, 0] = 1, 0.0
    # derivations that wait: value; left item, its rank, right item, its rank, score; and the heap of their numbers
    most_waiting = 2 * n + 2 * most + 4
    values, waiting = np.empty(most_waiting), np.empty((most_waiting, 5), np.int64)
    heap = np.empty(most_waiting, np.int64)
    row = 0
    while row < len(plan):
        item, size, n_waiting = plan[row, ITEM], 0, 0
        while row < len(plan) and plan[row, ITEM] == item:
            left, right, score = plan[row, LEFT], plan[row, RIGHT], plan[row, SCORE]
            for _ in range(plan[row, COUNT]):
                if number[left] and number[right]:
                    _wait(best, scores, left, 0, right, 0, score, values, waiting, n_waiting)
                    size = _push(heap, values, n_waiting, size)
                    n_waiting += 1
                left += plan[row, LEFT_STEP]
                right += plan[row, RIGHT_STEP]
                score += plan[row, SCORE_STEP]
            row += 1
        while size and number[item] < most:
            first, k = heap[0], number[item]
            left, i, right, j, score = waiting[first]
            best[item, k] = values[first]
            back[item, k, 0], back[item, k, 1], back[item, k, 2], back[item, k, 3] = left, i, right, j
            number[item] += 1
            size = _pop(heap, values, size)
            if j + 1 < number[right]:
                _wait(best, scores, left, i, right, j + 1, score, values, waiting, n_waiting)
                size = _push(heap, values, n_waiting, size)
                n_waiting += 1
            # the left rank rises only while the right one is 0, so that each pair is reached in one way
            if j == 0 and i + 1 < number[left]:
                _wait(best, scores, left, i + 1, right, 0, score, values, waiting, n_waiting)
                size = _push(heap, values, n_waiting, size)
                n_waiting += 1
    goal = n_items - 1
    heads = np.zeros((number[goal], n), np.int32)
    for k in range(number[goal]):
        _read_tree(heads[k], goal, k, back, n + 1)
    return heads, best[goal, : number[goal]].copy()


@njit(**INNER)
def _wait(
    best: np.ndarray,
    scores: np.ndarray,
    left: int,
    i: int,
    right: int,
    j: int,
    score: int,
    values: np.ndarray,
    waiting: np.ndarray,
    at: int,
) -> None:
    """Write the derivation made of the left item of rank i and the right item of rank j."""
    values[at] = best[left, i] + best[right, j] + scores[score]
    waiting[at, 0], waiting[at, 1], waiting[at, 2], waiting[at, 3], waiting[at, 4] = left, i, right, j, score


@njit(**INNER)
def _push(heap: np.ndarray, values: np.ndarray, new: int, size: int) -> int:
    """Add a number to the heap, which has the number of the largest value at 0; returns the new size."""
    at = size
    while at and values[heap[(at - 1) // 2]] < values[new]:
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = new
    return size + 1


@njit(**INNER)
def _pop(heap: np.ndarray, values: np.ndarray, size: int) -> int:
    """Remove the number at 0 from the heap; returns the new size."""
    size -= 1
    last, at = heap[size], 0
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and values[heap[child + 1]] > values[heap[child]]:
            child += 1
        if values[heap[child]] <= values[last]:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = last
    return size


@njit(**INNER)
def _read_tree(heads: np.ndarray, goal: int, k: int, back: np.ndarray, n_positions: int) -> None:
    """Write the heads of the derivation of the goal that has rank k."""
    pending = np.empty((4 * n_positions + 4, 2), np.int64)
    pending[0, 0], pending[0, 1], size = goal, k, 1
    while size:
        size -= 1
        item, rank = pending[size]
        if _set_head(heads, item, back[item, rank, 0], n_positions):
            for side in (0, 2):
                pending[size, 0], pending[size, 1] = back[item, rank, side], back[item, rank, side + 1]
                size += 1
