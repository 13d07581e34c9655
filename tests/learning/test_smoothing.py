"""Smoothed moments against the formulas of C13 §3.2 written out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpcfg_cli.learning.smoothing import (
    Components,
    plain_binary,
    plain_unary,
    shrinkage,
    smoothed_binary,
    smoothed_unary,
)


def by_the_paper(z, y2, y3, default, c):
    """λE + (1−λ)(λE² + (1−λ)(λE³ + (1−λ)E⁴)), moment by moment."""
    q = len(z)
    lam = np.sqrt(q) / (c + np.sqrt(q))
    e = np.einsum("ti,tj,tk->ijk", z, y2, y3) / q
    e_ij, e_ik, e_jk = z.T @ y2 / q, z.T @ y3 / q, y2.T @ y3 / q
    e_i, e_j, e_k = z.mean(0), y2.mean(0), y3.mean(0)
    e2 = (np.einsum("ij,k->ijk", e_ij, e_k) + np.einsum("ik,j->ijk", e_ik, e_j) + np.einsum("jk,i->ijk", e_jk, e_i)) / 3
    e3 = np.einsum("i,j,k->ijk", e_i, e_j, e_k)
    e4 = np.einsum("i,j,k->ijk", *default)
    return lam * e + (1 - lam) * (lam * e2 + (1 - lam) * (lam * e3 + (1 - lam) * e4))


@given(
    q=st.integers(1, 40),
    shape=st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(1, 5)),
    c=st.floats(0.0, 200.0),
    seed=st.integers(0, 2**20),
)
def test_components_are_exactly_the_papers_estimate(q, shape, c, seed):
    rng = np.random.default_rng(seed)
    z, y2, y3 = (rng.normal(size=(q, m)) for m in shape)
    default = tuple(rng.normal(size=m) for m in shape)
    found = smoothed_binary(z, y2, y3, np.ones(len(z)), default, c)
    assert found.rank == q + 2
    np.testing.assert_allclose(found.dense(), by_the_paper(z, y2, y3, default, c), atol=1e-10)


def test_without_smoothing_the_moment_is_the_mean_of_outer_products():
    rng = np.random.default_rng(0)
    z, y2, y3 = rng.normal(size=(9, 2)), rng.normal(size=(9, 3)), rng.normal(size=(9, 4))
    expected = np.mean([np.einsum("i,j,k", *parts) for parts in zip(z, y2, y3, strict=True)], axis=0)
    np.testing.assert_allclose(plain_binary(z, y2, y3, np.ones(len(z))).dense(), expected, atol=1e-12)


def test_dense_form_is_made_in_blocks_without_loss(monkeypatch):
    rng = np.random.default_rng(1)
    components = Components(rng.normal(size=(50, 2)), rng.normal(size=(50, 3)), rng.normal(size=(50, 4)))
    whole = components.dense()
    monkeypatch.setattr("lpcfg_cli.learning.smoothing.KHATRI_RAO_LIMIT", 40)
    np.testing.assert_allclose(components.dense(), whole, atol=1e-12)


def test_smaller_form_is_chosen_by_counting_numbers():
    def of_rank(rank):
        return Components(np.zeros((rank, 4)), np.zeros((rank, 4)), np.zeros((rank, 4)))

    assert of_rank(5).is_smaller_than_dense  # 5 · 12 < 64
    assert not of_rank(6).is_smaller_than_dense  # 6 · 12 > 64


def test_unary_moment_backs_off_in_two_steps():
    rng = np.random.default_rng(2)
    z, y, default = (
        rng.normal(size=(16, 2)),
        rng.normal(size=(16, 3)),
        (rng.normal(size=2), rng.normal(size=3)),
    )
    lam = 4 / (12 + 4)
    expected = lam * (z.T @ y / 16) + (1 - lam) * (
        lam * np.outer(z.mean(0), y.mean(0)) + (1 - lam) * np.outer(*default)
    )
    np.testing.assert_allclose(smoothed_unary(z, y, np.ones(16), default, 12.0), expected, atol=1e-12)
    np.testing.assert_allclose(plain_unary(z, y, np.ones(16)), z.T @ y / 16, atol=1e-12)


@pytest.mark.parametrize(("count", "c", "expected"), [(25, 25.0, 1 / 6), (1, 0.0, 1.0), (100, 10.0, 0.5)])
def test_shrinkage(count, c, expected):
    assert shrinkage(count, c) == pytest.approx(expected)
