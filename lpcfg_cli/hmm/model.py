"""The interface of models of sequences: a state before each symbol, from which the next symbol is predicted.

A sequence is x₁ … x_n and its end, which is a symbol too.  The state before the first symbol is v₁; x turns v into
C(x) v / (1ᵀC(x) v), and predicts symbols by |w_xᵀ v|.  With the parameters of a hidden Markov model, v is the
distribution of the hidden state given the symbols before.  With spectral estimates it is a linear map of that.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.text.vocabulary import END, Vocabulary

CHUNK = 1 << 22
"""Largest number of predictions that are held in memory at a time: 32 MB."""


@dataclass(frozen=True)
class Filtered:
    """The states before each symbol of some sequences.

    Attributes
    ----------
    states : ndarray of float64, shape (n, m)
    lost : int
        Number of states whose estimated total was negative: that of an unknown past is used instead.
    vanished : int
        The same for totals that were zero or not finite.
    """

    states: np.ndarray
    lost: int
    vanished: int


@dataclass(frozen=True)
class Predicted:
    """The probabilities of the symbols of some sequences, each given those before it.

    Attributes
    ----------
    probability : ndarray of float64, shape (n,)
    negative : int
        Number of symbols whose estimate was negative; its absolute value is used.
    lost, vanished : int
        As in `Filtered`.
    """

    probability: np.ndarray
    negative: int
    lost: int
    vanished: int


@dataclass(frozen=True)
class SequenceModel(ABC):
    """A model of sequences of symbols.

    Attributes
    ----------
    vocabulary : Vocabulary
    frequency : ndarray of float64, shape (n_words,)
        Share of each symbol and end in the text that the model was learnt from.
    """

    vocabulary: Vocabulary
    frequency: np.ndarray

    @property
    @abstractmethod
    def n_states(self) -> int:
        """m: number of hidden states, or of dimensions of their linear map."""

    @property
    @abstractmethod
    def start(self) -> np.ndarray:
        """v₁, the state before the first symbol, float64, shape (m,)."""

    @property
    @abstractmethod
    def weights(self) -> np.ndarray:
        """w_x, the weights by which a state predicts each symbol, float64, shape (n_words, m)."""

    @property
    def floor(self) -> float:
        """Weight of the symbols' frequencies in predictions."""
        return 0.0

    @abstractmethod
    def operator(self, symbol: int) -> np.ndarray:
        """C(x), float64, shape (m, m)."""

    @abstractmethod
    def filter(self, numbers: np.ndarray) -> Filtered:
        """The states before each symbol.

        Parameters
        ----------
        numbers : ndarray of int32, shape (n,)
            Sequences, one after the other, each with its `END`.
        """

    def distributions(self, states: np.ndarray) -> np.ndarray:
        """Probabilities of all next symbols, O(n_words m) for each state.

        Parameters
        ----------
        states : ndarray of float64, shape (n, m)

        Returns
        -------
        ndarray of float64, shape (n, n_words)
            Rows sum to 1.
        """
        values = np.abs(states @ self.weights.T)  # of any sign: parsing too uses absolute values
        total = values.sum(1, keepdims=True)
        is_lost = ~(total[:, 0] > 0)
        values[is_lost], total[is_lost] = self.frequency, 1.0
        return (1 - self.floor) / total * values + self.floor * self.frequency

    def predict(self, numbers: np.ndarray) -> Predicted:
        """The probability of each symbol, O(n_words m) for each; `numbers` as for `filter`."""
        found = self.filter(numbers)
        result, negative = np.empty(len(numbers)), 0
        step = max(1, CHUNK // len(self.vocabulary))
        for begin in range(0, len(numbers), step):
            rows, symbols = found.states[begin : begin + step], numbers[begin : begin + step]
            values = rows @ self.weights.T
            own = values[np.arange(len(rows)), symbols]
            total = np.abs(values, out=values).sum(1)
            usual = self.frequency[symbols]
            share = np.divide(np.abs(own), total, out=usual.copy(), where=total > 0)
            result[begin : begin + step] = (1 - self.floor) * share + self.floor * usual
            negative += int(np.count_nonzero(own < 0))
        return Predicted(result, negative, found.lost, found.vanished)

    def logprob(self, words: Sequence[str]) -> float:
        """Natural logarithm of the probability of a sequence, its end included; unknown symbols count as ``<unk>``."""
        with np.errstate(divide="ignore"):
            return float(np.log(self.predict(self.numbers_of(words)).probability).sum())

    def numbers_of(self, words: Sequence[str]) -> np.ndarray:
        """A sequence as numbers with its end, int32, shape (n + 1,)."""
        return np.array([*(self.vocabulary.number_of(word) for word in words), END], np.int32)

    def value(self, numbers: Sequence[int] | np.ndarray) -> float:
        """w_ENDᵀ C(x_n) … C(x₁) v₁: the probability of one sequence without scaling (D12 eq. 1); it may be negative.

        Parameters
        ----------
        numbers : sequence of int
            A short sequence with its `END`.
        """
        state = self.start
        for symbol in numbers[:-1]:
            state = self.operator(int(symbol)) @ state
        return float(self.weights[numbers[-1]] @ state)
