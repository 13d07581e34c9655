"""Compiled learning of the weights of a parser: one pass over a corpus.

Loop indexes: at: places in the order of sentences; m: words; part: parts of trees; k: features.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, INNER, njit
from lpcfg_cli.arrays.sorting_kernels import sort_integers
from lpcfg_cli.dependency.parser.chart_kernels import best_tree
from lpcfg_cli.dependency.parser.feature_kernels import (
    N_SLOTS,
    ArcTemplates,
    arc_features,
    most_features,
    part_scores,
    sibling_features,
)
from lpcfg_cli.dependency.parser.plan_kernels import make_plan


@njit(**ENTRY)
def siblings(heads: np.ndarray) -> np.ndarray:
    """The nearest sibling of each word between its head and itself, or the head if there is none, int32, shape (n,)."""
    n = len(heads)
    found = heads.copy()
    for m in range(1, n + 1):
        h = heads[m - 1]
        step = 1 if h > m else -1
        s = m + step
        while s != h and heads[s - 1] != h:
            s += step
        found[m - 1] = s
    return found


@njit(**ENTRY)
def learn_pass(
    order: np.ndarray,
    start: np.ndarray,
    rows: np.ndarray,
    gold: np.ndarray,
    templates: ArcTemplates,
    is_second: bool,
    has_one_root: bool,
    is_mira: bool,
    cost: float,
    largest_step: float,
    weight: np.ndarray,
    lag: np.ndarray,
) -> tuple[int, int]:
    """Go over sentences; after each, change the weights so that its gold tree has a better score than the best other.

    The best tree is found with the cost of each wrong head added to its score (Taskar et al. 2005).

    Parameters
    ----------
    order : ndarray of int64, shape (n_sentences,)
        Sentences in the order of their turns.
    start : ndarray of int64, shape (n_sentences + 1,)
    rows : ndarray of uint64, shape (start[-1], n_fields)
        Sentence i has the rows ``start[i]:start[i + 1]``.
    gold : ndarray of int32, shape (start[-1],)
        The head of the word of each row.
    templates : ArcTemplates
    is_second, has_one_root : bool
        As for `make_plan`.
    is_mira : bool
        Whether a step is as long as the loss demands, up to `largest_step`, or 1 (perceptron).
    cost : float
        Of a wrong head.
    largest_step : float
    weight : ndarray of float32, shape (2 ** bits,)
        Changed in place.
    lag : ndarray of float64, shape (2 ** bits,)
        Each change is added, times the number of sentences before it: n times the last weights less this is the sum
        of the weights after each of n sentences.

    Returns
    -------
    n_wrong, n_words : int
        Words with a wrong head in the trees found.
    """
    n_wrong, n_words = 0, 0
    for at in range(len(order)):
        first, last = start[order[at]], start[order[at] + 1]
        own, heads = rows[first:last], gold[first + 2 : last - 1]
        n = len(heads)
        scores = part_scores(own, weight, templates, is_second)
        _add_cost(scores, heads, cost, is_second)
        found = best_tree(make_plan(n, is_second, has_one_root), scores, n)
        wrong = 0
        for m in range(n):
            wrong += found[m] != heads[m]
        n_words += n
        n_wrong += wrong
        if not wrong:
            continue
        mask = np.uint64(len(weight) - 1)
        changes = _changes(own, heads, found, templates, is_second, mask)
        square, margin = _square_and_margin(changes, weight)
        step = 1.0
        if is_mira:
            step = min(largest_step, (cost * wrong - margin) / square) if square > 0 else 0.0
        if step <= 0:
            continue
        for change in changes:
            feature = change >> 1
            amount = step if change & 1 else -step
            weight[feature] += amount
            lag[feature] += amount * at
    return n_wrong, n_words


@njit(**INNER)
def _add_cost(scores: np.ndarray, heads: np.ndarray, cost: float, is_second: bool) -> None:
    N = len(heads) + 1
    size = N if is_second else 1
    for h in range(N):
        for m in range(1, N):
            if heads[m - 1] != h:
                first = (h * N + m) * size
                for part in range(first, first + size):
                    scores[part] += cost


@njit(**INNER)
def _changes(
    rows: np.ndarray, gold: np.ndarray, found: np.ndarray, templates: ArcTemplates, is_second: bool, mask: np.uint64
) -> np.ndarray:
    """The features of the parts that are in one of the trees only, twice each plus 1 for the gold tree, sorted."""
    n = len(gold)
    most = most_features(n + 1, templates)
    values = np.zeros(N_SLOTS, np.uint64)
    features = np.empty(most, np.uint64)
    changes = np.empty(2 * n * most, np.int64)
    size = 0
    gold_siblings, found_siblings = siblings(gold), siblings(found)
    for m in range(1, n + 1):
        for is_gold in (1, 0):
            h = gold[m - 1] if is_gold else found[m - 1]
            s = gold_siblings[m - 1] if is_gold else found_siblings[m - 1]
            is_wrong = gold[m - 1] != found[m - 1]
            if not is_wrong and (not is_second or gold_siblings[m - 1] == found_siblings[m - 1]):
                continue
            count = arc_features(rows, h, m, templates, values, mask, features)
            if not is_wrong:
                count = 0  # of a tree's arc that both trees have, only the sibling differs
            for k in range(count):
                changes[size] = 2 * np.int64(features[k]) + is_gold
                size += 1
            if is_second:
                count = sibling_features(rows, h, m, s, templates.sibling, values, mask, features)
                for k in range(count):
                    changes[size] = 2 * np.int64(features[k]) + is_gold
                    size += 1
    sort_integers(changes[:size])
    return changes[:size]


@njit(**INNER)
def _square_and_margin(changes: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """The squared length of the sum of sorted changes, and by how much the gold tree's score is the larger one."""
    square, margin = 0.0, 0.0
    k = 0
    while k < len(changes):
        feature, total = changes[k] >> 1, 0
        while k < len(changes) and changes[k] >> 1 == feature:
            total += 1 if changes[k] & 1 else -1
            k += 1
        square += total * total
        margin += total * weight[feature]
    return square, margin
