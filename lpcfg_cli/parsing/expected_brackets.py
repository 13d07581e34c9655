"""Decoding for F1: the tree with the largest expected number of right brackets, less a threshold for each.

Without the threshold that is labelled recall (Goodman 1996, "Parsing Algorithms and Metrics"); the threshold is the
price of a wrong bracket, F1 being the mean of recall and precision.  Several grammars' posteriors are averaged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.parsing.forest_posteriors import forest_posteriors
from lpcfg_cli.parsing.layout import Forest, GrammarMarginals, Marginals
from lpcfg_cli.parsing.pruning import bottom_posteriors
from lpcfg_cli.parsing.scores import FLOOR, log_shares, mean_scores, of_each, parts_of, shares_of

SIGNED_POWER = 0.3
"""Of shares of signed marginals, when posteriors are made of them.  0.3 to 1 are alike alone; beside genuine grammars'
posteriors larger powers are too sure of themselves (ten-fold cross-validation, scripts/accuracy.md)."""

LEAN = 0.003
"""Weight of a rule application's logarithmic posterior: of trees with the same brackets, the likeliest derivation."""


class LabelLists(NamedTuple):
    """Labels of bracket that each of some things writes: list k is ``label[start[k]:start[k + 1]]``.

    Attributes
    ----------
    start : ndarray of int64, shape (n + 1,)
    label : ndarray of int64
    """

    start: np.ndarray
    label: np.ndarray


class BracketLabels(NamedTuple):
    """What a grammar's symbols and unary rules write as brackets.

    A label that a chain of brackets over one span has for the second time counts as another label: it is right only
    if the gold tree has it twice.

    Attributes
    ----------
    n_labels : int
    symbol, unary : LabelLists
        Of each symbol its phrase labels; of each unary rule those of its parent, and the labels between.
    n_tags : int
    tag : ndarray of int64, shape (n_symbols,)
        Number of the tag that a preterminal writes; 0 for all other symbols.  Several may write the same.
    """

    n_labels: int
    symbol: LabelLists
    unary: LabelLists
    n_tags: int
    tag: np.ndarray


def bracket_labels(grammar: Grammar) -> BracketLabels:
    """Number a grammar's labels of bracket."""
    numbers: dict[tuple[str, int], int] = {}
    phrases, unary = [symbol.phrase_labels for symbol in grammar.symbols], grammar.unary
    rules = zip(unary.parent, unary.hidden, unary.child, strict=True)
    of_symbols = _lists([_counted(labels, ()) for labels in phrases], numbers)
    of_unaries = _lists([_counted(phrases[a] + grammar.hidden_labels[k], phrases[b]) for a, k, b in rules], numbers)
    tags: dict[str | None, int] = {None: 0}
    tag = np.array([tags.setdefault(symbol.tag, len(tags)) for symbol in grammar.symbols], np.int64)
    return BracketLabels(len(numbers), of_symbols, of_unaries, len(tags), tag)


def _counted(labels: tuple[str, ...], below: tuple[str, ...]) -> list[tuple[str, int]]:
    """Each label, and how often it comes before it and below."""
    return [(label, (labels[:k] + below).count(label)) for k, label in enumerate(labels)]


def _lists(labels: Sequence[Sequence[tuple[str, int]]], numbers: dict[tuple[str, int], int]) -> LabelLists:
    found = [numbers.setdefault(label, len(numbers)) for one in labels for label in one]
    return LabelLists(starts([len(one) for one in labels]), np.array(found, np.int64))


def tree_posteriors(forest: Forest, found: GrammarMarginals, is_root: np.ndarray) -> Marginals:
    """Probabilities of rule applications by one grammar.

    A genuine L-PCFG's marginals, divided by Z, are just that.  Of signed ones, which may be no probabilities at all,
    a distribution over the forest's trees is made that prefers what they prefer: each tree's probability is
    proportional to the product of its applications' |µ|, to the power `SIGNED_POWER`.

    Parameters
    ----------
    forest : Forest
    found : GrammarMarginals
    is_root : ndarray of bool, shape (n_top,)

    Returns
    -------
    Marginals
        None negative; their total is 1, or 0 when the forest has no tree.
    """
    shares = shares_of(found.marginals)
    if found.is_probabilistic:
        return of_each(shares, lambda part: np.maximum(part / shares.total, 0.0))._replace(exponent=0, total=1.0)
    powers = of_each(log_shares(shares), lambda part: SIGNED_POWER * part)
    return forest_posteriors(forest, powers, is_root)


def expected_gains(
    forest: Forest, posteriors: Sequence[Marginals], labels: BracketLabels, threshold: float
) -> Marginals:
    """Scores whose sum over a tree is Σ over its brackets of p(bracket) − threshold, and Σ over words of p(tag).

    To that comes `LEAN` times the logarithm of each application's posterior.

    Parameters
    ----------
    forest : Forest
    posteriors : sequence of Marginals
        Of each grammar, from `tree_posteriors`.
    labels : BracketLabels
    threshold : float

    Returns
    -------
    Marginals
        The scores in place of marginals.
    """
    mean = mean_scores(posteriors)
    bottom = bottom_posteriors(forest, mean)
    cells = np.arange(len(forest.cell_start))
    tag = np.repeat(cells, np.diff(forest.cell_bottom)) * labels.n_tags + labels.tag[forest.bottom_symbol]
    of_tag = np.bincount(tag, mean.lexical)[tag]
    written = [
        _written(labels.symbol, forest.bottom_symbol, np.repeat(cells, np.diff(forest.cell_bottom)), labels.n_labels),
        _written(labels.unary, forest.unary_rule, np.repeat(cells, np.diff(forest.cell_unary)), labels.n_labels),
    ]
    probability = np.zeros(len(cells) * labels.n_labels)
    for (owner, bracket), weight in zip(written, (bottom, mean.unary), strict=True):
        probability += np.bincount(bracket, weight[owner], len(probability))
    of_bottom, of_unary = (
        np.bincount(owner, probability[bracket] - threshold, n)
        for (owner, bracket), n in zip(written, (len(bottom), len(mean.unary)), strict=True)
    )
    gains = (of_bottom[forest.edge_bottom], of_unary, of_bottom + of_tag, 0.0)
    leans = (LEAN * np.log(np.maximum(part, FLOOR)) for part in parts_of(mean))
    return Marginals(0, 1.0, *(gain + lean for gain, lean in zip(gains, leans, strict=True)))


def _written(lists: LabelLists, of: np.ndarray, cell: np.ndarray, n_labels: int) -> tuple[np.ndarray, np.ndarray]:
    """The brackets that items or applications write: whose each is, and its number, unique in label and span."""
    size = np.diff(lists.start)[of]
    owner = np.repeat(np.arange(len(of)), size)
    place = np.arange(len(owner)) - np.repeat(np.cumsum(size) - size, size) + lists.start[of][owner]
    return owner, cell[owner] * n_labels + lists.label[place]
