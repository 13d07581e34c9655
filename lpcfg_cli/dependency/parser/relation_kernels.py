"""Compiled features of the relations of a tree's arcs.

Loop indexes: m: positions of modifiers; t: templates; k: weights of a feature; label: relations.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, INNER, njit
from lpcfg_cli.dependency.parser.feature_kernels import (
    HEAD,
    MODIFIER,
    N_SLOTS,
    direction_and_distance,
    joined,
    mixed,
    put_fields,
    put_with_neighbours,
)
from lpcfg_cli.dependency.parser.templates import POSITIONS, Templates

SALT = 4 << 16
GRANDPARENT = POSITIONS.index("grandparent")
LEFT_SIBLING, RIGHT_SIBLING = POSITIONS.index("left-sibling"), POSITIONS.index("right-sibling")
FIRST_CHILD, LAST_CHILD = POSITIONS.index("first-child"), POSITIONS.index("last-child")
NOTHING = -1
"""The position of a word that is not there: that before the sentence."""


@njit(**ENTRY)
def relation_features(rows: np.ndarray, heads: np.ndarray, templates: Templates) -> np.ndarray:
    """The keys of the features of the arc to each word.

    Parameters
    ----------
    rows : ndarray of uint64, shape (n + 3, n_fields)
    heads : ndarray of int32, shape (n,)
    templates : Templates

    Returns
    -------
    ndarray of uint64, shape (n, 2 n_templates)
        Each template with the direction, and with direction and binned length.
    """
    n = len(heads)
    left, right, first, last = _relatives(heads)
    keys = np.empty((n, 2 * (len(templates.start) - 1)), np.uint64)
    values = np.zeros(N_SLOTS, np.uint64)
    for m in range(1, n + 1):
        h = int(heads[m - 1])
        put_with_neighbours(values, HEAD, rows, h)
        put_with_neighbours(values, MODIFIER, rows, m)
        put_fields(values, GRANDPARENT, rows[(heads[h - 1] if h else NOTHING) + 1])
        put_fields(values, LEFT_SIBLING, rows[left[m] + 1])
        put_fields(values, RIGHT_SIBLING, rows[right[m] + 1])
        put_fields(values, FIRST_CHILD, rows[first[m] + 1])
        put_fields(values, LAST_CHILD, rows[last[m] + 1])
        direction, distance = direction_and_distance(h, m)
        for t in range(len(templates.start) - 1):
            key = joined(templates, t, SALT, values)
            keys[m - 1, 2 * t] = mixed(key, direction)
            keys[m - 1, 2 * t + 1] = mixed(key, distance)
    return keys


@njit(**INNER)
def _relatives(heads: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The siblings next to each position on the left and on the right, its first and its last child, or `NOTHING`."""
    n = len(heads)
    left, right = np.full(n + 1, NOTHING, np.int64), np.full(n + 1, NOTHING, np.int64)
    first, last = np.full(n + 1, NOTHING, np.int64), np.full(n + 1, NOTHING, np.int64)
    for m in range(1, n + 1):
        h = heads[m - 1]
        if first[h] == NOTHING:
            first[h] = m
        else:
            left[m] = last[h]
            right[last[h]] = m
        last[h] = m
    return left, right, first, last


@njit(**ENTRY)
def relation_scores(
    keys: np.ndarray, known: np.ndarray, start: np.ndarray, label: np.ndarray, weight: np.ndarray, n_labels: int
) -> np.ndarray:
    """The scores of all relations of each word: sums of the weights of its features.

    Parameters
    ----------
    keys : ndarray of uint64, shape (n, n_features)
        From `relation_features`.
    known : ndarray of uint64, shape (n_known,)
        Keys of the features that have weights, sorted.
    start : ndarray of int64, shape (n_known + 1,)
    label : ndarray of int32, shape (start[n_known],)
    weight : ndarray of float32, shape (start[n_known],)
        Feature f has the weights ``weight[start[f]:start[f + 1]]``, of these relations.
    n_labels : int

    Returns
    -------
    ndarray of float64, shape (n, n_labels)
    """
    scores = np.zeros((len(keys), n_labels))
    if not len(known):
        return scores
    for m in range(len(keys)):
        for key in keys[m]:
            f = np.searchsorted(known, key)
            if f < len(known) and known[f] == key:
                for k in range(start[f], start[f + 1]):
                    scores[m, label[k]] += weight[k]
    return scores
