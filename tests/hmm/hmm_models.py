"""Known hidden Markov models, their exact moments, and probabilities by summing over all paths of hidden states."""

from __future__ import annotations

from itertools import product

import numpy as np

from lpcfg_cli.hmm.hidden_markov import HiddenMarkov, HmmParameters
from lpcfg_cli.text.counts import NgramCounts
from lpcfg_cli.text.vocabulary import END, MARKS, START, UNKNOWN, Vocabulary

WORDS = len(MARKS)
"""Number of the first symbol that is no mark."""


def random_hmm(seed, m, symbols, concentration=0.7):
    """A model whose states emit all symbols, and the end with a probability of about a quarter."""
    rng = np.random.default_rng(seed)
    vocabulary = Vocabulary((*MARKS, *(f"w{k}" for k in range(symbols))))
    emission = np.zeros((len(vocabulary), m))
    emission[WORDS:] = rng.dirichlet([concentration] * symbols, m).T
    stop = rng.uniform(0.1, 0.4, m)
    emission *= 1 - stop
    emission[END] = stop
    parameters = HmmParameters(rng.dirichlet([1.0] * m)[None], rng.dirichlet([concentration] * m, m), emission)
    return HiddenMarkov(vocabulary, emission.mean(1), parameters)


def path_sum(model, symbols):
    """p(x₁ … x_n, end) as the sum over all paths of n + 1 hidden states."""
    own, total = model.parameters, 0.0
    for path in product(range(model.n_states), repeat=len(symbols)):
        p = own.initial[0, path[0]]
        for t, (h, x) in enumerate(zip(path, symbols, strict=True)):
            p *= own.emission[x, h] * (own.transition[path[t - 1], h] if t else 1.0)
        total += p
    return total


def all_sequences(model, longest):
    """All sequences of at most so many symbols, the empty one too, each with its end."""
    known = [k for k in range(len(model.vocabulary)) if k not in (UNKNOWN, START, END)]
    return [[*xs, END] for n in range(longest + 1) for xs in product(known, repeat=n)]


def exact_counts(model):
    """Expected numbers of all trigrams in a sequence, which begin with two marks for the start."""
    own = model.parameters
    initial, t, o = own.initial[0], own.transition, own.emission.copy()
    goes_on = o.copy()
    goes_on[END] = 0
    visits = np.linalg.solve(np.eye(len(t)) - (goes_on.sum(0)[:, None] * t).T, initial)
    rows, counts = [], []

    def add(row, count):
        if count > 0:
            rows.append(row)
            counts.append(count)

    symbols = range(len(o))
    for c in symbols:
        add((START, START, c), o[c] @ initial)
        for b in symbols:
            add((START, b, c), o[c] @ t.T @ (goes_on[b] * initial))
            for a in symbols:
                add((a, b, c), o[c] @ t.T @ (goes_on[b] * (t.T @ (goes_on[a] * visits))))
    order = np.lexsort(np.array(rows).T[::-1])
    return NgramCounts(model.vocabulary, np.array(rows, np.int32)[order], np.array(counts)[order], 1, 0)
