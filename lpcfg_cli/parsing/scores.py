"""What decoders maximise: scores of rule applications made from their marginals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lpcfg_cli.parsing.layout import Marginals

FLOOR = 1e-6
"""Least posterior that the product decoder reckons with, so that no single rule rules a tree out."""


def _log_posterior(ratio: np.ndarray) -> np.ndarray:
    return np.log(np.clip(np.abs(ratio), FLOOR, 1.0))


def _as_is(ratio: np.ndarray) -> np.ndarray:
    return ratio


def _absolute(ratio: np.ndarray) -> np.ndarray:
    return np.abs(ratio)


DECODERS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "sum": _absolute,
    "max-rule": _log_posterior,
    "signed": _as_is,
}


def score_applications(marginals: Marginals, decoder: str) -> Marginals:
    """Scores to be summed over a tree.

    Parameters
    ----------
    marginals : Marginals
    decoder : {"sum", "max-rule", "signed"}
        |µ|/|Z| (C13 §3.3), log of min(|µ|/|Z|, 1), or µ/|Z| with its sign (C13 §2.1).

    Returns
    -------
    Marginals
        The scores in place of the marginals.
    """
    score = DECODERS[decoder]
    size = abs(marginals.total)
    return Marginals(
        marginals.total,
        score(marginals.edge / size),
        score(marginals.unary / size),
        score(marginals.lexical / size),
    )
