"""EM for hidden Markov models (Baum-Welch), in the form that the loop of EM takes, and the choice of steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lpcfg_cli.config import HmmSettings
from lpcfg_cli.em.checkpoint import Checkpoint
from lpcfg_cli.em.dirichlet import log_column_prior, log_row_prior, normalised_columns, normalised_rows
from lpcfg_cli.em.loop import Expectation
from lpcfg_cli.em.monitor import OnStep, Stopping
from lpcfg_cli.em.run import run_em
from lpcfg_cli.errors import NumericalError
from lpcfg_cli.hmm import baum_welch_kernels
from lpcfg_cli.hmm.hidden_markov import HiddenMarkov, HmmParameters
from lpcfg_cli.hmm.learner import HmmData, HmmLearnt
from lpcfg_cli.text.counts import NgramCounts
from lpcfg_cli.text.vocabulary import END, UNKNOWN

EVERY = 1
"""Steps between two dev scores."""


@dataclass(frozen=True)
class BaumWelch:
    """EM for all parameters, with Dirichlet priors.

    Attributes
    ----------
    numbers : ndarray of int32, shape (n,)
        Sequences, each with its `END`.
    offsets : ndarray of int64, shape (n_sequences + 1,)
    prior : float
        κ: π and p(· | h) have κ / m counts of each state, the emissions of a state κ p(x) counts of each symbol.
    frequency : ndarray of float64, shape (n_words,)
        p(x).
    """

    numbers: np.ndarray
    offsets: np.ndarray
    prior: float
    frequency: np.ndarray

    @classmethod
    def of(cls, numbers: np.ndarray, prior: float, frequency: np.ndarray) -> BaumWelch:
        """The model for sequences that each end in `END`."""
        offsets = np.append(0, np.flatnonzero(numbers == END) + 1).astype(np.int64)
        return cls(np.ascontiguousarray(numbers, np.int32), offsets, prior, frequency)

    def expect(self, parameters: HmmParameters) -> Expectation[HmmParameters]:
        """The E-step; raises `NumericalError` if a sequence has probability zero."""
        arrays = (parameters.initial, parameters.transition, parameters.emission)
        counts = HmmParameters(*(np.zeros_like(array) for array in arrays))
        likelihood = baum_welch_kernels.expect_sequences(
            self.numbers,
            self.offsets,
            parameters.initial[0],
            parameters.transition,
            parameters.emission,
            counts.initial[0],
            counts.transition,
            counts.emission,
        )
        if not np.isfinite(likelihood):
            raise NumericalError("EM: a sequence has probability zero. Give --prior above 0, or fewer states.")
        return Expectation(counts, likelihood)

    def maximise(self, counts: HmmParameters) -> HmmParameters:
        """The M-step; the counts are overwritten."""
        return HmmParameters(
            normalised_rows(counts.initial, self.prior),
            normalised_rows(counts.transition, self.prior),
            normalised_columns(counts.emission, self.prior, self.frequency),
        )

    def log_prior(self, parameters: HmmParameters) -> float:
        """Logarithm of the density of the priors, up to a constant."""
        rows = log_row_prior(parameters.initial, self.prior) + log_row_prior(parameters.transition, self.prior)
        return rows + log_column_prior(parameters.emission, self.prior, self.frequency)


def relative_frequencies(counts: NgramCounts) -> np.ndarray:
    """p(x) of each symbol and of the end, float64, shape (n_words,)."""
    return counts.word_count / counts.word_count.sum()


def run_baum_welch(data: HmmData, start: HmmParameters, settings: HmmSettings, on_step: OnStep) -> HmmLearnt:
    """EM until the dev perplexity, or without dev text the bound, stops improving.

    Raises
    ------
    NumericalError
        A sequence has probability zero, or a step lowered the bound.
    """
    assert data.numbers is not None, "EM needs the sequences"
    frequency = relative_frequencies(data.counts)
    model = BaumWelch.of(data.numbers, settings.prior, frequency)
    dev = None if data.dev is None else data.dev.rows[:, -1]

    def score(parameters: HmmParameters) -> float:
        assert dev is not None
        return mean_log_probability(parameters, dev)

    stopping = Stopping(
        settings.iterations, EVERY, settings.patience, settings.tolerance, None if dev is None else score
    )
    checkpoint = Checkpoint(None, HmmParameters, {}, {}, 0, {})
    state = run_em(model, lambda: start, stopping, checkpoint, on_step)
    found = HiddenMarkov(data.counts.vocabulary, frequency, state.best)
    return HmmLearnt(found, state.records, state.chosen.iteration, state.training)


def mean_log_probability(parameters: HmmParameters, numbers: np.ndarray) -> float:
    """Mean log p of the known symbols and ends of some sequences; the score by which steps are chosen."""
    p = (parameters.filter(numbers).states * parameters.emission[numbers]).sum(1)[numbers != UNKNOWN]
    with np.errstate(divide="ignore"):
        return float(np.log(p).mean())
