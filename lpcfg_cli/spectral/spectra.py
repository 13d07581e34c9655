"""The spectrum of each nonterminal: examples, features, singular values; and warnings about low rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.spectral.projection import Projection

FREQUENT = 500
"""Number of examples from which on a low rank is reported: a rarer nonterminal can have few different trees by
chance."""


@dataclass(frozen=True)
class SymbolSpectrum:
    """The spectrum of one nonterminal.

    Attributes
    ----------
    name : str
    examples : int
        M, the number of its nodes.
    inside_features, outside_features : int
        d and d′; 0 for learners without projections.
    states : int
        m_a.
    singular_values : list of float
        σ of its states, in decreasing order; empty for learners without projections.
    discarded : list of float
        Singular values that were computed but dropped as numerically zero.
    """

    name: str
    examples: int
    inside_features: int
    outside_features: int
    states: int
    singular_values: list[float]
    discarded: list[float]


@dataclass(frozen=True)
class RankWarning:
    """A frequent nonterminal whose Ω has a rank below m (condition 1 of C14 §7.2).

    Attributes
    ----------
    name : str
    examples : int
        M, the number of its nodes.
    rank : int
        Number of its states.
    allowed : int
        Number of states that m, examples and features would have allowed.
    ratio : float
        The largest discarded σ divided by the largest σ.
    """

    name: str
    examples: int
    rank: int
    allowed: int
    ratio: float


def spectra_of(names: Sequence[str], examples: np.ndarray, projections: Sequence[Projection]) -> list[SymbolSpectrum]:
    """The spectra of all nonterminals.

    Parameters
    ----------
    names : sequence of str
    examples : ndarray of int, shape (n_symbols,)
        M of each nonterminal.
    projections : sequence of Projection
        One for each nonterminal.
    """
    return [
        SymbolSpectrum(
            name, int(n), len(p.inside), len(p.outside), p.n_states, p.singular_values.tolist(), p.discarded.tolist()
        )
        for name, n, p in zip(names, examples, projections, strict=True)
    ]


def rank_warnings(spectra: Sequence[SymbolSpectrum]) -> list[RankWarning]:
    """Frequent nonterminals with a rank below m, those with the smallest share of the allowed rank first."""
    found = []
    for s in spectra:
        if s.discarded and s.examples >= FREQUENT:
            rank = len(s.singular_values)
            ratio = s.discarded[0] / s.singular_values[0]
            found.append(RankWarning(s.name, s.examples, rank, rank + len(s.discarded), ratio))
    return sorted(found, key=lambda w: (w.rank / w.allowed, -w.examples, w.name))
