"""Models for tests of EM's loop: weights of a mixture with known components, and a model with prescribed values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lpcfg_cli.em.loop import Expectation


@dataclass(frozen=True)
class Weights:
    """Parameters of two arrays, so that tests cover files with several arrays."""

    first: np.ndarray
    second: np.ndarray


@dataclass(frozen=True)
class TwoMixtures:
    """Two mixtures side by side; `components` has a row for each observation.

    Attributes
    ----------
    components : ndarray, shape (n, 5)
        Two columns of the first mixture, three of the second.
    prior : float
        Added to each expected count.
    """

    components: np.ndarray
    prior: float = 0.5

    def expect(self, parameters):
        """Expected counts of the components."""
        shares = self.components * np.concatenate([parameters.first, parameters.second])
        counts, log_likelihood = [], 0.0
        for part in (shares[:, :2], shares[:, 2:]):
            total = part.sum(1)
            counts.append((part / total[:, None]).sum(0))
            log_likelihood += float(np.log(total).sum())
        return Expectation(Weights(*counts), log_likelihood)

    def maximise(self, counts):
        """Relative frequencies."""
        return Weights(*((part + self.prior) / (part + self.prior).sum() for part in (counts.first, counts.second)))

    def log_prior(self, parameters):
        """Log density of the Dirichlet prior that `maximise` uses, up to a constant."""
        return self.prior * float(np.log(np.concatenate([parameters.first, parameters.second])).sum())


def two_mixtures(seed=0, n=40):
    return TwoMixtures(np.random.default_rng(seed).uniform(0.1, 1, (n, 5)))


def even_weights():
    return Weights(np.array([0.9, 0.1]), np.full(3, 1 / 3))


@dataclass
class Script:
    """A model with a prescribed likelihood and prior for each step; its parameters are the number of steps."""

    likelihoods: list[float]
    priors: list[float]

    def expect(self, parameters):
        return Expectation(parameters, self.likelihoods[int(parameters.first[0])])

    def maximise(self, counts):
        return numbered(int(counts.first[0]) + 1)

    def log_prior(self, parameters):
        return self.priors[int(parameters.first[0])]


def numbered(k):
    return Weights(np.array([float(k)]), np.zeros(1))
