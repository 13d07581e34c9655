"""Spectral models of sequences: observable operators, one matrix a symbol, or one tensor for all symbols."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lpcfg_cli.hmm import filter_kernels
from lpcfg_cli.hmm.model import Filtered, SequenceModel


@dataclass(frozen=True)
class Observable:
    """What spectral models of both forms have.

    Attributes
    ----------
    start : ndarray of float64, shape (m,)
        c₁, the projected frequencies of first symbols.
    mean : ndarray of float64, shape (m,)
        μ, those of all symbols: the state where nothing is known about the past.
    total : ndarray of float64, shape (m,)
        c∞, which gives the total probability of a state.
    weights : ndarray of float64, shape (n_words, m)
        w_x: c∞ᵀC(x), or what the bigrams say of it.
    singular_values : ndarray of float64, shape (m,)
        Of the matrix of bigrams as it was scaled, in decreasing order; empty if vectors of words were given.
    chance : float
        Singular values up to this one could be due to chance.
    floor : float
        Weight of the symbols' frequencies in predictions.
    """

    start: np.ndarray
    mean: np.ndarray
    total: np.ndarray
    weights: np.ndarray
    singular_values: np.ndarray
    chance: float
    floor: float

    @property
    def lacking(self) -> int:
        """Number of dimensions whose singular values could be due to chance."""
        return int(np.count_nonzero(self.singular_values <= self.chance))


@dataclass(frozen=True)
class SpectralModel(SequenceModel):
    """A model with observable operators.

    Attributes
    ----------
    observable : Observable
    """

    observable: Observable

    @property
    def n_states(self) -> int:
        """m."""
        return len(self.observable.start)

    @property
    def start(self) -> np.ndarray:
        """c₁."""
        return self.observable.start

    @property
    def weights(self) -> np.ndarray:
        """w_x."""
        return self.observable.weights

    @property
    def floor(self) -> float:
        """As in `Observable`."""
        return self.observable.floor

    def _filter(self, numbers: np.ndarray, vectors: np.ndarray, operators: np.ndarray, is_own: bool) -> Filtered:
        states, counts, own = np.empty((len(numbers), self.n_states)), np.zeros(2, np.int64), self.observable
        numbers = np.ascontiguousarray(numbers, np.int32)
        filter_kernels.filter_observable(
            numbers, own.start, own.mean, own.total, vectors, operators, is_own, states, counts
        )
        return Filtered(states, int(counts[0]), int(counts[1]))


@dataclass(frozen=True)
class ReducedModel(SpectralModel):
    """The form of reduced dimension (Foster et al. 2012; D12 §2.2): C(x) = Σ_l y_xl C_l.

    Attributes
    ----------
    vectors : ndarray of float64, shape (n_words, m)
        y_x.
    tensor : ndarray of float64, shape (m, m, m)
        C_l is ``tensor[l]``.
    """

    vectors: np.ndarray
    tensor: np.ndarray

    def operator(self, symbol: int) -> np.ndarray:
        """K(y_x) Σ⁻¹."""
        return np.tensordot(self.vectors[symbol], self.tensor, 1)

    def filter(self, numbers: np.ndarray) -> Filtered:
        """As in `SequenceModel`; O(m³) for each symbol."""
        return self._filter(numbers, self.vectors, self.tensor, False)


@dataclass(frozen=True)
class FullModel(SpectralModel):
    """The form of Hsu, Kakade and Zhang (2009): an operator of its own for each symbol.

    Attributes
    ----------
    operators : ndarray of float64, shape (n_words, m, m)
        B_x.
    """

    operators: np.ndarray

    def operator(self, symbol: int) -> np.ndarray:
        """B_x."""
        return self.operators[symbol]

    def filter(self, numbers: np.ndarray) -> Filtered:
        """As in `SequenceModel`; O(m²) for each symbol."""
        return self._filter(numbers, np.ones((len(self.vocabulary), 1)), self.operators, True)
