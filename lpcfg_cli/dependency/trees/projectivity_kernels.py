"""Compiled loops over the heads of sentences: crossing arcs, and lifting them.

Loop indices: sentence; word, other and between: words of a sentence, counted from 1 as heads are; above: words on the
way up.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, INNER, njit


@njit(**ENTRY)
def crossing_arcs(head: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Two words of each sentence whose arcs cross; O(n²).

    Parameters
    ----------
    head : ndarray of int32, shape (N,)
    start : ndarray of int64, shape (S + 1,)
        As in `FlatHeads`; a word without a head has no arc.

    Returns
    -------
    ndarray of int32, shape (S, 2)
        The words at the lower ends of the two arcs, the first such pair, of arcs between words if there is one; 0 and 0
        if no arcs cross.
    """
    found = np.zeros((start.shape[0] - 1, 2), np.int32)
    for sentence in range(start.shape[0] - 1):
        own = head[start[sentence] : start[sentence + 1]]
        _crossing_pair(own, 1, found[sentence])
        if not found[sentence, 0]:
            _crossing_pair(own, 0, found[sentence])
    return found


@njit(**INNER)
def _crossing_pair(head: np.ndarray, lowest: int, pair: np.ndarray) -> None:
    """Set the first pair of words whose arcs cross, of those whose heads are `lowest` or more."""
    for other in range(2, head.shape[0] + 1):
        for word in range(1, other):
            if min(head[word - 1], head[other - 1]) >= lowest and _cross(word, head[word - 1], other, head[other - 1]):
                pair[0], pair[1] = word, other
                return


@njit(**INNER)
def _cross(word: int, head: int, other: int, other_head: int) -> bool:
    low, high = min(word, head), max(word, head)
    other_low, other_high = min(other, other_head), max(other, other_head)
    return low < other_low < high < other_high or other_low < low < other_high < high


@njit(**ENTRY)
def lift_arcs(head: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Make trees projective in place: the shortest arc that is not projective is lifted until all are.

    An arc is projective if all words between its ends are below its head; to lift it is to give the word to the head
    of its head (Nivre and Nilsson 2005, Fig. 2).  Of arcs of one length, the leftmost is lifted first.  O(n² d) a
    lift, with d the depth of the tree.

    Parameters
    ----------
    head : ndarray of int32, shape (N,)
        Trees, with 0 above each root; changed.
    start : ndarray of int64, shape (S + 1,)

    Returns
    -------
    ndarray of int32, shape (S,)
        Number of lifts of each sentence.
    """
    lifts = np.zeros(start.shape[0] - 1, np.int32)
    for sentence in range(start.shape[0] - 1):
        own = head[start[sentence] : start[sentence + 1]]
        word = _shortest_to_lift(own)
        while word:
            own[word - 1] = own[own[word - 1] - 1]
            lifts[sentence] += 1
            word = _shortest_to_lift(own)
    return lifts


@njit(**INNER)
def _shortest_to_lift(head: np.ndarray) -> int:
    """The word whose arc is the shortest of those that are not projective; 0 if there is none."""
    best, shortest, leftmost = 0, head.shape[0] + 1, 0
    for word in range(1, head.shape[0] + 1):
        low, high = min(word, head[word - 1]), max(word, head[word - 1])
        is_nearer = high - low < shortest or (high - low == shortest and low < leftmost)
        if is_nearer and not _is_projective_arc(head, word):
            best, shortest, leftmost = word, high - low, low
    return best


@njit(**INNER)
def _is_projective_arc(head: np.ndarray, word: int) -> bool:
    top = head[word - 1]
    for between in range(min(word, top) + 1, max(word, top)):
        above = between
        while above != top:
            if above <= 0:
                return False
            above = head[above - 1]
    return True
