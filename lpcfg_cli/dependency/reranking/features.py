"""Features of candidate trees: triples of tags, and the latent-variable model's log-probability in bins (D12 §4.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.dependency.reranking.feature_kernels import tree_features
from lpcfg_cli.dependency.reranking.lists import CandidateLists
from lpcfg_cli.reranking.lists import relative

Features = tuple[np.ndarray, np.ndarray]
"""Where the features of each candidate begin, int64, shape (C + 1,); the features, int64, shape (n_features,)."""


@dataclass(frozen=True)
class FeatureSpace:
    """What the numbers of features mean: triples of tags that are known, then bins.

    Attributes
    ----------
    n_tags : int
        T, with the tag of unknown tags and that of the root.
    triples : (f,) int64 array
        The triples of the training lists, sorted, as `tree_features` numbers them.
    edges : (b,) float64 array
        Edges of the bins of the log-probability, rising; empty where it is not used.
    """

    n_tags: int
    triples: np.ndarray
    edges: np.ndarray

    def __len__(self) -> int:
        return len(self.triples) + len(self.edges)

    def features(self, lists: CandidateLists) -> Features:
        """The known features of each candidate."""
        first, triples = tree_features(lists.start, lists.tags, lists.heads, self.n_tags)
        owner = np.repeat(np.arange(len(first) - 1), np.diff(first))
        at = np.searchsorted(self.triples, triples)
        known = at < len(self.triples)
        known[known] = self.triples[at[known]] == triples[known]
        passed = relative(lists.first, lists.log_probabilities)[:, None] >= self.edges
        bin_owner, bins = np.nonzero(passed)
        owners = np.concatenate([owner[known], bin_owner])
        features = np.concatenate([at[known], len(self.triples) + bins])
        order = np.argsort(owners, kind="stable")
        return starts(np.bincount(owners, minlength=len(first) - 1)), features[order]


def learn_space(lists: CandidateLists, n_tags: int, n_bins: int) -> FeatureSpace:
    """The features of the training lists.

    Parameters
    ----------
    lists : CandidateLists
    n_tags : int
    n_bins : int
        Number of edges between bins of the log-probability; 0 to leave it out.
    """
    _, triples = tree_features(lists.start, lists.tags, lists.heads, n_tags)
    return FeatureSpace(n_tags, np.unique(triples), _edges(lists, n_bins))


def _edges(lists: CandidateLists, n_bins: int) -> np.ndarray:
    """Quantiles of the relative log-probabilities.

    A departure from D12, which does not say how: a candidate has the features of all edges that it reaches, so that
    neighbouring bins share what is learnt.
    """
    if not n_bins:
        return np.zeros(0)
    shares = np.arange(1, n_bins + 1) / (n_bins + 1)
    return np.unique(np.quantile(relative(lists.first, lists.log_probabilities), shares))
