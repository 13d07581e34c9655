"""What is known of each nonterminal's states: examples, features, singular values, and where the rank falls short."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.spectral.projection import Projection

FREQUENT = 500
"""Examples from which on a low rank is no matter of chance: a rare nonterminal has few different trees."""


@dataclass(frozen=True)
class SymbolSpectrum:
    """The spectrum of one nonterminal.

    Attributes
    ----------
    name : str
    examples : int
        M, its nodes.
    inside_features, outside_features : int
        d and d′; 0 for learners without projections, as are the lists below empty.
    states : int
        m_a.
    singular_values : list of float
        Those kept.
    discarded : list of float
        Those computed and cut off as numerically zero.
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
    """A frequent nonterminal whose Ω has singular values near zero before its m states (condition 1 of C14 §7.2).

    Attributes
    ----------
    name : str
    examples : int
    rank : int
        States that it keeps.
    allowed : int
        States that m, examples and features would have allowed.
    ratio : float
        σ of the first state that it lacks, by the largest σ.
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
        M of each.
    projections : sequence of Projection
        One for each.
    """
    return [
        SymbolSpectrum(
            name, int(n), len(p.inside), len(p.outside), p.n_states, p.singular_values.tolist(), p.discarded.tolist()
        )
        for name, n, p in zip(names, examples, projections, strict=True)
    ]


def rank_warnings(spectra: Sequence[SymbolSpectrum]) -> list[RankWarning]:
    """Frequent nonterminals without the rank for their states, those that lack most of it first."""
    found = []
    for s in spectra:
        if s.discarded and s.examples >= FREQUENT:
            rank = len(s.singular_values)
            ratio = s.discarded[0] / s.singular_values[0]
            found.append(RankWarning(s.name, s.examples, rank, rank + len(s.discarded), ratio))
    return sorted(found, key=lambda w: (w.rank / w.allowed, -w.examples, w.name))
