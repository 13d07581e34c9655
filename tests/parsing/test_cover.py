"""Pieces for a sentence outside the grammar, against all ways to cut it up."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpcfg_cli.parsing.cover import best_cover

N_SYMBOLS = 3


def random_inside(rng, n, share):
    """Inside values of random items: those of single words, and of a share of wider ones."""
    shape = (n, N_SYMBOLS, n + 1)
    values = rng.uniform(0.01, 1, shape) * (rng.random(shape) < share)
    for i in range(n):
        values[i, rng.integers(1, N_SYMBOLS), i + 1] = rng.uniform(0.01, 1)
        values[i, :, : i + 1] = 0
    return SimpleNamespace(by_start=values, exponent=rng.integers(-6, 7, (n, n + 1)))


def all_covers(inside, is_allowed, n):
    """Every cover, as the number of its pieces, its logarithm, and its spans and symbols."""
    for size in range(n):
        for cuts in itertools.combinations(range(1, n), size):
            spans = list(itertools.pairwise((0, *cuts, n)))
            choices = [
                [(i, j, a) for a in range(N_SYMBOLS) if is_allowed[a] and inside.by_start[i, a, j] > 0]
                for i, j in spans
            ]
            for pieces in itertools.product(*choices):
                yield len(pieces), log_inside(inside, pieces), list(pieces)


def log_inside(inside, pieces):
    return sum(np.log(inside.by_start[i, a, j] * 2.0 ** inside.exponent[i, j]) for i, j, a in pieces)


@given(st.integers(0, 10**6), st.integers(1, 6), st.sampled_from([0.1, 0.3, 0.6]))
def test_has_the_fewest_pieces_and_the_most_probable_among_equally_few(seed, n, share):
    rng = np.random.default_rng(seed)
    inside, is_allowed = random_inside(rng, n, share), np.array([False, True, True])
    covers = list(all_covers(inside, is_allowed, n))
    fewest = min(size for size, _, _ in covers)
    best = max((cover for cover in covers if cover[0] == fewest), key=lambda cover: cover[1])
    found = best_cover(inside, is_allowed, n)
    assert (len(found), log_inside(inside, found)) == (fewest, pytest.approx(best[1]))
    assert found == best[2]


def test_a_better_first_piece_does_not_make_up_for_a_worse_second():
    values = np.zeros((3, N_SYMBOLS, 4))
    for i, j, value in ((0, 1, 0.5), (0, 2, 0.25), (1, 3, 0.5), (2, 3, 0.5), (1, 2, 1.0)):
        values[i, 1, j] = value
    inside = SimpleNamespace(by_start=values, exponent=np.zeros((3, 4), int))
    assert best_cover(inside, np.ones(N_SYMBOLS, bool), 3) == [(0, 1, 1), (1, 3, 1)]
