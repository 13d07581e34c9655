"""Compiled steps of long short-term memories from one place of sentences to the next, all but their matrix products.

numpy would write each of its operations to memory, and take ten times as long.

Loop indexes: s: a sentence; g: a state.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import FILLING, REORDERED_SUMS, njit


@njit(**FILLING, **REORDERED_SUMS)
def fill_cells(gates: np.ndarray, earlier: np.ndarray, cells: np.ndarray) -> None:
    """The cells of one place; O(n_sentences · states).

    Parameters
    ----------
    gates : ndarray of float, shape (n_sentences, 4 · states)
        Hyperbolic tangents: of half the sums for the logistic gates, of which they make the values; changed.
    earlier : ndarray of float, shape (n_before, states)
        Cells of the place before, of which each sentence has a row or, at the first place, none.
    cells : ndarray of float, shape (n_sentences, states)
        Filled.
    """
    states = cells.shape[1]
    half = gates.dtype.type(0.5)
    for s in range(len(gates)):
        entering, kept = gates[s, :states], gates[s, states : 2 * states]
        candidate, cell = gates[s, 3 * states :], cells[s]
        for g in range(3 * states):
            gates[s, g] = half * gates[s, g] + half
        for g in range(states):
            cell[g] = entering[g] * candidate[g]
        if len(earlier):
            for g in range(states):
                cell[g] += kept[g] * earlier[s, g]


@njit(**FILLING, **REORDERED_SUMS)
def fill_gate_slopes(
    slope: np.ndarray, gates: np.ndarray, squashed: np.ndarray, earlier: np.ndarray, of_hidden: np.ndarray,
    of_cell: np.ndarray, of_gates: np.ndarray,
) -> None:  # fmt: skip
    """The gradient with respect to the sums of the gates of one place; O(n_sentences · states).

    Parameters
    ----------
    slope : ndarray of float, shape (n_sentences, states)
        The gradient with respect to the results of this place, but for what the next place makes of them.
    gates : ndarray of float, shape (n_sentences, 4 · states)
        After their functions.
    squashed : ndarray of float, shape (n_sentences, states)
        The hyperbolic tangents of the cells.
    earlier : ndarray of float, shape (n_before, states)
        As for `fill_cells`.
    of_hidden : ndarray of float, shape (n_sentences or more, states)
        The gradient by way of the next place.
    of_cell : ndarray of float, shape (n_sentences or more, states)
        That with respect to the cells by way of the next place; changed to that by way of this place.
    of_gates : ndarray of float, shape (n_sentences, 4 · states)
        Filled.
    """
    states = squashed.shape[1]
    one = slope.dtype.type(1)
    for s in range(len(gates)):
        entering, kept = gates[s, :states], gates[s, states : 2 * states]
        leaving, candidate = gates[s, 2 * states : 3 * states], gates[s, 3 * states :]
        of_entering, of_kept = of_gates[s, :states], of_gates[s, states : 2 * states]
        of_leaving, of_candidate = of_gates[s, 2 * states : 3 * states], of_gates[s, 3 * states :]
        cell, tangent = of_cell[s], squashed[s]
        for g in range(states):
            own = slope[s, g] + of_hidden[s, g]
            of_leaving[g] = own * tangent[g] * leaving[g] * (one - leaving[g])
            cell[g] += own * leaving[g] * (one - tangent[g] * tangent[g])
        for g in range(states):
            of_entering[g] = cell[g] * candidate[g] * entering[g] * (one - entering[g])
            of_candidate[g] = cell[g] * entering[g] * (one - candidate[g] * candidate[g])
        for g in range(states):
            of_kept[g] = cell[g] * earlier[s, g] * kept[g] * (one - kept[g]) if len(earlier) else 0.0
        for g in range(states):
            cell[g] *= kept[g]
