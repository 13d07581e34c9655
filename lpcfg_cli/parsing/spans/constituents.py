"""Constituents that the trees of a sentence may have, as chains of labels over spans, with their posteriors.

Grammars that binarize in different ways have these in common.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.parsing.expected_brackets import BracketLabels, counted_labels
from lpcfg_cli.parsing.layout import Forest, Marginals
from lpcfg_cli.parsing.written import chains_of_rules
from lpcfg_cli.treebank.chains import Chain

NO_CHAIN = -1
"""Number of the chain of intermediate symbols and of tags, which are no constituents."""

LEAST = 1e-3
"""Constituents that are less probable are left out."""


class Chains(NamedTuple):
    """The chains of labels that the symbols and unary rules of a grammar write, numbered.

    Attributes
    ----------
    numbers : dict of Chain to int
        Shared by grammars whose constituents are averaged.
    symbol : ndarray of int64, shape (n_symbols,)
        The chain of each symbol, or `NO_CHAIN`.
    unary : ndarray of int64, shape (n_unary,)
        The chain of each unary rule: the labels of its parent, the hidden ones, and those of its child.
    """

    numbers: dict[Chain, int]
    symbol: np.ndarray
    unary: np.ndarray


class Constituents(NamedTuple):
    """Constituents of one sentence, ordered by span; several may have one span.

    Attributes
    ----------
    start, stop : ndarray of int64, shape (n,)
        Half-open spans of words.
    chain : ndarray of int64, shape (n,)
        Numbers in the table of chains.
    probability : ndarray of float64, shape (n,)
    """

    start: np.ndarray
    stop: np.ndarray
    chain: np.ndarray
    probability: np.ndarray


def chains_of(grammar: Grammar, other: Chains | None = None) -> Chains:
    """Number the chains of a grammar; those that another grammar has too have its numbers."""
    numbers = other.numbers if other else dict[Chain, int]()

    def number(chain: Chain) -> int:
        return numbers.setdefault(chain, len(numbers)) if chain else NO_CHAIN

    of_symbols, of_unaries = ([number(chain) for chain in some] for some in chains_of_rules(grammar))
    return Chains(numbers, np.array(of_symbols, np.int64), np.array(of_unaries, np.int64))


def constituents_of(forests: Sequence[tuple[Forest, Marginals, int, Chains]]) -> Constituents:
    """The constituents that grammars find probable, with their mean posteriors.

    Parameters
    ----------
    forests : sequence of (Forest, Marginals, int, Chains)
        For all grammars of the same rules: their forest, their mean posteriors and their number.  The chains of all
        have one table.

    Returns
    -------
    Constituents
        With posteriors of at least `LEAST`.
    """
    n = max(int(forest.cell_stop.max()) for forest, *_ in forests)
    n_chains, n_grammars = len(forests[0][3].numbers), sum(number for _, _, number, _ in forests)
    places, weights = list[np.ndarray](), list[np.ndarray]()
    for forest, mean, number, chains in forests:
        span = (forest.cell_start.astype(np.int64) * (n + 1) + forest.cell_stop) * n_chains
        for chain, cells, weight in (
            (chains.symbol[forest.top_symbol], forest.cell_top, mean.identity),
            (chains.unary[forest.unary_rule], forest.cell_unary, mean.unary),
        ):
            counts = (chain != NO_CHAIN) & (weight > 0)
            places.append((np.repeat(span, np.diff(cells)) + chain)[counts])
            weights.append(number * weight[counts])
    place, owner = np.unique(np.concatenate(places), return_inverse=True)
    probability = np.bincount(owner, np.concatenate(weights), len(place)) / n_grammars
    kept = probability >= LEAST
    span, chain = np.divmod(place[kept], n_chains)
    return Constituents(*np.divmod(span, n + 1), chain, probability[kept])


def bracket_matrix(found: Constituents, forest: Forest, numbers: dict[Chain, int], labels: BracketLabels) -> np.ndarray:
    """The probability of each bracket over each cell of a forest; float64, shape (n_cells, n_labels).

    Constituents over other spans are left out.
    """
    matrix = np.zeros((len(forest.cell_start), labels.n_labels))
    cell = {span: k for k, span in enumerate(forest.cell_span)}
    names = list(numbers)
    for i, j, chain, probability in zip(*(part.tolist() for part in found), strict=True):
        if (i, j) in cell:
            for label in counted_labels(names[chain], ()):
                if label in labels.numbers:
                    matrix[cell[i, j], labels.numbers[label]] += probability
    return matrix
