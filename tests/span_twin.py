"""The kernels of span models in plain Python: sums over nested constituents, scores, and steps of learning."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np

WORD = 1 << 64


def slot(key, chain, mask):
    """The place of the weight of a feature and a chain."""
    product = (int(key) ^ (int(chain) * 0xD6E8FEB86659FD93 % WORD)) * 0x9E3779B97F4A7C15 % WORD
    return (product >> 32) & mask


def scores(span, chain, odds, trust, first, key, weight):
    """The score of each constituent."""
    mask = len(weight) - 1
    return [
        trust * odds[c] + sum(float(weight[slot(key[f], chain[c], mask)]) for f in range(first[s], first[s + 1]))
        for c, s in enumerate(span)
    ]


def log_total(n, start, stop, score):
    """Logarithm of the sum of the weights of all trees."""
    own = np.zeros((n, n + 1))
    np.add.at(own, (start, stop), np.exp(score))

    @cache
    def rows(i, j):
        return sum(part(i, k) * row(k, j) for k in range(i + 1, j))

    @cache
    def part(i, j):
        return own[i, j] * rows(i, j) if j > i + 1 else own[i, j] + 1.0

    @cache
    def row(i, j):
        return part(i, j) + rows(i, j)

    return float(np.log(row(0, n)))


def posteriors(n, start, stop, score):
    """The probability of each constituent: the share of the trees that are lost without it."""
    whole, places = log_total(n, start, stop, score), np.arange(len(score))
    others = [places != k for k in places]
    return np.array([1 - np.exp(log_total(n, start[o], stop[o], score[o]) - whole) for o in others])


def nestings(start, stop):
    """All sets of constituents of which no two cross and no two have one span; tuples of their numbers."""
    numbers = range(len(start))

    def fit(a, b):
        is_apart = stop[a] <= start[b] or stop[b] <= start[a]
        holds = (start[a] <= start[b] and stop[b] <= stop[a]) or (start[b] <= start[a] and stop[a] <= stop[b])
        return is_apart or (holds and (start[a], stop[a]) != (start[b], stop[b]))

    for size in range(len(start) + 1):
        for chosen in combinations(numbers, size):
            if all(fit(a, b) for a, b in combinations(chosen, 2)):
                yield chosen


def learn(n, start, stop, chain, odds, is_gold, span, first, key, rate, trust, weight, squares, least=1e-3):
    """The steps after one sentence; changes trust, weight and squares, returns the log-likelihood before."""
    score = np.array(scores(span, chain, odds, trust[0], first, key, weight))
    posterior, mask = posteriors(n, start, stop, score), len(weight) - 1
    for c, error in enumerate(is_gold - posterior):
        if abs(error) < least:
            continue
        trust[1] += (error * odds[c]) ** 2
        trust[0] += rate * error * odds[c] / np.sqrt(trust[1])
        for f in range(first[span[c]], first[span[c] + 1]):
            place = slot(key[f], chain[c], mask)
            squares[place] += np.float32(error * error)
            weight[place] += np.float32(rate * error / np.sqrt(squares[place]))
    return score[is_gold].sum() - log_total(n, start, stop, score)
