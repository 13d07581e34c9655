"""A reranker: the weights of trees' numbers and features, and the new order of a parse's trees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.parsing.output import tree_lines
from lpcfg_cli.parsing.parse import Parse, TaggedWord
from lpcfg_cli.parsing.reranking.candidate_view import CandidateView
from lpcfg_cli.parsing.reranking.features import ListFeatures, list_features
from lpcfg_cli.parsing.reranking.numbers import tree_numbers
from lpcfg_cli.reranking.lists import relative
from lpcfg_cli.treebank.brackets import treebank_from_text
from lpcfg_cli.treebank.heads import HeadRules

if TYPE_CHECKING:
    from scipy import sparse


@dataclass(frozen=True)
class TreeReranker:
    """Orders the best trees of a sentence by a weighted sum of their numbers and features.

    Attributes
    ----------
    rules : HeadRules
    n_trees : int
        Number of trees of a list.
    numbers : ndarray of float64, shape (n_numbers,)
        Weights of `TREE_NUMBERS`.
    features : ndarray of uint64, shape (n_features,)
        Those that are known, rising.
    weights : ndarray of float64, shape (n_features,)
    names : tuple of str
        What the features with the largest |weights| mean, in this order.
    held_out : dict of str to float
        What was gained on held-out lists, as in `lpcfg_cli.parsing.reranking.learning.RerankedLists`.
    """

    rules: HeadRules
    n_trees: int
    numbers: np.ndarray
    features: np.ndarray
    weights: np.ndarray
    names: tuple[str, ...] = ()
    held_out: dict[str, float] = field(default_factory=dict)

    @cached_property
    def heaviest(self) -> np.ndarray:
        """Positions of the features that `names` names, int64, shape (n_names,)."""
        return by_weight(self.weights)[: len(self.names)]

    def scores(self, lines: Sequence[str], numbers: np.ndarray) -> np.ndarray:
        """The score of each tree of a list, beyond that of the first.

        Parameters
        ----------
        lines : sequence of str
            The trees, bracketed.
        numbers : ndarray of float64, shape (n_trees, n_numbers)
            As `tree_numbers` gives them.

        Returns
        -------
        ndarray of float64, shape (n_trees,)
        """
        found = list_features(view_of(lines, self.rules))
        place, is_known = places(self.features, found.feature)
        value = found.value[is_known] * self.weights[place]
        return (numbers - numbers[0]) @ self.numbers + np.bincount(found.candidate[is_known], value, len(lines))

    def reranked(
        self, parse: Parse, sentence: list[TaggedWord], grammar: Grammar, nbest: int, with_confidence: bool
    ) -> Parse:
        """The parse with its trees in the new order, and with the reranker's scores.

        Parameters
        ----------
        parse : Parse
            With the ranked trees and their confidences.
        sentence : list of (word, tag)
        grammar : Grammar
            That of the derivations.
        nbest : int
            Number of trees to keep.
        with_confidence : bool
            Whether to keep confidences.
        """
        if not parse.ranked:
            return parse
        scores = self.scores(tree_lines(sentence, parse, grammar), tree_numbers(parse))
        order = np.argsort(-scores, kind="stable")[:nbest].tolist()
        ranked = [(float(scores[k]), parse.ranked[k][1]) for k in order]
        confidences = [parse.confidences[k] for k in order] if with_confidence else []
        return replace(parse, derivations=[ranked[0][1]], ranked=ranked, confidences=confidences)


def by_weight(weights: np.ndarray) -> np.ndarray:
    """Positions of weights, those with the largest |weight| first, of equal ones the first; int64, same shape."""
    return np.argsort(-np.abs(weights), kind="stable")


def view_of(lines: Iterable[str], rules: HeadRules) -> CandidateView:
    """The arrays of the trees of a list, given as bracketed lines."""
    return CandidateView(treebank_from_text("\n".join(lines)), rules)


def places(known: np.ndarray, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where some features are among known ones, which rise.

    Returns
    -------
    place : ndarray of int64, shape (n_found,)
    is_known : ndarray of bool, shape (n,)
        Which features are found.
    """
    at = np.searchsorted(known, features)
    is_known = at < len(known)
    is_known[is_known] = known[at[is_known]] == features[is_known]
    return at[is_known], is_known


def matrix_of(
    numbers: np.ndarray, first: np.ndarray, lists: Iterator[ListFeatures], known: np.ndarray
) -> sparse.csr_matrix:
    """The values by which scores are sums: numbers beyond those of a list's first tree, then known features.

    Parameters
    ----------
    numbers : ndarray of float64, shape (C, n_numbers)
        Of the trees of all lists.
    first : ndarray of int64, shape (S + 1,)
        Trees of each list.
    lists : iterator of ListFeatures
        Of each list.
    known : ndarray of uint64, shape (n_features,)

    Returns
    -------
    csr matrix of float64, shape (C, n_numbers + n_features)
    """
    from scipy import sparse  # imported here because it is slow to import, and parsing does without

    rows, columns, values = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.float32)]
    for begin, found in zip(first[:-1], lists, strict=True):
        place, is_known = places(known, found.feature)
        rows.append(begin + found.candidate[is_known])
        columns.append(place)
        values.append(found.value[is_known])
    shape = (int(first[-1]), len(known))
    places_of_values = np.concatenate(rows), np.concatenate(columns)
    features = sparse.csr_matrix((np.concatenate(values).astype(np.float64), places_of_values), shape=shape)
    own = np.stack([relative(first, column) for column in numbers.T], axis=1)
    return sparse.hstack([sparse.csr_matrix(own), features]).tocsr()
