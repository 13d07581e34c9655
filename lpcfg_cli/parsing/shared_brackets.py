"""Brackets that grammars of one binarization find improbable, left out of the charts of other binarizations.

Symbols of different binarizations have only their brackets in common.  What is left out are items and unary rules that
write one of these brackets; items between a bracket and its children, which write none, may stand over any span.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lpcfg_cli.parsing.expected_brackets import BracketLabels, BracketPosteriors, LabelLists
from lpcfg_cli.parsing.layout import CoarseRules


class LabelTables(NamedTuple):
    """The bracket labels of symbols and unary rules, as many columns as the longest list has labels; -1 for no label.

    Attributes
    ----------
    symbol : ndarray of int64, shape (n_symbols, longest)
    unary : ndarray of int64, shape (n_unary, longest)
    """

    symbol: np.ndarray
    unary: np.ndarray


def label_tables(labels: BracketLabels) -> LabelTables:
    """The lists of a grammar's bracket labels as tables."""
    return LabelTables(_table(labels.symbol), _table(labels.unary))


def _table(lists: LabelLists) -> np.ndarray:
    size = np.diff(lists.start)
    place = np.arange(size.max(initial=0))
    is_label = place < size[:, None]
    table = np.full(is_label.shape, -1)
    table[is_label] = lists.label
    return table


def without_improbable(
    rules: CoarseRules, tables: LabelTables, found: BracketPosteriors, threshold: float
) -> CoarseRules:
    """The rules of a coarse pass, permitted only where all brackets that they write are probable.

    Parameters
    ----------
    rules : CoarseRules
        With the masks of the sentence's constraints, if it has any.
    tables : LabelTables
        Those of the grammar.
    found : BracketPosteriors
        Under grammars of another binarization, whose labels are numbered as the grammar's.
    threshold : float
        Smallest posterior of a bracket.
    """
    n = int(found.stop.max(initial=0))
    is_probable = np.ones((len(found.start), found.bracket.shape[1] + 1), bool)  # the last column: no label
    is_probable[:, :-1] = found.bracket >= threshold
    bottom, unary = (_mask(table, n, found, is_probable) for table in tables)
    identity = bottom  # a top item without a unary rule is a bottom item
    if rules.permitted_bottom.size:
        bottom, identity = bottom & rules.permitted_bottom, identity & rules.permitted_identity
        unary &= rules.permitted_unary
    return rules._replace(permitted_bottom=bottom, permitted_identity=identity, permitted_unary=unary)


def _mask(table: np.ndarray, n: int, found: BracketPosteriors, is_probable: np.ndarray) -> np.ndarray:
    """Whether each row's labels are all probable over each span; bool, (n, n + 1, rows)."""
    mask = np.empty((n, n + 1, len(table)), bool)
    mask[:] = (table < 0).all(1)
    some = np.flatnonzero(is_probable[:, :-1].any(1))
    mask[found.start[some], found.stop[some]] = is_probable[some][:, table].all(2)
    return mask
