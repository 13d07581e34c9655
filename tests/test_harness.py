"""The harness of structures on a small model written by hand, right and wrong."""

from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass, replace

import numpy as np
import pytest
from harness import (
    CHECKS,
    Derivation,
    Structure,
    check,
    check_best,
    check_k_best,
    check_marginals,
    check_samples,
    check_total,
    expected_counts,
)


@dataclass(frozen=True)
class HiddenMarkov(Structure):
    """A hidden Markov model with a sentence: the states of all words, one by one, and forward-backward.

    Attributes
    ----------
    start : ndarray, shape (m,)
    step : ndarray, shape (m, m)
        p(next state | state).
    emit : ndarray, shape (m, n_words)
    words : tuple of int
    seen_step : ndarray, shape (m, m)
        What the program takes for `step`: the same, unless a test wants to see it fail.
    """

    start: np.ndarray
    step: np.ndarray
    emit: np.ndarray
    words: tuple[int, ...]
    seen_step: np.ndarray

    def derivations(self):
        for states in itertools.product(range(len(self.start)), repeat=len(self.words)):
            value = self.start[states[0]] * np.prod([self.step[pair] for pair in itertools.pairwise(states)])
            value *= np.prod([self.emit[h, x] for h, x in zip(states, self.words, strict=True)])
            places = [("state", i, h) for i, h in enumerate(states)]
            steps = [("step", i, *pair) for i, pair in enumerate(itertools.pairwise(states))]
            yield Derivation((*places, *steps), float(value), states)

    def forward(self):
        alpha = [self.start * self.emit[:, self.words[0]]]
        for x in self.words[1:]:
            alpha.append((alpha[-1] @ self.seen_step) * self.emit[:, x])
        return alpha

    def backward(self):
        beta = [np.ones(len(self.start))]
        for x in reversed(self.words[1:]):
            beta.append(self.seen_step @ (self.emit[:, x] * beta[-1]))
        return beta[::-1]

    def total(self):
        return float(self.forward()[-1].sum())

    def marginals(self):
        alpha, beta = self.forward(), self.backward()
        found = {}
        for i, (a, b) in enumerate(zip(alpha, beta, strict=True)):
            found |= {("state", i, h): a[h] * b[h] for h in range(len(a))}
        for i, x in enumerate(self.words[1:]):
            pairs = alpha[i][:, None] * self.seen_step * self.emit[:, x] * beta[i + 1]
            found |= {("step", i, *pair): value for pair, value in np.ndenumerate(pairs)}
        return found

    def best(self):
        return self.k_best(1)[0][1]

    def k_best(self, k):
        ways = [[(p, (h,))] for h, p in enumerate(self.start * self.emit[:, self.words[0]])]
        for x in self.words[1:]:
            ways = [
                heapq.nlargest(
                    k, [(p * self.seen_step[g, h] * self.emit[h, x], (*s, h)) for g, w in enumerate(ways) for p, s in w]
                )
                for h in range(len(ways))
            ]
        return heapq.nlargest(k, itertools.chain(*ways))

    def samples(self, n, rng):
        alpha = self.forward()
        for _ in range(n):
            states, weight = [], alpha[-1]
            for a in [*reversed(alpha[:-1]), None]:
                states.append(int(rng.choice(len(weight), p=weight / weight.sum())))
                weight = a * self.seen_step[:, states[-1]] if a is not None else None
            yield tuple(reversed(states))


def random_model(seed, words, signed=False):
    rng = np.random.default_rng(seed)
    start, step, emit = (rng.dirichlet(np.ones(size[-1]), size[:-1]) for size in ((3,), (3, 3), (3, 4)))
    step = step * rng.choice([-1, 1], step.shape) if signed else step
    return HiddenMarkov(start, step, emit, words, step)


@pytest.mark.parametrize("words", [(0,), (1, 2), (3, 0, 0), (2, 1, 0, 3)])
@pytest.mark.parametrize("seed", range(3))
def test_a_hidden_markov_model_is_checked_in_all_it_computes(seed, words):
    check(random_model(seed, words))


@pytest.mark.parametrize("seed", range(3))
def test_totals_and_marginals_of_signed_parameters(seed):
    model = random_model(seed, (2, 1, 0, 3), signed=True)
    assert min(derivation.value for derivation in model.derivations()) < 0
    check_total(model)
    check_marginals(model)


@pytest.mark.parametrize("name", CHECKS)
def test_every_check_notices_a_model_that_computes_something_else(name):
    model = random_model(0, (2, 1, 0, 3))
    with pytest.raises(AssertionError):
        CHECKS[name](replace(model, seen_step=model.step[::-1]))


def test_only_what_is_computed_is_checked():
    class Totals(Structure):
        def derivations(self):
            return [Derivation(("a",), 0.5, 0), Derivation(("a", "a", "b"), 0.25, 1)]

        def total(self):
            return 0.75

    class Marginals(Totals):
        def marginals(self):
            return {"a": 1.0, "b": 0.25}

    class Wrong(Totals):
        def marginals(self):
            return {"a": 0.75, "b": 0.25}

    check(Totals())
    check(Marginals())
    with pytest.raises(AssertionError):
        check(Wrong())
    with pytest.raises(AssertionError):
        check(Structure())
    counts, log_likelihood = expected_counts([Totals(), Totals()])
    assert counts == pytest.approx({"a": 2 * 1.0 / 0.75, "b": 2 * 0.25 / 0.75})
    assert log_likelihood == pytest.approx(2 * np.log(0.75))


def test_equal_scores_may_come_in_any_order_but_not_twice():
    class Ties(Structure):
        order = (0, 1)

        def derivations(self):
            return [Derivation((name,), 0.5, name) for name in range(2)]

        def best(self):
            return self.order[0]

        def k_best(self, k):
            return [(0.5, name) for name in self.order][:k]

        def samples(self, n, rng):
            return rng.integers(0, 2, n).tolist()

    class Other(Ties):
        order = (1, 0)

    class Twice(Ties):
        order = (1, 1)

    check(Ties())
    check(Other())
    check_best(Twice())
    check_samples(Twice())
    with pytest.raises(AssertionError):
        check_k_best(Twice(), 2)
