"""What is known of each nonterminal's states: examples, features, singular values, and where the rank falls short."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.stages.run_directory import FEATURES, FEATURES_FILE, PROJECTIONS, PROJECTIONS_FILE, load_model
from lpcfg_cli.storage.artefacts import read_arrays

ARRAYS = ("n_states", "n_inside", "n_outside", "n_discarded", "singular_values", "discarded")
"""What of ``projections.npz`` tells the spectra."""

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


def spectra_from_arrays(
    names: Sequence[str], examples: np.ndarray, arrays: Mapping[str, np.ndarray]
) -> list[SymbolSpectrum]:
    """The spectra of all nonterminals.

    Parameters
    ----------
    names : sequence of str
    examples : ndarray of int, shape (n_symbols,)
    arrays : mapping of str to ndarray
        `ARRAYS` of ``projections.npz``.
    """
    kept = np.split(arrays["singular_values"], np.cumsum(arrays["n_states"])[:-1])
    cut = np.split(arrays["discarded"], np.cumsum(arrays["n_discarded"])[:-1])
    n_inside, n_outside, m = (arrays[name].tolist() for name in ("n_inside", "n_outside", "n_states"))
    return [
        SymbolSpectrum(name, int(n), n_inside[a], n_outside[a], m[a], kept[a].tolist(), cut[a].tolist())
        for a, (name, n) in enumerate(zip(names, examples, strict=True))
    ]


def read_spectra(run: Path, grammar: Grammar, inputs: Container[str]) -> list[SymbolSpectrum]:
    """The spectra behind a model, with its m_a.

    Parameters
    ----------
    run : Path
        The run directory in which it was made.
    grammar : Grammar
    inputs : container of str
        Names of the files that it was made from; without projections among them there are no singular values.
    """
    names = [symbol.name for symbol in grammar.symbols]
    _, features = read_arrays(run / FEATURES_FILE, FEATURES, ("row_start",))
    examples = np.diff(features["row_start"])
    if PROJECTIONS_FILE in inputs:
        _, arrays = read_arrays(run / PROJECTIONS_FILE, PROJECTIONS, ARRAYS)
        spectra = spectra_from_arrays(names, examples, arrays)
    else:
        spectra = [SymbolSpectrum(name, n, 0, 0, 1, [], []) for name, n in zip(names, examples.tolist(), strict=True)]
    return [replace(spectrum, states=int(m)) for spectrum, m in zip(spectra, grammar.n_states, strict=True)]


def spectra_of_run(run: Path) -> list[SymbolSpectrum]:
    """The spectra behind the model of a run directory."""
    header, grammar = load_model(run)
    return read_spectra(run, grammar, header.inputs)


def rank_warnings(spectra: Sequence[SymbolSpectrum]) -> list[RankWarning]:
    """Frequent nonterminals without the rank for their states, those that lack most of it first."""
    found = []
    for s in spectra:
        if s.discarded and s.examples >= FREQUENT:
            rank = len(s.singular_values)
            ratio = s.discarded[0] / s.singular_values[0]
            found.append(RankWarning(s.name, s.examples, rank, rank + len(s.discarded), ratio))
    return sorted(found, key=lambda w: (w.rank / w.allowed, -w.examples, w.name))
