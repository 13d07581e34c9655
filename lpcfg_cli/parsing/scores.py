"""What decoders maximise: scores of rule applications made from their marginals."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lpcfg_cli.parsing.layout import Marginals

FLOOR = 1e-6
"""Least share of the largest marginal that logarithms are taken of: no single rule rules a tree out."""


def log_shares(shares: Marginals) -> Marginals:
    """Logarithms of |shares|, those of items without a unary rule among them.

    C13 and Petrov (2010) have trees with one kind of step; here a span either takes a unary rule or does not, and a
    product over the unary rules alone would hold their posteriors against them.
    """
    return of_each(shares, lambda part: np.log(np.maximum(np.abs(part), FLOOR)))


def signed_shares(shares: Marginals) -> Marginals:
    """Shares as they are; nothing for items without a unary rule."""
    return shares._replace(identity=np.zeros_like(shares.identity))


def absolute_shares(shares: Marginals) -> Marginals:
    """|shares|; nothing for items without a unary rule."""
    return of_each(signed_shares(shares), np.abs)


def parts_of(marginals: Marginals) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Those of binary, unary and lexical rules, and those of no rule."""
    return marginals.edge, marginals.unary, marginals.lexical, marginals.identity


def of_each(marginals: Marginals, function: Callable[[np.ndarray], np.ndarray]) -> Marginals:
    """A function of each of the parts, exponent and total as they are."""
    return Marginals(marginals.exponent, marginals.total, *map(function, parts_of(marginals)))


def shares_of(marginals: Marginals) -> Marginals:
    """Marginals as shares of the largest |µ| of the sentence.

    For a genuine L-PCFG that is Z, as in the papers.  A spectral estimate may have a Z near zero beside large
    marginals of both signs, and then the ratios µ/Z, cut off at 1, would leave decoders nothing but ties.
    """
    size = max(abs(marginals.total), *(float(np.abs(part).max(initial=0.0)) for part in parts_of(marginals)[:3]))
    return of_each(marginals, lambda part: part / size)._replace(total=marginals.total / size)


def mean_scores(scores: Sequence[Marginals]) -> Marginals:
    """The mean of the scores that several grammars give to the rule applications of one forest.

    With the sum of |µ| that is the average of posteriors; with logarithms it is that of their product (Petrov 2010,
    "Products of Random Latent Variable Grammars", §2).
    """
    if len(scores) == 1:
        return scores[0]
    parts = (np.mean(parts, 0) for parts in zip(*map(parts_of, scores), strict=True))
    return Marginals(scores[0].exponent, scores[0].total, *parts)
