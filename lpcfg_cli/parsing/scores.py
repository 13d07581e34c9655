"""What decoders maximise: scores of rule applications made from their marginals."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lpcfg_cli.parsing.layout import Marginals

FLOOR = 1e-6
"""Least share of the largest marginal that the product decoder reckons with: no single rule rules a tree out."""


def _log_share(ratio: np.ndarray) -> np.ndarray:
    return np.log(np.maximum(np.abs(ratio), FLOOR))


def _as_is(ratio: np.ndarray) -> np.ndarray:
    return ratio


def _absolute(ratio: np.ndarray) -> np.ndarray:
    return np.abs(ratio)


DECODERS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "sum": _absolute,
    "max-rule": _log_share,
    "signed": _as_is,
}


def score_applications(marginals: Marginals, decoder: str) -> Marginals:
    """Scores to be summed over a tree.

    Marginals are taken as shares of the largest |µ| of the sentence.  For a genuine L-PCFG that is Z, as in
    the papers.  A spectral estimate may have a Z near zero beside large marginals of both signs, and then the
    ratios µ/Z, cut off at 1, would leave the product decoder nothing but ties.

    Parameters
    ----------
    marginals : Marginals
    decoder : {"sum", "max-rule", "signed"}
        The sum of |µ| (C13 §3.3), the product of |µ|, or the sum of µ with its sign (C13 §2.1).

    Returns
    -------
    Marginals
        The scores in place of the marginals.
    """
    score = DECODERS[decoder]
    parts = (marginals.edge, marginals.unary, marginals.lexical)
    size = max(abs(marginals.total), *(float(np.abs(part).max(initial=0.0)) for part in parts))
    return Marginals(
        marginals.exponent,
        marginals.total,
        score(marginals.edge / size),
        score(marginals.unary / size),
        score(marginals.lexical / size),
    )


def mean_scores(scores: Sequence[Marginals]) -> Marginals:
    """The mean of the scores that several grammars give to the rule applications of one forest.

    With the sum of |µ| that is the average of posteriors; with logarithms it is that of their product, which is
    the better one (Petrov 2010, "Products of Random Latent Variable Grammars", §2).
    """
    if len(scores) == 1:
        return scores[0]
    parts = (np.mean([getattr(one, part) for one in scores], 0) for part in ("edge", "unary", "lexical"))
    return Marginals(scores[0].exponent, scores[0].total, *parts)
