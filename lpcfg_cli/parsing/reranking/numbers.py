"""The table of what the parser itself says of a tree; a reranker weighs it beside the features of the tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.config import Table
from lpcfg_cli.parsing.confidence import Confidence
from lpcfg_cli.parsing.parse import Parse

LEAST_POSTERIOR = 1e-12
"""Smaller posteriors, which grammars give to trees outside their pruned forests, count as this."""


@dataclass(frozen=True)
class TreeNumber:
    """A number of a tree.

    Attributes
    ----------
    name, summary : str
    value : function of (score, Confidence) to float
        The score is the decoder's.
    """

    name: str
    summary: str
    value: Callable[[float, Confidence], float]


def _ln(posterior: float) -> float:
    return float(np.log(max(posterior, LEAST_POSTERIOR)))


TREE_NUMBERS: Table[TreeNumber] = Table(
    "number of trees",
    TreeNumber("score", "the decoder's score", lambda score, sure: score),
    TreeNumber("ln-posterior", "ln of the tree's posterior", lambda score, sure: _ln(sure.posterior)),
)
"""The first one is what lists are ordered by before they are reranked."""


def tree_numbers(parse: Parse) -> np.ndarray:
    """The numbers of the ranked trees of a parse, which have confidences; float64, shape (n_trees, n_numbers)."""
    ranked: Sequence[tuple[float, Confidence]] = [
        (score, sure) for (score, _), sure in zip(parse.ranked, parse.confidences, strict=True)
    ]
    rows = [[number.value(score, sure) for number in TREE_NUMBERS.values()] for score, sure in ranked]
    return np.array(rows, np.float64).reshape(len(rows), len(TREE_NUMBERS))
