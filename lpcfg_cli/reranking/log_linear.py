"""A log-linear model over the candidates of each list, whose best candidates are to be likely.

p(candidate) ∝ exp(w · features) within its list.  The weights minimise −Σ_s ln p(one of the wanted candidates of s)
(Charniak and Johnson 2005, §4.2), or the cross-entropy of p to shares that candidates are to have; either plus a
penalty on the squares of the weights.
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
    """The loss of weights over some lists, plus λ/2 · Σ w².

    Attributes
    ----------
    first : ndarray of int64, shape (S + 1,)
        Candidates of each list; at least one.
    wanted : ndarray of bool or float64, shape (C,)
        Which candidates are wanted, at least one of each list: their probabilities are summed, and how they share the
        sum does not matter.  Or the share that each candidate is to have, with the sum 1 in each list.
    matrix : csr matrix of float64, (C, d + n_features)
    n_free : int
        d: the weights of so many first columns are not penalised.
    """

    first: np.ndarray
    wanted: np.ndarray
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
        scores -= np.maximum.reduceat(scores, begin)[owner]
        exps = np.exp(scores)
        total = np.add.reduceat(exps, begin)
        if self.wanted.dtype == bool:
            best = np.maximum(np.add.reduceat(exps * self.wanted, begin), SMALL)
            loss, shares = np.log(total / best).sum(), exps * self.wanted / best[owner]
        else:
            loss, shares = (self.wanted * (np.log(total)[owner] - scores)).sum(), self.wanted
        penalised = np.where(np.arange(len(weights)) < self.n_free, 0.0, strength * weights)
        value = float(loss + 0.5 * penalised @ weights)
        return value, self.matrix.T @ (exps / total[owner] - shares) + penalised

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


def shares_by(first: np.ndarray, worth: np.ndarray) -> np.ndarray:
    """Shares ∝ exp(worth) of the candidates of each list, with the sum 1; float64, shape (C,)."""
    begin, owner = first[:-1], owners(first)
    exps = np.exp(worth - np.maximum.reduceat(worth, begin)[owner])
    return exps / np.add.reduceat(exps, begin)[owner]


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
