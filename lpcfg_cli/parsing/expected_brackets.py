"""Decoding for F1: the tree with the largest expected number of correct brackets, less a threshold for each bracket.

Without the threshold this maximises expected labelled recall (Goodman 1996, "Parsing Algorithms and Metrics").  The
threshold is the cost of a bracket that may be wrong: F1 is the mean of recall and precision.  The posteriors of several
grammars are averaged.
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
from lpcfg_cli.parsing.scores import log_shares, of_each, parts_of, shares_of

SIGNED_POWER = 0.3
"""Power of the shares of signed marginals that posteriors are made of.  For a single grammar, 0.3 to 1 give the same
accuracy; averaged with posteriors of probabilistic grammars, larger powers are overconfident (ten-fold
cross-validation, scripts/accuracy.md)."""

LEAN = 0.003
"""Least weight of ln of a tree's probability: of derivations with the same brackets it selects the likeliest."""

SMALLEST = 1e-30
"""Posteriors of items that are less are 0."""

LEAST_SHARE = 1e-4
"""Smaller shares of rule applications in the posteriors of their items count as this."""


class LabelLists(NamedTuple):
    """The bracket labels of each of n symbols or unary rules: those of k are ``label[start[k]:start[k + 1]]``.

    Attributes
    ----------
    start : ndarray of int64, shape (n + 1,)
    label : ndarray of int64, shape (start[n],)
    """

    start: np.ndarray
    label: np.ndarray


class BracketLabels(NamedTuple):
    """The bracket labels that a grammar's symbols and unary rules write, numbered.

    The second occurrence of a label in a chain of brackets over one span has a number of its own: it is correct only
    if the gold tree has the label twice there.

    Attributes
    ----------
    numbers : dict of (label, number of its occurrence) to int
    symbol, unary : LabelLists
        For each symbol its phrase labels; for each unary rule those of its parent, and the hidden labels.
    tags : dict of str to int
    tag : ndarray of int64, shape (n_symbols,)
        Number of the tag that a preterminal writes, 0 for all other symbols.  Several preterminals may have one tag.
    """

    numbers: dict[tuple[str, int], int]
    symbol: LabelLists
    unary: LabelLists
    tags: dict[str | None, int]
    tag: np.ndarray

    @property
    def n_labels(self) -> int:
        """Number of bracket labels."""
        return len(self.numbers)

    @property
    def n_tags(self) -> int:
        """Number of tags, with 0 for none."""
        return len(self.tags)


def bracket_labels(grammar: Grammar, other: BracketLabels | None = None) -> BracketLabels:
    """Number the bracket labels of a grammar; those that another grammar has too have its numbers.

    The two then share their tables, to which labels are added.
    """
    numbers = other.numbers if other else dict[tuple[str, int], int]()
    phrases, unary = [symbol.phrase_labels for symbol in grammar.symbols], grammar.unary
    rules = zip(unary.parent, unary.hidden, unary.child, strict=True)
    of_symbols = _lists([counted_labels(labels, ()) for labels in phrases], numbers)
    of_unaries = _lists(
        [counted_labels(phrases[a] + grammar.hidden_labels[k], phrases[b]) for a, k, b in rules], numbers
    )
    tags: dict[str | None, int] = other.tags if other else {None: 0}
    tag = np.array([tags.setdefault(symbol.tag, len(tags)) for symbol in grammar.symbols], np.int64)
    return BracketLabels(numbers, of_symbols, of_unaries, tags, tag)


def counted_labels(labels: tuple[str, ...], below: tuple[str, ...]) -> list[tuple[str, int]]:
    """Each label with the number of its earlier occurrences in `labels` plus those in `below`, which is under them."""
    return [(label, (labels[:k] + below).count(label)) for k, label in enumerate(labels)]


def _lists(labels: Sequence[Sequence[tuple[str, int]]], numbers: dict[tuple[str, int], int]) -> LabelLists:
    found = [numbers.setdefault(label, len(numbers)) for one in labels for label in one]
    return LabelLists(starts([len(one) for one in labels]), np.array(found, np.int64))


