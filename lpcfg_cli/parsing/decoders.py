"""The table of decoders: the scores that are summed over a tree, and the search for the best trees.

A new decoder is a `Decoder` and an entry in the table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lpcfg_cli.config import Table
from lpcfg_cli.parsing.expected_brackets import (
    BracketLabels,
    BracketPosteriors,
    bracket_posteriors,
    expected_gains,
    mean_brackets,
    tree_posteriors,
)
from lpcfg_cli.parsing.layout import Forest, GrammarMarginals, Marginals
from lpcfg_cli.parsing.scores import absolute_shares, log_shares, mean_scores, shares_of, signed_shares
from lpcfg_cli.parsing.viterbi import Derivation, best_trees
from lpcfg_cli.parsing.written import Written


class Evidence(NamedTuple):
    """The input of a decoder for one sentence.

    Attributes
    ----------
    forest : Forest
    found : sequence of GrammarMarginals
        One of each grammar whose total is usable; at least one.
    posteriors : sequence of Marginals
        From `tree_posteriors`, of the first grammars of `found`, as far as they have been computed already.
    is_root : ndarray of bool, shape (n_top,)
        Whether each top item may be the root of a tree.
    labels : BracketLabels
        The bracket labels that symbols and unary rules write.
    bracket_threshold, tree_weight : float
        As in `ParseSettings`.
    others : sequence of BracketPosteriors
        Those of grammars with other rules, which have forests of their own.
    by_spans : ndarray of float64, shape (n_cells, n_labels), or None
        The probability of each bracket under the span model, if there is one.
    span_weight : float
        As in `ParseSettings`.
    """

    forest: Forest
    found: Sequence[GrammarMarginals]
    posteriors: Sequence[Marginals]
    is_root: np.ndarray
    labels: BracketLabels
    bracket_threshold: float
    tree_weight: float
    others: Sequence[BracketPosteriors] = ()
    by_spans: np.ndarray | None = None
    span_weight: float = 0.0

    def all_posteriors(self) -> list[Marginals]:
        """The posteriors of all grammars of `found`."""
        others = self.found[len(self.posteriors) :]
        return [*self.posteriors, *(tree_posteriors(self.forest, one, self.is_root) for one in others)]

    def mean(self) -> Marginals:
        """The mean of `all_posteriors`."""
        return mean_scores(self.all_posteriors())

    def brackets(self, mean: Marginals) -> BracketPosteriors:
        """The posteriors of brackets under all grammars, given `mean`, and under the span model."""
        own = bracket_posteriors(self.forest, mean, len(self.found), self.labels)
        found = mean_brackets(own, self.others)
        if self.by_spans is None:
            return found
        bracket = (1.0 - self.span_weight) * found.bracket + self.span_weight * self.by_spans
        return found._replace(bracket=bracket)


Search = Callable[[Forest, Marginals, np.ndarray, Written, np.ndarray, int], list[tuple[float, Derivation]]]


@dataclass(frozen=True)
class Decoder:
    """A criterion by which the best trees are chosen.

    Attributes
    ----------
    name : str
        Value of ``parse.decoder``.
    summary : str
        One line for help pages.
    scores : function of Evidence to Marginals
        The score of each rule application, stored in place of its marginal; the score of a tree is their sum.
    averages_brackets : bool
        Whether it uses ``Evidence.others``; else grammars with other rules need not parse.
    search : function of (Forest, Marginals, is_root, Written, is_open, n) to list of (float, Derivation)
        The n best trees with their scores, best first; an empty list if the forest has no tree.
    """

    name: str
    summary: str
    scores: Callable[[Evidence], Marginals]
    averages_brackets: bool = False
    search: Search = best_trees


def expected_f1(evidence: Evidence) -> Marginals:
    """Scores for the expected number of correct brackets, under the mean of the grammars' posteriors."""
    mean = evidence.mean()
    found, threshold = evidence.brackets(mean), evidence.bracket_threshold
    return expected_gains(evidence.forest, mean, found, evidence.labels, threshold, evidence.tree_weight)


def of_shares(score: Callable[[Marginals], Marginals]) -> Callable[[Evidence], Marginals]:
    """Scores computed by `score` from each grammar's marginals, relative to the largest, then averaged."""
    return lambda evidence: mean_scores([score(shares_of(one.marginals)) for one in evidence.found])


DECODERS: Table[Decoder] = Table(
    "decoder",
    Decoder(
        "expected-f1", "the expected number of correct brackets, less a threshold for each bracket", expected_f1, True
    ),
    Decoder("max-rule", "the product of |µ|, relative to the largest of the sentence", of_shares(log_shares)),
    Decoder("sum", "the sum of |µ| (C13 §3.3)", of_shares(absolute_shares)),
    Decoder("signed", "the sum of µ with its sign (C13 §2.1)", of_shares(signed_shares)),
)
