"""Compiled averaged perceptron over lists of candidates (Collins 2002).

Loop indexes: s: sentences; c: candidates; f: positions in the flat array of features.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, INNER, njit


@njit(**INNER)
def _best(low: int, high: int, base: np.ndarray, first: np.ndarray, features: np.ndarray, weights: np.ndarray) -> int:
    """The candidate in low … high − 1 with the largest score; of equal ones the first."""
    best, best_score = low, -np.inf
    for c in range(low, high):
        score = base[c]
        for f in range(first[c], first[c + 1]):
            score += weights[features[f]]
        if score > best_score:
            best, best_score = c, score
    return best


@njit(**ENTRY)
def learn(
    order: np.ndarray,
    lists: np.ndarray,
    base: np.ndarray,
    first: np.ndarray,
    features: np.ndarray,
    wanted: np.ndarray,
    errors: np.ndarray,
    weights: np.ndarray,
) -> None:
    """Run over the sentences in the given order and average the weights of all steps.

    O(features of all candidates of the sentences in ``order``).  The average is kept as Daumé (2006, §2.3.1) does: the
    sum of step number times change.

    Parameters
    ----------
    order : ndarray of int64, shape (n_steps,)
        Sentences, one a step.
    lists : ndarray of int64, shape (n_sentences + 1,)
        Candidates of each sentence.
    base : ndarray of float64, shape (n_candidates,)
        The part of the score that is not learnt.
    first : ndarray of int64, shape (n_candidates + 1,)
    features : ndarray of int64, shape (n_features,)
    wanted : ndarray of int64, shape (n_sentences,)
        The candidate with the fewest errors.
    errors : ndarray of int32, shape (n_candidates,)
    weights : ndarray of float64, shape (n_different_features,)
        Zero at first; overwritten by the average.
    """
    late = np.zeros(len(weights))
    for step in range(len(order)):
        s = order[step]
        found = _best(lists[s], lists[s + 1], base, first, features, weights)
        if errors[found] > errors[wanted[s]]:
            for f in range(first[wanted[s]], first[wanted[s] + 1]):
                weights[features[f]] += 1.0
                late[features[f]] += step
            for f in range(first[found], first[found + 1]):
                weights[features[f]] -= 1.0
                late[features[f]] -= step
    weights -= late / max(len(order), 1)
