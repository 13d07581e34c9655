"""Dependency parsing as it is defined: all projective trees of a sentence, and sums over their parts."""

from __future__ import annotations

from itertools import product

import numpy as np

from lpcfg_cli.dependency.parser.feature_kernels import N_FIELDS
from lpcfg_cli.dependency.parser.templates import ARC, BETWEEN, FIELDS, SIBLING

WORDS = ("Hush", "saw", "the", "dog", ".")


def all_trees(n, has_one_root):
    """The heads of all projective trees of n words."""
    for heads in product(range(n + 1), repeat=n):
        if (heads.count(0) == 1 or not has_one_root) and is_tree(heads) and not crosses(heads):
            yield heads


def is_tree(heads):
    for word in range(1, len(heads) + 1):
        above, steps = word, 0
        while above and steps <= len(heads):
            above, steps = heads[above - 1], steps + 1
        if above:
            return False
    return True


def crosses(heads):
    arcs = [(min(head, word), max(head, word)) for word, head in enumerate(heads, 1)]
    return any(a < c < b < d for a, b in arcs for c, d in arcs)


def sibling_of(heads, m):
    """The sibling of a word that is nearest to it between its head and itself; its head if there is none."""
    h = heads[m - 1]
    between = [s for s in range(min(h, m) + 1, max(h, m)) if heads[s - 1] == h]
    return h if not between else max(between) if h < m else min(between)


def part_numbers(heads, is_second):
    """The places in the array of scores of the parts of a tree."""
    N = len(heads) + 1
    for m, h in enumerate(heads, 1):
        yield (h * N + m) * N + sibling_of(heads, m) if is_second else h * N + m


def total(heads, scores, is_second):
    return sum(scores[k] for k in part_numbers(heads, is_second))


def random_scores(n, is_second, seed, step=0.0):
    """Scores of parts; multiples of a step, so that there are ties, or any numbers; what no tree has is NaN."""
    N = n + 1
    random = np.random.default_rng(seed)
    scores = random.normal(size=N**3 + 1 if is_second else N**2 + 1)
    scores = np.round(scores / step) * step if step else scores
    scores[-1] = 0.0
    return scores


def tree_features(rows, heads, is_second):
    """The features of a tree as tuples of names and values, each as often as the tree has it."""
    found = []
    for m, h in enumerate(heads, 1):
        direction = "right" if h < m else "left"
        positions = {"head": h, "modifier": m}
        for name in ("head", "modifier"):
            positions |= {f"before-{name}": positions[name] - 1, f"after-{name}": positions[name] + 1}
        for template in ARC:
            values = values_of(rows, template, positions)
            found += [(template, values, direction), (template, values, direction, length_bin(h, m))]
        for b in range(min(h, m) + 1, max(h, m)):
            found += [(t, values_of(rows, t, {**positions, "between": b}), direction) for t in BETWEEN]
        if is_second:
            s = sibling_of(heads, m)
            for template in SIBLING:
                values = values_of(rows, template, {**positions, "sibling": s})
                first = "first" if s == h else "later"
                found += [(template, values, direction, first, "sibling")]
                found += [(template, values, direction, first, length_bin(s, m), "sibling")]
    return found


def values_of(rows, template, positions):
    parts = [part.rpartition(".") for part in template.split()]
    return tuple(int(rows[positions[position] + 1][FIELDS.index(field)]) for position, _, field in parts)


def length_bin(a, b):
    distance = abs(a - b)
    return distance if distance <= 5 else "6-10" if distance <= 10 else "11-20" if distance <= 20 else "more"


def random_rows(n, seed, n_values=3):
    """Rows of a sentence of n words with few different fields."""
    return np.random.default_rng(seed).integers(0, n_values, (n + 3, N_FIELDS)).astype(np.uint64)
