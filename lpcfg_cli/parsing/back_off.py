"""A plain PCFG with rules that the treebank does not have, for sentences that its own rules cannot cover.

A treebank of a hundred trees shows few of the rules of a language.  It shows more of their halves: which labels begin a
phrase of label A, and which ones continue it.  A rule A → b c that was never seen gets the probability that its halves
occur independently.  On top of that any label may stand where one was seen, with a small weight.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np

from lpcfg_cli.grammar.model import DENSE, BinaryRules, Grammar, UnaryRules

Rules = TypeVar("Rules", BinaryRules, UnaryRules)

UNSEEN_RULE = 0.1
"""Weight of the unseen rules of a symbol against 1 for its own.  From 0.001 to 0.1 F1 changes by less than 1."""

ANY_LABEL = 0.01
"""Weight of a label that was never seen in its place against 1 for all that were."""


NOTHING_HIDDEN = ()
"""The hidden labels of a unary rule a → b that is two brackets in the tree and no more."""


class Halves(NamedTuple):
    """What occurs as the left, right and only child of each symbol.

    Symbols that differ only in being intermediate share these: both stand for a part of the same phrase.

    Attributes
    ----------
    left, right, only : ndarray of float64, shape (n_symbols, n_symbols)
        Share of each child (column) among the children of each parent (row); rows are zero where none was seen.
    """

    left: np.ndarray
    right: np.ndarray
    only: np.ndarray


def with_direct_unaries(grammar: Grammar) -> Grammar:
    """The grammar with `NOTHING_HIDDEN` among its hidden labels, which a treebank may never show."""
    if NOTHING_HIDDEN in grammar.hidden_labels:
        return grammar
    return replace(grammar, hidden_labels=[*grammar.hidden_labels, NOTHING_HIDDEN])


def back_off_grammar(grammar: Grammar, halves: Halves, any_label: float = ANY_LABEL) -> Grammar:
    """The plain PCFG of a grammar, smoothed toward unseen rules; all symbols have one state.

    Parameters
    ----------
    grammar : Grammar
        With `NOTHING_HIDDEN` among its hidden labels; see `with_direct_unaries`.
    halves : Halves
        From `halves_of`.
    any_label : float
        0 for rules both halves of which were seen, which are fewer: O(Σ_a left(a) · right(a)) in place of
        O(Σ_a (left(a) + right(a)) · n_symbols).
    """
    binary = _binary_rules(grammar, halves, any_label)
    unary = _unary_rules(grammar, halves, any_label)
    total = np.zeros(grammar.n_symbols)
    for rules in (binary, unary):
        total += np.bincount(rules.parent, rules.probability, grammar.n_symbols)
    total[total == 0] = 1.0
    lexical = grammar.lexical
    return replace(
        grammar,
        n_states=np.ones(grammar.n_symbols, np.int32),
        state_start=np.arange(grammar.n_symbols + 1),
        root_vector=grammar.root_probability,
        unseen_vector=grammar.unseen_probability,
        binary=_scaled(binary, 1 / total),
        unary=_scaled(unary, 1 / total),
        lexical=replace(lexical, start=np.arange(len(lexical) + 1), values=lexical.probability),
        is_probabilistic=True,
    )


def number_of_rules(halves: Halves) -> int:
    """Upper bound of the number of binary rules of `back_off_grammar`, any label included."""
    seen = (np.count_nonzero(halves.left, 1) + np.count_nonzero(halves.right, 1)).sum()
    return int(seen) * len(halves.left)


def halves_of(grammar: Grammar) -> Halves:
    """What the rules of a grammar have as the left, right and only child of each symbol."""
    n, binary, unary = grammar.n_symbols, grammar.binary, grammar.unary
    numbers: dict[tuple[object, ...], int] = {}
    kinds = [(s.labels, s.is_preterminal, s.ancestors) for s in grammar.symbols]
    kind = np.array([numbers.setdefault(one, len(numbers)) for one in kinds])

    def shares(parent: np.ndarray, child: np.ndarray, weight: np.ndarray) -> np.ndarray:
        of_kinds = np.bincount(kind[parent] * n + child, weight, len(numbers) * n).reshape(-1, n)
        pooled = of_kinds[kind].astype(float)
        total = pooled.sum(1, keepdims=True)
        return np.divide(pooled, total, out=np.zeros_like(pooled), where=total > 0)

    return Halves(
        shares(binary.parent, binary.left, binary.probability),
        shares(binary.parent, binary.right, binary.probability),
        shares(unary.parent, unary.child, unary.probability),
    )


def _anywhere(grammar: Grammar, halves: Halves) -> np.ndarray:
    """The share of each symbol among all children, float64, (n_symbols,); 0 for intermediate symbols."""
    bounded = np.array([not symbol.is_intermediate for symbol in grammar.symbols])
    found = sum(part.sum(0) for part in halves) + 0.1
    return found * bounded / (found * bounded).sum()


def _binary_rules(grammar: Grammar, halves: Halves, any_label: float) -> BinaryRules:
    n, own = grammar.n_symbols, grammar.binary
    anywhere = any_label * _anywhere(grammar, halves)
    number = [(own.left.astype(np.int64) * n + own.right) * n + own.parent]
    weight = [own.probability]
    for a in np.flatnonzero(halves.left.any(1)):
        # the left half was seen and the right half is any, or the left half is any other and the right half was seen
        for left, right in (
            (halves.left[a], halves.right[a] + anywhere),
            (np.where(halves.left[a] > 0, 0.0, anywhere), halves.right[a]),
        ):
            b, c = np.flatnonzero(left), np.flatnonzero(right)
            number.append(((b[:, None] * n + c) * n + a).ravel())
            weight.append(UNSEEN_RULE * np.outer(left[b], right[c]).ravel())
    rule, where = np.unique(np.concatenate(number), return_inverse=True)
    probability = np.bincount(where, np.concatenate(weight))
    left, right, parent = (part.astype(np.int32) for part in (rule // (n * n), rule // n % n, rule % n))
    rank = np.full(len(rule), DENSE, np.int32)
    return BinaryRules(parent, left, right, probability, rank, np.arange(len(rule) + 1), probability)


def _unary_rules(grammar: Grammar, halves: Halves, any_label: float) -> UnaryRules:
    """The unary rules with those never seen, which hide no labels."""
    own, n = grammar.unary, grammar.n_symbols
    is_phrase = np.array([not (symbol.is_intermediate or symbol.is_preterminal) for symbol in grammar.symbols])
    seen = np.zeros((n, n), bool)
    seen[own.parent, own.child] = True
    unseen = UNSEEN_RULE * any_label * is_phrase[:, None] * _anywhere(grammar, halves)
    np.fill_diagonal(unseen, 0.0)
    parent, child = np.nonzero(np.where(seen, 0.0, unseen))
    columns = [
        np.append(own.child, child),
        np.append(own.parent, parent),
        np.append(own.hidden, np.full(len(parent), grammar.hidden_labels.index(NOTHING_HIDDEN))),
    ]
    probability = np.append(own.probability, unseen[parent, child])
    order = np.lexsort(columns[::-1])
    sorted_child, sorted_parent, hidden = (column[order].astype(np.int32) for column in columns)
    start = np.arange(len(order) + 1)
    return UnaryRules(sorted_parent, sorted_child, hidden, probability[order], start, probability[order])


def _scaled(rules: Rules, factor: np.ndarray) -> Rules:
    probability = rules.probability * factor[rules.parent]
    return replace(rules, probability=probability, values=probability)
