"""Compiled extraction of features, as numbers of a table of weights, and the scores of the parts of trees.

The rows of a sentence of n words are n + 3: what stands before the root, the root, the words, and what stands after
them.  Position p has the row p + 1.

Loop indexes: t: templates; k: fields of a template; h, m, s, b: positions of head, modifier, sibling, between.
"""

from typing import NamedTuple

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, INNER, njit
from lpcfg_cli.dependency.parser.templates import FIELDS, POSITIONS, Templates

N_FIELDS = len(FIELDS)
N_SLOTS = N_FIELDS * len(POSITIONS)
HEAD, MODIFIER = POSITIONS.index("head"), POSITIONS.index("modifier")
BETWEEN, SIBLING = POSITIONS.index("between"), POSITIONS.index("sibling")
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)
ARC_SALT, BETWEEN_SALT, SIBLING_SALT = 1 << 16, 2 << 16, 3 << 16
"""Added to the numbers of templates, so that those of different tables have different keys."""

DISTANCE_BINS = (1, 2, 3, 4, 5, 10, 20)
"""Largest distance of each bin but the last."""


class ArcTemplates(NamedTuple):
    """The templates of a parser."""

    arc: Templates
    between: Templates
    sibling: Templates


@njit(**INNER)
def mixed(key: np.uint64, value: np.uint64) -> np.uint64:
    """A key of 64 bits for a key and a further value."""
    product = (key ^ value) * MULTIPLIER
    return product ^ (product >> HALF)


@njit(**INNER)
def joined(templates: Templates, t: int, salt: int, values: np.ndarray) -> np.uint64:
    """The key of a template with the values of its slots."""
    key = np.uint64(t + salt) * MULTIPLIER
    for k in range(templates.start[t], templates.start[t + 1]):
        key = mixed(key, values[templates.slot[k]])
    return key


@njit(**INNER)
def put_fields(values: np.ndarray, position: int, row: np.ndarray) -> None:
    """Write the fields of a word to the slots of a position."""
    for field in range(N_FIELDS):
        values[position * N_FIELDS + field] = row[field]


@njit(**INNER)
def distance_bin(distance: int) -> int:
    """The number of the bin of a distance, at least 1."""
    number = 0
    for largest in DISTANCE_BINS:
        number += distance > largest
    return number


@njit(**INNER)
def direction_and_distance(h: int, m: int) -> tuple[np.uint64, np.uint64]:
    """The values of the direction from h to m, and of direction and binned distance."""
    direction = 1 if h < m else 2
    return np.uint64(direction), np.uint64(16 * direction + distance_bin(abs(h - m)))


@njit(**INNER)
def put_with_neighbours(values: np.ndarray, position: int, rows: np.ndarray, p: int) -> None:
    """Write the fields of word p to the slots of a position, and those of the words next to it to the next two."""
    put_fields(values, position, rows[p + 1])
    put_fields(values, position + 1, rows[p])
    put_fields(values, position + 2, rows[p + 2])


@njit(**INNER)
def arc_features(
    rows: np.ndarray, h: int, m: int, templates: ArcTemplates, values: np.ndarray, mask: np.uint64, features: np.ndarray
) -> int:
    """Write the features of an arc, each a number up to mask; returns how many there are."""
    put_with_neighbours(values, HEAD, rows, h)
    put_with_neighbours(values, MODIFIER, rows, m)
    direction, distance = direction_and_distance(h, m)
    count = 0
    for t in range(len(templates.arc.start) - 1):
        key = joined(templates.arc, t, ARC_SALT, values)
        features[count] = mixed(key, direction) & mask
        features[count + 1] = mixed(key, distance) & mask
        count += 2
    for b in range(min(h, m) + 1, max(h, m)):
        put_fields(values, BETWEEN, rows[b + 1])
        for t in range(len(templates.between.start) - 1):
            features[count] = mixed(joined(templates.between, t, BETWEEN_SALT, values), direction) & mask
            count += 1
    return count


@njit(**INNER)
def sibling_features(
    rows: np.ndarray,
    h: int,
    m: int,
    s: int,
    templates: Templates,
    values: np.ndarray,
    mask: np.uint64,
    features: np.ndarray,
) -> int:
    """Write the features of an arc from h to m, whose fields are in `values`, and of the sibling s of m.

    For s = h, the modifier is the first child.
    """
    put_fields(values, SIBLING, rows[s + 1])
    direction, _ = direction_and_distance(h, m)
    if s == h:
        direction += np.uint64(4)
    _, distance = direction_and_distance(s, m)
    distance += direction << HALF
    count = 0
    for t in range(len(templates.start) - 1):
        key = joined(templates, t, SIBLING_SALT, values)
        features[count] = mixed(key, direction) & mask
        features[count + 1] = mixed(key, distance) & mask
        count += 2
    return count


@njit(**INNER)
def most_features(n: int, templates: ArcTemplates) -> int:
    """An upper limit of the number of features of a part of a tree of n words."""
    return 2 * len(templates.arc.start) + 2 * len(templates.sibling.start) + n * len(templates.between.start)


@njit(**ENTRY)
def part_scores(rows: np.ndarray, weight: np.ndarray, templates: ArcTemplates, is_second: bool) -> np.ndarray:
    """The scores of all parts of a sentence; O(n²) features for the first order, O(n³) for the second.

    Parameters
    ----------
    rows : ndarray of uint64, shape (n + 3, n_fields)
    weight : ndarray of float32, shape (2 ** bits,)
    templates : ArcTemplates
    is_second : bool
        Whether parts are arcs with a sibling, or arcs alone.

    Returns
    -------
    ndarray of float64, shape (n_parts + 1,)
        Numbered as `make_plan` does.  Parts that are in no tree have no defined score.
    """
    N = len(rows) - 2
    mask = np.uint64(len(weight) - 1)
    values = np.zeros(N_SLOTS, np.uint64)
    features = np.empty(most_features(N, templates), np.uint64)
    scores = np.zeros(N * N * N + 1) if is_second else np.zeros(N * N + 1)
    for h in range(N):
        for m in range(1, N):
            if h == m:
                continue
            count = arc_features(rows, h, m, templates, values, mask, features)
            total = _sum(weight, features, count)
            if not is_second:
                scores[h * N + m] = total
                continue
            at = (h * N + m) * N
            for s in range(min(h, m), max(h, m) + 1):
                if s == m:
                    continue
                count = sibling_features(rows, h, m, s, templates.sibling, values, mask, features)
                scores[at + s] = total + _sum(weight, features, count)
    return scores


@njit(**INNER)
def _sum(weight: np.ndarray, features: np.ndarray, count: int) -> float:
    total = 0.0
    for k in range(count):
        total += weight[features[k]]
    return total
