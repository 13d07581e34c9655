"""How probable trees and their brackets are: sums over all derivations that write them.

A tree is *its brackets and tags*: latent states, symbols and trivial variants (see `lpcfg_cli.parsing.written`) are
summed out.  Its derivations are those of the forest in which only what fits to the tree is left.

For a probabilistic L-PCFG the posterior is p(tree) / p(sentence).  Signed estimates have no such ratio; there it is the
probability under the distribution of `lpcfg_cli.parsing.expected_brackets.tree_posteriors`.  Of several grammars the
mean counts.  All posteriors are relative to the trees of the pruned forest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.parsing.calibration import UNCORRECTED, Calibration
from lpcfg_cli.parsing.decoders import Evidence
from lpcfg_cli.parsing.expected_brackets import counted_labels, signed_powers
from lpcfg_cli.parsing.forest_posteriors import log_total
from lpcfg_cli.parsing.layout import Forest, Marginals
from lpcfg_cli.parsing.marginals import Sum, all_marginals
from lpcfg_cli.parsing.pruning import Survivors, surviving_forest
from lpcfg_cli.parsing.viterbi import Derivation
from lpcfg_cli.parsing.written import Written, without_repeats
from lpcfg_cli.treebank.binary import LEXICAL, UNARY
from lpcfg_cli.treebank.chains import Chain, Span

UNKNOWN_CHAIN = -1
"""Of a span whose brackets no rule writes."""

UNKNOWN_TAG = -1
"""Of a tag that no symbol writes."""


@dataclass(frozen=True)
class Bracket:
    """A bracket of a tree.

    Attributes
    ----------
    label : str
    start, stop : int
        Its half-open span of words.
    posterior : float
        Probability that the tree of the sentence has a bracket of this label over this span, with the correction of
        the model.
    """

    label: str
    start: int
    stop: int
    posterior: float


@dataclass(frozen=True)
class Confidence:
    """How probable a tree is.

    Attributes
    ----------
    log_probability : float
        ln p(tree) under the first grammar; NaN if its estimate is not positive.
    posterior : float
        Between 0 and 1.
    brackets : list of Bracket
        Those of the tree in preorder, without a root that writing adds.
    shares : tuple of float
        The posterior under each grammar with a usable Z; `posterior` is their mean.
    """

    log_probability: float
    posterior: float
    brackets: list[Bracket]
    shares: tuple[float, ...] = ()


class _Node(NamedTuple):
    """The brackets that one unary node and the node below it, or one other node, write over one span."""

    span: Span
    labels: list[tuple[str, int]]
    is_intermediate: bool
    tag: str | None


class ForestOfSentence:
    """A forest of a sentence under some grammars of the same rules, in which trees are looked for.

    Parameters
    ----------
    evidence : Evidence
    sums : sequence of Sum
        One for each of ``evidence.found``.
    written : Written
        What these grammars write.
    """

    def __init__(self, evidence: Evidence, sums: Sequence[Sum], written: Written):
        self.evidence, self.sums, self.written = evidence, sums, written

    @cached_property
    def _signed(self) -> list[tuple[Marginals, float] | None]:
        """Of each signed grammar its scores and their total over all trees; most forests are never asked for them."""
        forest, is_root = self.evidence.forest, self.evidence.is_root
        powers = [None if one.is_probabilistic else signed_powers(one.marginals) for one in self.evidence.found]
        return [None if scores is None else (scores, log_total(forest, scores, is_root)) for scores in powers]

    def shares(self, trees: Sequence[Sequence[_Node]], is_open: np.ndarray) -> tuple[np.ndarray, list[Marginals]]:
        """The posterior of each tree under each grammar, (n_trees, n_grammars), and its marginals under the first."""
        kept = [same_tree(self.evidence.forest, nodes, self.written, is_open) for nodes in trees]
        parts = [surviving_forest(self.evidence.forest, one) for one in kept]
        questions = [(one_sum, part) for one_sum in self.sums for part in parts]
        totals = all_marginals(questions)
        shares = np.empty((len(self.sums), len(parts)))
        for k, (one, signed) in enumerate(zip(self.evidence.found, self._signed, strict=True)):
            for t, (survivors, part) in enumerate(zip(kept, parts, strict=True)):
                if signed is None:
                    shares[k, t] = _ratio(totals[k * len(parts) + t], one.marginals)
                else:
                    log = log_total(part, survivors.of(signed[0]), self.evidence.is_root[survivors.top])
                    shares[k, t] = np.exp(min(0.0, log - signed[1]))
        return shares.T, totals[: len(parts)]


def confidences(
    forests: Sequence[ForestOfSentence],
    derivations: Sequence[Derivation],
    grammar: Grammar,
    is_open: np.ndarray,
    exponent: int,
    calibration: Calibration = UNCORRECTED,
) -> list[Confidence]:
    """The confidence of each of some trees of a sentence.

    Parameters
    ----------
    forests : sequence of ForestOfSentence
        That from which the trees are, and those of grammars with other rules.
    derivations : sequence of Derivation
        One of each tree, with its symbols in `grammar`.
    grammar : Grammar
        The first grammar.
    is_open : ndarray of bool, shape (n_words,)
        Whether each word's tag is chosen by the parser.
    exponent : int
        That of the sentence in the coarse pass of the first grammar.
    calibration : Calibration
        The correction of the posteriors of brackets.
    """
    evidence = forests[0].evidence
    forest, numbers = evidence.forest, evidence.labels.numbers
    by_cell = calibration.of(np.minimum(evidence.brackets(evidence.mean()).bracket, 1.0))
    cells = {span: k for k, span in enumerate(forest.cell_span)}
    trees = [list(_nodes(derivation, grammar)) for derivation in derivations]
    shares, totals = forests[0].shares(trees, is_open)
    shares = np.hstack([shares, *(other.shares(trees, is_open)[0] for other in forests[1:])])
    found = []
    for nodes, own, total in zip(trees, shares, totals, strict=True):
        brackets = [
            Bracket(label, *node.span, float(by_cell[cells[node.span], numbers[label, count]]))
            for node in nodes
            for label, count in node.labels
        ]
        found.append(Confidence(log_value(total, exponent), float(np.mean(own)), brackets, tuple(own.tolist())))
    return found


def log_value(marginals: Marginals, exponent: int) -> float:
    """ln of the true total; NaN unless it is positive.  `exponent` is that of the sentence in the coarse pass."""
    if not marginals.total > 0:
        return float("nan")
    return float(np.log(marginals.total) + (marginals.exponent + exponent) * np.log(2))


def _ratio(part: Marginals, whole: Marginals) -> float:
    """Share of the probability of all trees, cut to the range from 0 to 1 against rounding.

    A grammar that does not have the tree has a total of 0 or NaN, with an exponent that means nothing.
    """
    if not part.total > 0:
        return 0.0
    ratio = part.total / whole.total * 2.0 ** (part.exponent - whole.exponent)
    return float(min(1.0, max(0.0, ratio)))


def same_tree(forest: Forest, nodes: Sequence[_Node], written: Written, is_open: np.ndarray) -> Survivors:
    """The items and rule applications of a forest of which the derivations of one tree and its variants are made.

    A derivation in which no span crosses a bracket of the tree has all its spans, because it is binary.  So it is
    enough that each span has the chain of brackets of the tree, or, between a bracket and its children, none.
    """
    chains: dict[Span, Chain] = {}
    tags: dict[int, int] = {}
    for node in nodes:
        if not node.is_intermediate:
            chains[node.span] = without_repeats(tuple(label for label, _ in node.labels))
        if node.tag is not None:
            tags[node.span[0]] = written.tags.get(node.tag, UNKNOWN_TAG)
    spans = forest.cell_span
    chain = np.array([written.chains.get(chains[s], UNKNOWN_CHAIN) if s in chains else UNKNOWN_CHAIN for s in spans])
    is_bracket = np.array([s in chains for s in spans], bool)
    is_within = ~_crosses(np.array(spans), np.array(list(chains)))
    tag = np.array([tags[i] if j == i + 1 and is_open[i] else 0 for i, j in spans])
    of_bottom, of_top, of_unary = (
        np.repeat(np.arange(len(spans)), np.diff(first))
        for first in (forest.cell_bottom, forest.cell_top, forest.cell_unary)
    )
    fits = written.is_intermediate[forest.bottom_symbol] != is_bracket[of_bottom]
    fits &= (tag[of_bottom] == 0) | (tag[of_bottom] == written.tag[forest.bottom_symbol])
    bottom = fits & is_within[of_bottom]
    top = is_within[of_top] & (written.is_intermediate[forest.top_symbol] != is_bracket[of_top])
    identity = ~is_bracket[of_top] | (written.symbol[forest.top_symbol] == chain[of_top])
    unary = bottom[forest.unary_bottom] & top[forest.unary_top]
    unary &= written.unary[forest.unary_rule] == chain[of_unary]
    edge = bottom[forest.edge_bottom] & top[forest.edge_left] & top[forest.edge_right]
    return Survivors(edge, unary, bottom, top, identity)


def _crosses(spans: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Whether each span, int, (n, 2), crosses any of some others, int, (k, 2); bool, (n,)."""
    i, j, first, last = spans[:, :1], spans[:, 1:], others[:, 0], others[:, 1]
    left = (i < first) & (first < j) & (j < last)
    right = (first < i) & (i < last) & (last < j)
    return np.any(left | right, axis=1)


def _nodes(derivation: Derivation, grammar: Grammar) -> Iterator[_Node]:
    """What each node of a derivation writes, in preorder."""
    n = len(derivation.symbol)
    spans = _spans(derivation)
    node = 0
    while node < n:
        above: Chain = ()
        if derivation.kind[node] == UNARY:
            above = grammar.symbols[derivation.symbol[node]].phrase_labels
            above += grammar.hidden_labels[derivation.hidden[node]]
            node += 1
        symbol = grammar.symbols[derivation.symbol[node]]
        labels = counted_labels(above, symbol.phrase_labels) + counted_labels(symbol.phrase_labels, ())
        tag = symbol.tag if derivation.kind[node] == LEXICAL else None
        yield _Node(spans[node], labels, symbol.is_intermediate, tag)
        node += 1


def _spans(derivation: Derivation) -> list[Span]:
    """The half-open span of words of each node."""
    is_word = derivation.kind == LEXICAL
    start = np.cumsum(is_word) - is_word
    width = is_word.astype(np.int64)
    for node in range(len(width) - 1, 0, -1):
        width[derivation.parent[node]] += width[node]
    return list(zip(start.tolist(), (start + width).tolist(), strict=True))
