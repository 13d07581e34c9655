"""A log-linear model over the candidates of each list, whose best candidates are to be likely.

Charniak and Johnson (2005, §4.2): p(candidate) ∝ exp(w · features) within its list, and the weights minimise
−Σ_s ln p(one of the wanted candidates of s), plus a penalty on their squares.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpcfg_cli.reranking.lists import largest, owners

if TYPE_CHECKING:
    from scipy import sparse

STEPS = 60
"""Largest number of steps of L-BFGS."""

SMALL = 1e-300


@dataclass(frozen=True)
class LogLinearObjective:
    """−Σ_s ln p(one of the wanted candidates of s) + λ/2 · Σ w², p ∝ exp(matrix · w) over the list of s.

    Attributes
    ----------
    first : ndarray of int64, shape (S + 1,)
        Candidates of each list.
    is_wanted : ndarray of bool, shape (C,)
        At least one of each list.
    matrix : csr matrix of float64, (C, d + n_features)
    n_free : int
        d: the weights of so many first columns are not penalised.
    """

    first: np.ndarray
    is_wanted: np.ndarray
    matrix: sparse.csr_matrix
    n_free: int

    def value(self, weights: np.ndarray, strength: float) -> tuple[float, np.ndarray]:
        """The objective and its gradient; O(features of all candidates).

        Parameters
        ----------
        weights : ndarray of float64, shape (d + n_features,)
        strength : float
            λ.
        """
        begin, owner = self.first[:-1], owners(self.first)
        scores = self.matrix @ weights
        shares = np.exp(scores - np.maximum.reduceat(scores, begin)[owner])
        total = np.add.reduceat(shares, begin)
        best = np.maximum(np.add.reduceat(shares * self.is_wanted, begin), SMALL)
        penalised = np.where(np.arange(len(weights)) < self.n_free, 0.0, strength * weights)
        value = float(np.log(total / best).sum() + 0.5 * penalised @ weights)
        change = shares / total[owner] - shares * self.is_wanted / best[owner]
        return value, self.matrix.T @ change + penalised

    def minimum(self, strength: float, start: np.ndarray | None = None) -> np.ndarray:
        """The weights with the smallest objective, float64, shape (d + n_features,).

        Parameters
        ----------
        strength : float
            λ.
        start : ndarray of float64, shape (d,), optional
            Weights of the first columns from which the search begins; those of all other columns begin at 0.
        """
        from scipy.optimize import minimize  # imported here because it is slow to import

        begin = np.zeros(self.matrix.shape[1])
        if start is not None:
            begin[: len(start)] = start
        return minimize(self.value, begin, (strength,), "L-BFGS-B", jac=True, options={"maxiter": STEPS}).x


def best_of_each(first: np.ndarray, worth: np.ndarray) -> np.ndarray:
    """Whether each candidate has the largest worth of its list; bool, shape (C,)."""
    return worth == np.maximum.reduceat(worth, first[:-1])[owners(first)]


@dataclass(frozen=True)
class HeldOut:
    """An objective, and lists that have no part in it.

    Attributes
    ----------
    objective : LogLinearObjective
    first : ndarray of int64, shape (S + 1,)
        Candidates of each held-out list.
    matrix : csr matrix of float64, (C, d + n_features)
        With the columns of the objective's.
    loss : ndarray of float64 or int, shape (C,)
        What is lost if a candidate is chosen.
    """

    objective: LogLinearObjective
    first: np.ndarray
    matrix: sparse.csr_matrix
    loss: np.ndarray


def best_strength(parts: Iterable[HeldOut], strengths: Sequence[float], start: np.ndarray | None = None) -> float:
    """The strength of the penalty with which the chosen candidates of all held-out lists lose least.

    Parameters
    ----------
    parts : iterable of HeldOut
        Taken one by one.
    strengths : sequence of float
        The first is taken among equals.
    start : ndarray of float64, shape (d,), optional
        Weights of the first columns from which searches begin; default 0.
    """
    losses = dict.fromkeys(strengths, 0.0)
    for part in parts:
        for strength in strengths:
            chosen = largest(part.first, part.matrix @ part.objective.minimum(strength, start))
            losses[strength] += float(part.loss[chosen].sum())
    return min(strengths, key=losses.__getitem__)
