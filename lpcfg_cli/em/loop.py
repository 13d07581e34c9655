"""Expectation maximisation over any model: the loop, and the interface of a model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from lpcfg_cli.errors import NumericalError

P = TypeVar("P")
"""A model's parameters: a frozen dataclass of float64 arrays.  Expected counts have the same type and shapes."""

LARGEST_FALL = 1e-6
"""Largest fall of the bound, as a share of its absolute value, that counts as rounding."""


@dataclass(frozen=True)
class Expectation(Generic[P]):
    """The result of one E-step.

    Attributes
    ----------
    counts : P
        Expected counts.
    log_likelihood : float
        Σ log p(observation).
    """

    counts: P
    log_likelihood: float


class Model(Protocol[P]):
    """The interface of a model together with its data."""

    def expect(self, parameters: P) -> Expectation[P]:
        """The E-step; raises `NumericalError` if an observation has probability zero."""

    def maximise(self, counts: P) -> P:
        """The M-step: the parameters that maximise the likelihood of expected counts times the prior."""

    def log_prior(self, parameters: P) -> float:
        """Logarithm of the prior's density, up to a constant; 0 without a prior."""


@dataclass(frozen=True)
class EmStep(Generic[P]):
    """Parameters after some steps.

    Attributes
    ----------
    iteration : int
        0 before the first step.
    log_likelihood : float
        Σ log p(observation) under these parameters.
    bound : float
        The quantity that every step raises: `log_likelihood` plus the logarithm of the prior.
    parameters : P
    """

    iteration: int
    log_likelihood: float
    bound: float
    parameters: P


def steps(model: Model[P], start: EmStep[P] | P) -> Iterator[EmStep[P]]:
    """Yield the parameters before the first step and after each further one, without end.

    Parameters
    ----------
    model : Model
    start : parameters or EmStep
        Initial parameters; or a step, after which the later ones are yielded exactly as without the interruption.

    Raises
    ------
    NumericalError
        An observation has probability zero, or the bound fell, which means that a computation is wrong.
    """
    if isinstance(start, EmStep):
        iteration, parameters, before = start.iteration, start.parameters, start.bound
    else:
        iteration, parameters, before = 0, start, -np.inf
    found = model.expect(parameters)
    if not isinstance(start, EmStep):
        before = found.log_likelihood + model.log_prior(parameters)
        yield EmStep(0, found.log_likelihood, before, parameters)
    while True:
        iteration += 1
        parameters = model.maximise(found.counts)
        del found  # the counts are as large as the model: free them before the next ones are allocated
        found = model.expect(parameters)
        bound = found.log_likelihood + model.log_prior(parameters)
        if bound < before - LARGEST_FALL * abs(before):
            raise NumericalError(
                f"EM: step {iteration} lowered its bound from {before} to {bound}. This is a bug of lpcfg: report it."
            )
        before = bound
        yield EmStep(iteration, found.log_likelihood, bound, parameters)
