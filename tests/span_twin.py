"""Span models in plain Python: sums over nested constituents, memories, vectors of spans, and steps of Adam."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np


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


def logistic(x):
    """1 / (1 + exp(-x))."""
    return 1.0 / (1.0 + np.exp(-x))


def lstm(inputs, recurrent):
    """The results of a memory for one sentence, place by place, from the sums of its inputs."""
    states = len(recurrent)
    hidden, cell, found = np.zeros(states), np.zeros(states), []
    for given in inputs:
        sums = given + hidden @ recurrent
        entering, kept, leaving = (logistic(sums[k * states : (k + 1) * states]) for k in range(3))
        cell = kept * cell + entering * np.tanh(sums[3 * states :])
        hidden = leaving * np.tanh(cell)
        found.append(hidden)
    return np.array(found)


def gate_slopes(slope, gates, cell, earlier):
    """The gradient with respect to the sums of the gates of one place, and to the earlier cells.

    `slope` has two rows: the gradient with respect to the result, and to the cells by way of the next place.
    """
    (entering, kept, leaving, candidate), squashed = np.split(gates, 4), np.tanh(cell)
    of_cell = slope[1] + slope[0] * leaving * (1 - squashed**2)
    of_values = of_cell * candidate, of_cell * earlier, slope[0] * squashed, of_cell * entering
    logistics = [of * value * (1 - value) for of, value in zip(of_values, (entering, kept, leaving), strict=False)]
    return np.concatenate([*logistics, of_values[3] * (1 - candidate**2)]), of_cell * kept


def scores(parameters, columns):
    """The scores of all chains over all spans of one sentence, by the network's definition."""
    edged = [np.concatenate([[0], getattr(columns, name), [0]]) for name in ("word", "tag", "spelling")]
    values = np.concatenate(
        [parameters[name][of] for name, of in zip(("word", "tag", "spelling"), edged, strict=True)], axis=1
    )
    for layer in range(2):
        sides = []
        for name, step in ((f"forward {layer}", 1), (f"backward {layer}", -1)):
            sums = values @ parameters[f"{name} in"] + parameters[f"{name} bias"]
            sides.append(lstm(sums[::step], parameters[f"{name} recurrent"])[::step])
        values = np.concatenate(sides, axis=1)
    gaps = sides[0][:-1] @ parameters["gap forward"] + sides[1][1:] @ parameters["gap backward"]
    n = len(columns.word)
    differences = np.array([gaps[j] - gaps[i] for i in range(n) for j in range(i + 1, n + 1)])
    return vectors(differences, parameters["gain"], parameters["bias"]) @ parameters["out"] + parameters["chain"]


def vectors(differences, gain, bias):
    """Differences standardized, stretched, and cut at 0."""
    centred = differences - differences.mean(axis=1, keepdims=True)
    return np.maximum(centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5) * gain + bias, 0)


def ascend(value, slope, mean, square, rate, step):
    """One step of Adam; returns value, mean and square."""
    mean, square = 0.9 * mean + 0.1 * slope, 0.95 * square + 0.05 * slope**2
    return value + rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.95**step)) + 1e-8), mean, square
