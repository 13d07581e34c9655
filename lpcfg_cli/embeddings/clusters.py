"""Clusters of embeddings, as classes of words."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lpcfg_cli.arrays.streams import Purpose, stream
from lpcfg_cli.embeddings.vectors import Embeddings
from lpcfg_cli.spectral.k_means import k_means

CLUSTER_SEED = 0
"""Clusters are the same for all seeds of a run, so that the members of an ensemble have the same classes."""

CHUNK = 1024
"""Words whose cosines with all known ones are held in memory at a time."""


@dataclass(frozen=True)
class WordClusters:
    """The cluster of each of some words, or the nearest of some known words, by number.

    Attributes
    ----------
    words : tuple of str
    cluster : ndarray of int32, shape (n_words,)
    lowercase : bool
        Whether words are looked up in lower case if they are not found as they are.
    """

    words: tuple[str, ...]
    cluster: np.ndarray
    lowercase: bool = True

    @cached_property
    def _cluster_of(self) -> dict[str, int]:
        return dict(zip(self.words, self.cluster.tolist(), strict=True))

    def of(self, word: str) -> int | None:
        """The cluster of a word; None if it is in none."""
        found = self._cluster_of.get(word)
        return self._cluster_of.get(word.lower()) if found is None and self.lowercase else found


NO_CLUSTERS = WordClusters((), np.zeros(0, np.int32))


def cluster_words(found: Embeddings, k: int) -> WordClusters:
    """Cluster the directions of words by k-means."""
    seed = int(stream(CLUSTER_SEED, Purpose.WORD_CLUSTERS).integers(2**32))
    cluster = k_means(found.directions.astype(float), k, seed)
    return WordClusters(found.words, cluster.astype(np.int32), found.lowercase)


def nearest_words(found: Embeddings, known: Sequence[str], others: Set[str], least: float) -> WordClusters:
    """The position of the nearest known word, for each other word that is near enough to one.

    Parameters
    ----------
    found : Embeddings
    known : sequence of str
    others : set of str
        Words that get none, in lower case; nor do the known ones.
    least : float
        Least cosine.
    """
    numbers = [(found.number_of(word), place) for place, word in reversed(list(enumerate(known)))]
    rows = {number: place for number, place in numbers if number is not None}
    wanted = [k for k, word in enumerate(found.words) if k not in rows and word.lower() not in others]
    if not rows or not wanted:
        return NO_CLUSTERS
    targets, places = found.directions[list(rows)], np.array(list(rows.values()), np.int32)
    words, nearest = [], []
    for begin in range(0, len(wanted), CHUNK):
        part = wanted[begin : begin + CHUNK]
        cosine = found.directions[part] @ targets.T
        best = cosine.argmax(1)
        is_near = cosine[np.arange(len(part)), best] >= least
        words += [found.words[k] for k, near in zip(part, is_near, strict=True) if near]
        nearest.append(places[best[is_near]])
    return WordClusters(tuple(words), np.concatenate(nearest), found.lowercase)
