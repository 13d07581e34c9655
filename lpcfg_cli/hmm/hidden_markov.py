"""Hidden Markov models with the parameters of probability distributions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lpcfg_cli.errors import InputError
from lpcfg_cli.hmm import filter_kernels, viterbi_kernels
from lpcfg_cli.hmm.model import Filtered, Predicted, SequenceModel


@dataclass(frozen=True)
class HmmParameters:
    """The parameters, or expected counts of the same shapes.

    Attributes
    ----------
    initial : ndarray of float64, shape (1, m)
        π(h): sums to 1.
    transition : ndarray of float64, shape (m, m)
        p(h' | h) in row h: rows sum to 1.
    emission : ndarray of float64, shape (n_words, m)
        p(x | h), that of the end among them: columns sum to 1; 0 for ``<s>``.
    """

    initial: np.ndarray
    transition: np.ndarray
    emission: np.ndarray

    def filter(self, numbers: np.ndarray) -> Filtered:
        """As `SequenceModel.filter`; O(m²) for each symbol."""
        states, counts = np.empty((len(numbers), len(self.transition))), np.zeros(2, np.int64)
        numbers = np.ascontiguousarray(numbers, np.int32)
        filter_kernels.filter_hidden(numbers, self.initial[0], self.transition, self.emission, states, counts)
        return Filtered(states, int(counts[0]), int(counts[1]))


@dataclass(frozen=True)
class HiddenMarkov(SequenceModel):
    """A hidden Markov model.

    Attributes
    ----------
    parameters : HmmParameters
    """

    parameters: HmmParameters

    @property
    def n_states(self) -> int:
        """m."""
        return len(self.parameters.transition)

    @property
    def start(self) -> np.ndarray:
        """π."""
        return self.parameters.initial[0]

    @property
    def weights(self) -> np.ndarray:
        """p(x | h)."""
        return self.parameters.emission

    def operator(self, symbol: int) -> np.ndarray:
        """T diag(O_x) (D12 §2.1)."""
        return self.parameters.transition.T * self.parameters.emission[symbol]

    def filter(self, numbers: np.ndarray) -> Filtered:
        """As in `SequenceModel`: p(h | symbols before)."""
        return self.parameters.filter(numbers)

    def predict(self, numbers: np.ndarray) -> Predicted:
        """As in `SequenceModel`; O(m²) for each symbol, as the probabilities of all symbols are known to sum to 1."""
        found = self.filter(numbers)
        return Predicted((found.states * self.weights[numbers]).sum(1), 0, 0, found.vanished)

    @cached_property
    def _logarithms(self) -> HmmParameters:
        own = self.parameters
        with np.errstate(divide="ignore"):
            return HmmParameters(np.log(own.initial), np.log(own.transition), np.log(own.emission))

    def likeliest_path(self, numbers: np.ndarray) -> np.ndarray:
        """The likeliest hidden states of one sequence with its end, int32, shape (n,); by Viterbi's algorithm."""
        path, logs = np.empty(len(numbers), np.int32), self._logarithms
        viterbi_kernels.likeliest_path(numbers, logs.initial[0], logs.transition, logs.emission, path)
        return path


def as_hidden(model: SequenceModel, name: str) -> HiddenMarkov:
    """The model, if it has hidden states.

    Raises
    ------
    InputError
        It is spectral: its states are known only up to a linear map.
    """
    if not isinstance(model, HiddenMarkov):
        raise InputError(
            f"{name}: a spectral model, whose states are known only up to a linear map. "
            "Give a model of the learner em or spectral+em."
        )
    return model
