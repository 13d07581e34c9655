"""The table of decoders: what is summed over a tree, and how the best trees are found.

A new decoder is a `Decoder` and a line in the table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lpcfg_cli.config import Table
from lpcfg_cli.parsing.expected_brackets import BracketLabels, expected_gains, tree_posteriors
from lpcfg_cli.parsing.layout import Forest, GrammarMarginals, Marginals
from lpcfg_cli.parsing.scores import absolute_shares, log_shares, mean_scores, shares_of, signed_shares
from lpcfg_cli.parsing.viterbi import Derivation, best_trees


class Evidence(NamedTuple):
    """What a decoder knows of a sentence.

    Attributes
    ----------
    forest : Forest
    found : sequence of GrammarMarginals
        Of each grammar whose total is usable; at least one.
    posteriors : sequence of Marginals
        Of the first grammars, where they are known already.
    is_root : ndarray of bool, shape (n_top,)
        Whether a tree may have each top item as its root.
    labels : BracketLabels
        What symbols and unary rules write as brackets.
    bracket_threshold : float
        As in `ParseSettings`.
    """

    forest: Forest
    found: Sequence[GrammarMarginals]
    posteriors: Sequence[Marginals]
    is_root: np.ndarray
    labels: BracketLabels
    bracket_threshold: float


@dataclass(frozen=True)
class Decoder:
    """A way to choose trees.

    Attributes
    ----------
    name : str
        As ``parse.decoder``.
    summary : str
        One line for help pages.
    scores : function of Evidence to Marginals
        What each rule application adds to the score of a tree, in the place of its marginal.
    search : function of (Forest, Marginals, is_root, unary_hidden, n) to list of (float, Derivation)
        The n best trees with their scores, best first; none where the forest has no tree.
    """

    name: str
    summary: str
    scores: Callable[[Evidence], Marginals]
    search: Callable[[Forest, Marginals, np.ndarray, np.ndarray, int], list[tuple[float, Derivation]]] = best_trees


def expected_f1(evidence: Evidence) -> Marginals:
    """Gains in the expected number of right brackets, under the mean of all grammars' posteriors."""
    others = evidence.found[len(evidence.posteriors) :]
    posteriors = [tree_posteriors(evidence.forest, one, evidence.is_root) for one in others]
    return expected_gains(
        evidence.forest, [*evidence.posteriors, *posteriors], evidence.labels, evidence.bracket_threshold
    )


def of_shares(score: Callable[[Marginals], Marginals]) -> Callable[[Evidence], Marginals]:
    """Scores made from each grammar's marginals as shares of the largest, and averaged."""
    return lambda evidence: mean_scores([score(shares_of(one.marginals)) for one in evidence.found])


DECODERS: Table[Decoder] = Table(
    "decoder",
    Decoder("expected-f1", "the expected number of right brackets less the threshold times all", expected_f1),
    Decoder("max-rule", "the product over the tree of |µ| as shares of the largest", of_shares(log_shares)),
    Decoder("sum", "the sum of |µ| (C13 §3.3)", of_shares(absolute_shares)),
    Decoder("signed", "the sum of µ with its sign (C13 §2.1)", of_shares(signed_shares)),
)
