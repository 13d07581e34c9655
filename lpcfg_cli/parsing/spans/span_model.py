"""The span model: posteriors of constituents, given those of grammars and the words in and around each span."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lpcfg_cli.parsing.spans.constituents import LEAST, Constituents
from lpcfg_cli.parsing.spans.span_kernels import constituent_scores, nested_posteriors
from lpcfg_cli.parsing.spans.templates import SpanFeatures, hash_of, span_features
from lpcfg_cli.treebank.chains import Chain

SMALLEST_REST = 1e-3
"""The least probability that nothing stands over a span, in odds."""


@dataclass(frozen=True)
class SpanModel:
    """A log-linear model of nested constituents.

    The score of a constituent, of chain c over the span s, is trust · log p(s, c) / p(nothing over s), both under a
    grammar, plus the weights of the span's features for c.  The probability of a tree is proportional to the
    exponential of the sum of its constituents' scores.

    Attributes
    ----------
    units : ndarray of int8, shape (a power of 2,)
        The weight of a feature and a chain, in units, is at the place that both are hashed to.  Several may share a
        place.
    unit : float
    trust : float
    known : ndarray of uint64, shape (n_known,)
        Hashes of the words that are features by themselves, ascending.
    member : int
        Number of the grammar of an ensemble whose posteriors it is given.
    """

    units: np.ndarray
    unit: float
    trust: float
    known: np.ndarray
    member: int = 0

    @cached_property
    def weight(self) -> np.ndarray:
        """The weights; float32, of the shape of `units`."""
        return (self.units * self.unit).astype(np.float32)

    def posteriors(
        self, found: Constituents, words: Sequence[str], tags: Sequence[str], chains: Sequence[Chain]
    ) -> Constituents:
        """The constituents of a sentence with their probabilities under this model.

        Parameters
        ----------
        found : Constituents
            With their posteriors under grammars.
        words, tags : sequence of str
            n of each.
        chains : sequence of Chain
            The table of chains, by number.
        """
        span, features = features_of(found, words, tags, self.known)
        score, posterior = np.empty(len(span)), np.empty(len(span))
        hashes = chain_hashes(chains)[found.chain]
        constituent_scores(span, hashes, log_odds(found), self.trust, *features, self.weight, score)
        nested_posteriors(len(words), found.start, found.stop, score, posterior)
        return found._replace(probability=posterior)


def features_of(
    found: Constituents, words: Sequence[str], tags: Sequence[str], known: np.ndarray
) -> tuple[np.ndarray, SpanFeatures]:
    """The number of each constituent's span, int64, (n,), and the features of the spans."""
    is_new = np.ones(len(found.start), bool)
    is_new[1:] = (np.diff(found.start) != 0) | (np.diff(found.stop) != 0)
    return np.cumsum(is_new) - 1, span_features(found.start[is_new], found.stop[is_new], words, tags, known)


def log_odds(found: Constituents) -> np.ndarray:
    """log p(constituent) / p(nothing over its span); float64, (n,)."""
    n = int(found.stop.max(initial=0)) + 1
    place = found.start * n + found.stop
    over = np.bincount(place, found.probability)[place]
    return np.log((found.probability + LEAST / 100) / np.maximum(1.0 - over, SMALLEST_REST))


def chain_hashes(chains: Sequence[Chain]) -> np.ndarray:
    """A hash of each chain; uint64, (n_chains,)."""
    return np.array([hash_of("chain", "\t".join(chain)) for chain in chains], np.uint64)
