"""The latent bigram model and its counts, in the form that the loop of EM takes: for r and s, or for r alone.

With s fixed the likelihood is concave in r, so that EM finds its maximum (CC14 §8, step 2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lpcfg_cli.em.dirichlet import log_column_prior, log_row_prior, normalised_columns, normalised_rows
from lpcfg_cli.em.loop import Expectation
from lpcfg_cli.errors import NumericalError
from lpcfg_cli.lm import latent_kernels
from lpcfg_cli.lm.latent import LatentParameters
from lpcfg_cli.text.counts import NgramCounts


@dataclass(frozen=True)
class Bigrams:
    """The different bigrams, grouped by first word.

    Attributes
    ----------
    indptr : ndarray of int64, shape (n_words + 1,)
    word : ndarray of int32, shape (n,)
    count : ndarray of float64, shape (n,)
    """

    indptr: np.ndarray
    word: np.ndarray
    count: np.ndarray

    @classmethod
    def of(cls, counts: NgramCounts, lag: int = 1) -> Bigrams:
        """The bigrams of a text, of words that are `lag` words apart."""
        matrix = counts.bigrams(lag)
        return cls(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data)


@dataclass(frozen=True)
class Rows:
    """r alone, or its expected counts; float64, shape (n_words, m)."""

    r: np.ndarray


@dataclass(frozen=True)
class LatentModel:
    """EM for r and s, with Dirichlet priors.

    Attributes
    ----------
    bigrams : Bigrams
    prior : float
        κ: r(· | w) has κ / m counts of each state, s(· | h) κ p(w) counts of each word.
    frequency : ndarray of float64, shape (n_words,)
        p(w); 0 for ``<s>``.
    """

    bigrams: Bigrams
    prior: float
    frequency: np.ndarray

    def expect(self, parameters: LatentParameters) -> Expectation[LatentParameters]:
        """The E-step; raises `NumericalError` if a bigram of the text has probability zero."""
        counts = LatentParameters(np.zeros_like(parameters.r), np.zeros_like(parameters.s))
        data = self.bigrams
        likelihood = latent_kernels.expect_both(
            data.indptr, data.word, data.count, parameters.r, parameters.s, counts.r, counts.s
        )
        return Expectation(counts, _checked(likelihood))

    def maximise(self, counts: LatentParameters) -> LatentParameters:
        """The M-step; the counts are overwritten."""
        words = normalised_columns(counts.s, self.prior, self.frequency)
        return LatentParameters(normalised_rows(counts.r, self.prior), words)

    def log_prior(self, parameters: LatentParameters) -> float:
        """Logarithm of the density of the priors, up to a constant."""
        words = log_column_prior(parameters.s, self.prior, self.frequency)
        return log_row_prior(parameters.r, self.prior) + words


@dataclass(frozen=True)
class RowModel:
    """EM for r with s fixed.

    Attributes
    ----------
    bigrams : Bigrams
    s : ndarray of float64, shape (n_words, m)
    prior : float
        κ, as in `LatentModel`.
    """

    bigrams: Bigrams
    s: np.ndarray
    prior: float

    def expect(self, parameters: Rows) -> Expectation[Rows]:
        """The E-step; raises `NumericalError` if a bigram of the text has probability zero."""
        counts, data = Rows(np.zeros_like(parameters.r)), self.bigrams
        likelihood = latent_kernels.expect_rows(data.indptr, data.word, data.count, parameters.r, self.s, counts.r)
        return Expectation(counts, _checked(likelihood))

    def maximise(self, counts: Rows) -> Rows:
        """The M-step; the counts are overwritten."""
        return Rows(normalised_rows(counts.r, self.prior))

    def log_prior(self, parameters: Rows) -> float:
        """Logarithm of the density of the prior, up to a constant."""
        return log_row_prior(parameters.r, self.prior)


def _checked(likelihood: float) -> float:
    if not np.isfinite(likelihood):
        raise NumericalError("EM: a bigram of the text has probability zero. Give --prior above 0, or fewer states.")
    return likelihood
