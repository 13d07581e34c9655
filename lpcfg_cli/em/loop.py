"""Expectation maximisation over any model: the loop, and what it asks of a model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from lpcfg_cli.errors import NumericalError

P = TypeVar("P")
"""A model's parameters: a frozen dataclass of float64 arrays.  Expected counts have the same type and shapes."""

LARGEST_FALL = 1e-6
"""By what share of its size rounding may lower the bound."""


@dataclass(frozen=True)
class Expectation(Generic[P]):
    """What one E-step finds.

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
    """What EM needs to know of a model and its data."""

    def expect(self, parameters: P) -> Expectation[P]:
        """The E-step; `NumericalError` when an observation has probability zero."""

    def maximise(self, counts: P) -> P:
        """The M-step: the parameters under which expected counts, and the prior's, are most probable."""

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
        What EM raises: `log_likelihood` plus the prior's logarithm.
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
        Where to begin.  From an `EmStep` the later ones are yielded, the same as in one go.

    Raises
    ------
    NumericalError
        An observation has probability zero, or the bound fell: then a number is wrong somewhere.
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
        del found  # counts are as large as the model: let go before others are made
        found = model.expect(parameters)
        bound = found.log_likelihood + model.log_prior(parameters)
        if bound < before - LARGEST_FALL * abs(before):
            raise NumericalError(f"EM: step {iteration} lowered its bound from {before} to {bound}. Report this.")
        before = bound
        yield EmStep(iteration, found.log_likelihood, bound, parameters)