def tree_posteriors(forest: Forest, found: GrammarMarginals, is_root: np.ndarray) -> Marginals:
    """Posterior probabilities of rule applications under one grammar.

    For a probabilistic L-PCFG they are the marginals divided by Z.  Signed marginals need not be probabilities; they
    are replaced by a distribution over the trees of the forest that prefers the same trees: the probability of a tree
    is proportional to the product of |µ| over its rule applications, to the power `SIGNED_POWER`.

    Parameters
    ----------
    forest : Forest
    found : GrammarMarginals
    is_root : ndarray of bool, shape (n_top,)
        Whether each top item may be the root of a tree.

    Returns
    -------
    Marginals
        Non-negative; the total is 1, or 0 if the forest has no tree.
    """
    shares = shares_of(found.marginals)
    if found.is_probabilistic:
        return of_each(shares, lambda part: np.maximum(part / shares.total, 0.0))._replace(exponent=0, total=1.0)
    return forest_posteriors(forest, signed_powers(found.marginals), is_root)


def signed_powers(marginals: Marginals) -> Marginals:
    """Scores of rule applications by which signed marginals make a distribution over trees; see `tree_posteriors`."""
    return of_each(log_shares(shares_of(marginals)), lambda part: SIGNED_POWER * part)


class BracketPosteriors(NamedTuple):
    """The posteriors of a sentence's brackets and tags under some grammars.

    Attributes
    ----------
    start, stop : ndarray of int32, shape (n_cells,)
        The half-open span of each cell.
    bracket : ndarray of float64, shape (n_cells, n_labels)
        Probability that the tree has a bracket with each label over each of these spans.
    tag : ndarray of float64, shape (n_cells, n_tags)
        Probability that the words of these spans have each tag; 0 for spans of several words.
    n_grammars : int
        Number of grammars of which these are the means.
    """

    start: np.ndarray
    stop: np.ndarray
    bracket: np.ndarray
    tag: np.ndarray
    n_grammars: int


def bracket_posteriors(forest: Forest, mean: Marginals, n_grammars: int, labels: BracketLabels) -> BracketPosteriors:
    """The posteriors of brackets and tags under the mean of several grammars.

    Parameters
    ----------
    forest : Forest
    mean : Marginals
        Mean over the grammars of `tree_posteriors`.
    n_grammars : int
        Their number.
    labels : BracketLabels
    """
    n_cells = len(forest.cell_start)
    probability = np.zeros(n_cells * labels.n_labels)
    written = written_brackets(forest, labels)
    for (owner, bracket), weight in zip(written, (bottom_posteriors(forest, mean), mean.unary), strict=True):
        probability += np.bincount(bracket, weight[owner], len(probability))
    tag = np.bincount(_tags_of(forest, labels), mean.lexical, n_cells * labels.n_tags)
    return BracketPosteriors(
        forest.cell_start,
        forest.cell_stop,
        probability.reshape(n_cells, labels.n_labels),
        tag.reshape(n_cells, labels.n_tags),
        n_grammars,
    )


def mean_brackets(first: BracketPosteriors, others: Sequence[BracketPosteriors]) -> BracketPosteriors:
    """The mean over all grammars of the posteriors of the brackets over the cells of the first.

    Brackets over other spans are left out.  Where others have no cell, their brackets have the probability 0.
    """
    if not others:
        return first
    n = int(first.stop.max(initial=0))
    n_grammars = first.n_grammars + sum(other.n_grammars for other in others)
    bracket, tag = first.bracket * first.n_grammars, first.tag * first.n_grammars
    cell = np.full((n + 1, n + 1), -1)
    cell[first.start, first.stop] = np.arange(len(first.start))
    for other in others:
        own = cell[other.start, other.stop]
        bracket[own[own >= 0]] += other.n_grammars * other.bracket[own >= 0]
        tag[own[own >= 0]] += other.n_grammars * other.tag[own >= 0]
    return BracketPosteriors(first.start, first.stop, bracket / n_grammars, tag / n_grammars, n_grammars)


