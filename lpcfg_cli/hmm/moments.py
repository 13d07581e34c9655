"""Moments of one, two and three successive symbols, from counts of trigrams (D12 §2.2).

The past of a symbol is the symbol before it, or the begin of the sequence; the future is the symbol itself, or the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpcfg_cli.text.counts import NgramCounts
from lpcfg_cli.text.vocabulary import START

if TYPE_CHECKING:
    from scipy import sparse


@dataclass(frozen=True)
class Moments:
    """Means over all symbols and ends of a text.

    Attributes
    ----------
    bigrams : sparse array, shape (n_words, n_words)
        P₂₁: p(next, before), in rows and columns.
    trigrams : ndarray of int32, shape (n, 3)
        The different trigrams whose middle is a symbol, grouped by it.
    share : ndarray of float64, shape (n,)
        Share of each in all bigrams.
    first : ndarray of float64, shape (n_words,)
        p(x₁).
    events : float
        Number of symbols and ends.
    """

    bigrams: sparse.csr_array
    trigrams: np.ndarray
    share: np.ndarray
    first: np.ndarray
    events: float

    @property
    def frequency(self) -> np.ndarray:
        """p(x), that of the end among them, float64, shape (n_words,)."""
        return np.asarray(self.bigrams.sum(1)).ravel()


def moments_of(counts: NgramCounts) -> Moments:
    """The moments of a text, from its counts of trigrams."""
    from scipy import sparse  # imported here because scipy is slow to import

    n, events = len(counts.vocabulary), float(counts.count.sum())
    share = counts.count / events
    middle, after = counts.rows[:, 1], counts.rows[:, 2]
    bigrams = sparse.coo_array((share, (after, middle)), shape=(n, n)).tocsr()
    is_first = middle == START
    first = np.bincount(after[is_first], share[is_first], n)
    inner = np.flatnonzero(~is_first)
    inner = inner[np.argsort(middle[inner], kind="stable")]
    return Moments(bigrams, counts.rows[inner], share[inner], first / first.sum(), events)
