"""The features of lists of trees: templates' rows as 64-bit numbers, counted relative to the first tree of a list.

A number is made of the template's name and of the row's texts, so that it means the same in every sentence, process and
version of Python.  That two features of a model get one number is as good as impossible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from lpcfg_cli.parsing.reranking.candidate_view import CandidateView
from lpcfg_cli.parsing.reranking.templates import TREE_TEMPLATES, Rows

MULTIPLIERS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
"""Of the finalizer of SplitMix64 (Steele, Lea and Flood 2014)."""

UNKNOWN = "?"
"""The name of a feature that is not found again."""

SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))


class ListFeatures(NamedTuple):
    """In which features the trees of a list differ.

    Attributes
    ----------
    candidate : ndarray of int64, shape (n,)
        Number of the tree in its list; the first tree has no entry.
    feature : ndarray of uint64, shape (n,)
    value : ndarray of float32, shape (n,)
        How much more often the tree has the feature than the first one of the list; not 0.
    """

    candidate: np.ndarray
    feature: np.ndarray
    value: np.ndarray


def list_features(view: CandidateView) -> ListFeatures:
    """The features of the trees of one list; O(U · trees) for U different features."""
    owners, numbers = zip(*((view.tree[nodes], hashed) for _, nodes, _, hashed in _hashed(view)), strict=True)
    owner = np.concatenate(owners)
    feature, place = np.unique(np.concatenate(numbers), return_inverse=True)
    n_trees = view.trees.n_trees
    counts = np.bincount(owner * len(feature) + place, minlength=n_trees * len(feature)).reshape(n_trees, len(feature))
    change = counts - counts[0]
    candidate, which = np.nonzero(change)
    return ListFeatures(candidate, feature[which], change[candidate, which].astype(np.float32))


def names_of(views: Iterable[CandidateView], wanted: np.ndarray) -> tuple[str, ...]:
    """What some features, uint64, (f,), mean: the template's name and the texts; `UNKNOWN` if no view has one."""
    missing, found = np.sort(wanted), dict[int, str]()
    for view in views:
        for name, _, columns, hashed in _hashed(view):
            for row in np.flatnonzero(np.isin(hashed, missing)).tolist():
                texts = (view.text(int(column[row])) for column in columns)
                found.setdefault(int(hashed[row]), " | ".join([name, *texts]))
        missing = np.array([feature for feature in missing if int(feature) not in found], np.uint64)
        if not len(missing):
            break
    return tuple(found.get(int(feature), UNKNOWN) for feature in wanted)


def _hashed(view: CandidateView) -> Iterator[tuple[str, np.ndarray, list[np.ndarray], np.ndarray]]:
    """Of each template its name, nodes, columns, and the numbers of its rows."""
    rows: dict[str, Rows] = {name: template.rows(view) for name, template in TREE_TEMPLATES.items()}
    codes = np.fromiter(map(code, view.strings), np.uint64, len(view.strings))
    for name, (nodes, columns) in rows.items():
        hashed = np.full(len(nodes), code(name), np.uint64)
        for column in columns:
            hashed = mixed(hashed + codes[column])
        yield name, nodes, columns, hashed


@cache
def code(text: str) -> int:
    """A 64-bit number of a text."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def mixed(numbers: np.ndarray) -> np.ndarray:
    """SplitMix64's bijection of 64-bit numbers: neighbouring ones get far apart; uint64, of the same shape."""
    for shift, multiplier in zip(SHIFTS[:2], MULTIPLIERS, strict=True):
        numbers = (numbers ^ (numbers >> shift)) * multiplier
    return numbers ^ (numbers >> SHIFTS[2])