def expected_gains(
    forest: Forest,
    mean: Marginals,
    found: BracketPosteriors,
    labels: BracketLabels,
    threshold: float,
    tree_weight: float = 0.0,
) -> Marginals:
    """Scores of rule applications; their sum over a tree is the expected gain of the tree.

    The gain is Σ (p(bracket) − threshold) over the tree's brackets, plus Σ p(tag) over its words, plus
    ``LEAN + tree_weight`` times the logarithm of the tree's probability, as `rule_shares` multiply to it.

    Parameters
    ----------
    forest : Forest
    mean : Marginals
        Mean of `tree_posteriors` over the grammars of the forest's rules.
    found : BracketPosteriors
        Over the cells of the forest.
    labels : BracketLabels
    threshold, tree_weight : float
        As in `ParseSettings`.

    Returns
    -------
    Marginals
        The scores in place of marginals.
    """
    gain = found.bracket.ravel() - threshold
    of_bottom, of_unary = (
        np.bincount(owner, gain[bracket], n)
        for (owner, bracket), n in zip(
            written_brackets(forest, labels), (len(forest.bottom_symbol), len(mean.unary)), strict=True
        )
    )
    of_tag = found.tag.ravel()[_tags_of(forest, labels)]
    gains = (of_bottom[forest.edge_bottom], of_unary, of_bottom + of_tag, 0.0)
    shares, weight = parts_of(rule_shares(forest, mean)), LEAN + tree_weight
    logs = (weight * np.log(np.maximum(share, LEAST_SHARE)) for share in shares)
    return Marginals(0, 1.0, *(gain + log for gain, log in zip(gains, logs, strict=True)))


def rule_shares(forest: Forest, posteriors: Marginals) -> Marginals:
    """The share of each rule application in the posterior of its item.

    They make a grammar of this forest alone, whose rule applications have the given posteriors.  Of all of these it has
    the largest entropy, and from means of several grammars it gives a tree about the mean of its probabilities, without
    a sum over latent states for each tree (Matsuzaki, Miyao and Tsujii 2005, §3.2, and Petrov 2010, §3, use such
    shares as the scores of a search).

    Parameters
    ----------
    forest : Forest
    posteriors : Marginals
        From `tree_posteriors`, or a mean of these.

    Returns
    -------
    Marginals
        The shares in place of marginals; 0 in items whose posterior is 0.
    """
    of_top = posteriors.identity + np.bincount(forest.unary_top, posteriors.unary, len(forest.top_symbol))
    of_bottom = bottom_posteriors(forest, posteriors)
    of_items = (of_bottom[forest.edge_bottom], of_top[forest.unary_top], of_bottom, of_top)
    parts = zip(parts_of(posteriors), of_items, strict=True)
    return Marginals(0, 1.0, *(part / np.maximum(whole, SMALLEST) for part, whole in parts))


def _tags_of(forest: Forest, labels: BracketLabels) -> np.ndarray:
    """For each bottom item the number of its cell and tag, int64, (n_bottom,): cell · n_tags + tag."""
    cell = np.repeat(np.arange(len(forest.cell_start)), np.diff(forest.cell_bottom))
    return cell * labels.n_tags + labels.tag[forest.bottom_symbol]


def written_brackets(forest: Forest, labels: BracketLabels) -> list[tuple[np.ndarray, np.ndarray]]:
    """Which brackets the bottom items and the unary applications of a forest write: (owner, bracket) of each; int.

    `owner` is the item or application, `bracket` is cell · n_labels + label; see `_written`.
    """
    cells = np.arange(len(forest.cell_start))
    return [
        _written(labels.symbol, forest.bottom_symbol, np.repeat(cells, np.diff(forest.cell_bottom)), labels.n_labels),
        _written(labels.unary, forest.unary_rule, np.repeat(cells, np.diff(forest.cell_unary)), labels.n_labels),
    ]


def _written(lists: LabelLists, of: np.ndarray, cell: np.ndarray, n_labels: int) -> tuple[np.ndarray, np.ndarray]:
    """The brackets that items or unary applications write, each once for every writer; all arrays are int.

    Parameters
    ----------
    lists : LabelLists
    of : ndarray, shape (n,)
        Symbol or unary rule of each item or application.
    cell : ndarray, shape (n,)
        Span of each item or application.
    n_labels : int

    Returns
    -------
    owner : ndarray, shape (n_written,)
        The item or application that writes each bracket.
    bracket : ndarray, shape (n_written,)
        Number of the bracket: cell · n_labels + label.
    """
    size = np.diff(lists.start)[of]
    owner = np.repeat(np.arange(len(of)), size)
    place = np.arange(len(owner)) - np.repeat(np.cumsum(size) - size, size) + lists.start[of][owner]
    return owner, cell[owner] * n_labels + lists.label[place]
