"""Clusters of embeddings, as classes of words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from lpcfg_cli.arrays.streams import Purpose, stream
from lpcfg_cli.embeddings.archive import load_embeddings
from lpcfg_cli.embeddings.vectors import Embeddings
from lpcfg_cli.spectral.k_means import k_means

CLUSTER_SEED = 0
"""Clusters are the same for all seeds of a run, so that the members of an ensemble have the same classes."""


@dataclass(frozen=True)
class WordClusters:
    """The cluster of each of some words.

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


def load_clusters(path: Path, k: int) -> WordClusters:
    """The clusters of the words of a file of embeddings; raises the errors of `load_embeddings`."""
    return cluster_words(load_embeddings(path), k)
