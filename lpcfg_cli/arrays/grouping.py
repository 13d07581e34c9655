"""Numbering and grouping of equal rows of integers: the vectorised counterpart of a dictionary of tuples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from lpcfg_cli.arrays.numbering_kernels import number_keys
from lpcfg_cli.arrays.ragged import starts

Key = TypeVar("Key", bound=Hashable)


def numbering(first: Iterable[Key] = ()) -> defaultdict[Key, int]:
    """A dictionary that gives each new key the next number, 0, 1, … beginning with those of `first`."""
    number = defaultdict[Key, int]()
    number.default_factory = number.__len__
    for key in first:
        number[key]
    return number


def number_rows(columns: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Give equal rows equal numbers, 0, 1, … in order of first appearance; O(n) for each column.

    Parameters
    ----------
    columns : sequence of ndarray of int, shape (n,) each
        At least one column; each has fewer than 2³¹ values between its smallest and largest.

    Returns
    -------
    number : ndarray of int32, shape (n,)
    first : ndarray of int64, shape (n_different,)
        Row in which each number appears first.
    """
    number, first = number_keys(np.asarray(columns[0], np.int64))
    for column in columns[1:]:
        values = np.asarray(column, np.int64)
        low = int(values.min(initial=0))
        width = int(values.max(initial=0)) - low + 1
        number, first = number_keys(number.astype(np.int64) * width + (values - low))
    return number, first


@dataclass(frozen=True)
class Groups:
    """Positions grouped by equal keys, with the groups sorted by key.

    Attributes
    ----------
    member : ndarray of int64, shape (n,)
        The positions, group after group.
    start : ndarray of int64, shape (n_groups + 1,)
        Group g has the members ``member[start[g]:start[g + 1]]``.
    """

    member: np.ndarray
    start: np.ndarray

    def __len__(self) -> int:
        return len(self.start) - 1

    def __iter__(self) -> Iterator[np.ndarray]:
        for first, last in zip(self.start[:-1], self.start[1:], strict=True):
            yield self.member[first:last]

    @property
    def first(self) -> np.ndarray:
        """The first member of each group, int64, shape (n_groups,)."""
        return self.member[self.start[:-1]]

    @property
    def count(self) -> np.ndarray:
        """Size of each group, int64, shape (n_groups,)."""
        return np.diff(self.start)

    def sums(self, weight: np.ndarray) -> np.ndarray:
        """Sum of the weights of each group's members; float64, (n_groups,), from float64, (n_positions,)."""
        number = np.repeat(np.arange(len(self)), self.count)
        return np.bincount(number, weight[self.member], minlength=len(self))


def group_by(members: np.ndarray, keys: list[np.ndarray]) -> Groups:
    """Group positions with equal keys; groups are sorted by the first key, then the second, and so on.

    Parameters
    ----------
    members : ndarray of int64, shape (n,)
        The positions to group.
    keys : list of ndarray of int, shape (n_positions,) each
        The keys of each position.
    """
    if not len(members):
        return Groups(members, np.zeros(1, np.int64))
    own = [key[members] for key in keys]
    number, where = number_rows(own)
    order = np.lexsort([key[where] for key in reversed(own)])
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    by_group = np.argsort(rank[number], kind="stable")
    counts = np.bincount(rank[number], minlength=len(order))
    return Groups(members[by_group], starts(counts))


def means_by(number: np.ndarray, n_groups: int, vectors: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Weighted mean of the vectors of each group.

    Parameters
    ----------
    number : ndarray of int, shape (n,)
        Group of each vector, from 0 … n_groups − 1.
    n_groups : int
    vectors : ndarray of float64, shape (n, m)
    weight : ndarray of float64, shape (n,)

    Returns
    -------
    ndarray of float64, shape (n_groups, m)
        Zero for empty groups.
    """
    sums = np.stack([np.bincount(number, column * weight, n_groups) for column in vectors.T], 1)
    total = np.bincount(number, weight, n_groups)
    return sums / np.where(total > 0, total, 1)[:, None]
