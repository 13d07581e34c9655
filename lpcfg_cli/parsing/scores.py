"""Scores of rule applications, computed from their marginals; decoders maximise their sum over a tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lpcfg_cli.parsing.layout import Marginals

FLOOR = 1e-6
"""Smallest share of the largest marginal in logarithms, so that no single rule application excludes a tree."""


def log_shares(shares: Marginals) -> Marginals:
    """Logarithms of |shares|, including those of items without a unary rule.

    In C13 and in Petrov (2010) the trees have no optional unary rules.  Here a span has a unary rule or none: a product
    over the unary rules alone would penalise every tree that has them.
    """
    return of_each(shares, lambda part: np.log(np.maximum(np.abs(part), FLOOR)))


def signed_shares(shares: Marginals) -> Marginals:
    """The shares themselves; 0 for items without a unary rule."""
    return shares._replace(identity=np.zeros_like(shares.identity))


def absolute_shares(shares: Marginals) -> Marginals:
    """|shares|; 0 for items without a unary rule."""
    return of_each(signed_shares(shares), np.abs)


def parts_of(marginals: Marginals) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The arrays `edge`, `unary`, `lexical` and `identity`."""
    return marginals.edge, marginals.unary, marginals.lexical, marginals.identity


def of_each(marginals: Marginals, function: Callable[[np.ndarray], np.ndarray]) -> Marginals:
    """Apply a function to each of the arrays; exponent and total are unchanged."""
    return Marginals(marginals.exponent, marginals.total, *map(function, parts_of(marginals)))


def shares_of(marginals: Marginals) -> Marginals:
    """Marginals divided by the largest |µ| of the sentence.

    For a probabilistic L-PCFG the largest is Z, as in the papers.  A spectral estimate may have Z near zero and large
    marginals of both signs: most ratios µ/Z, cut off at 1, would then be equal.
    """
    size = max(abs(marginals.total), *(float(np.abs(part).max(initial=0.0)) for part in parts_of(marginals)[:3]))
    return of_each(marginals, lambda part: part / size)._replace(total=marginals.total / size)


def mean_scores(scores: Sequence[Marginals]) -> Marginals:
    """Mean over several grammars of the scores of one forest's rule applications.

    For |µ| it is the average of posteriors; for logarithms it corresponds to their product (Petrov 2010, "Products of
    Random Latent Variable Grammars", §2).
    """
    if len(scores) == 1:
        return scores[0]
    parts = (np.mean(parts, 0) for parts in zip(*map(parts_of, scores), strict=True))
    return Marginals(scores[0].exponent, scores[0].total, *parts)
