"""Truncated SVDs of Ω, compared by reconstruction."""

from __future__ import annotations

import numpy as np
import pytest
from memory import little_memory
from scipy import linalg, sparse
from scipy.sparse.linalg import ArpackNoConvergence

from lpcfg_cli.config import SvdSettings
from lpcfg_cli.spectral.archive import projection_arrays, projections_from_arrays
from lpcfg_cli.spectral.projection import Projection, dense_svd, perturbed, project


def random_features(rng, n_rows, n_columns, per_row=3):
    rows = np.repeat(np.arange(n_rows), per_row)
    columns = rng.integers(0, n_columns, n_rows * per_row)
    values = rng.uniform(0.5, 2.0, n_rows * per_row)
    return sparse.csr_array((values, (rows, columns)), shape=(n_rows, n_columns))


def best_approximation(omega, rank):
    u, s, vt = np.linalg.svd(omega, full_matrices=False)
    return (u[:, :rank] * s[:rank]) @ vt[:rank]


@pytest.mark.parametrize("dense_limit", [1, 1000])
def test_is_the_best_approximation_of_its_rank(dense_limit):
    rng = np.random.default_rng(0)
    phi, psi = random_features(rng, 400, 60), random_features(rng, 400, 90)
    found = project(phi, psi, SvdSettings(states=7, tolerance=0.0, dense_limit=dense_limit), rng)
    omega = (phi.T @ psi).toarray() / 400
    rebuilt = (found.inside * found.singular_values) @ found.outside.T
    np.testing.assert_allclose(rebuilt, best_approximation(omega, 7), atol=1e-10)
    assert found.n_states == 7


@pytest.mark.parametrize("dense_limit", [1, 1000])
def test_projections_whiten_omega(dense_limit):
    """Uᵀ Ω V Σ⁻¹ is the identity: Y and Z are in matching coordinates (C14 §7)."""
    rng = np.random.default_rng(1)
    phi, psi = random_features(rng, 300, 40), random_features(rng, 300, 50)
    found = project(phi, psi, SvdSettings(states=5, dense_limit=dense_limit), rng)
    y = phi @ found.inside
    z = psi @ found.outside / found.singular_values
    np.testing.assert_allclose(y.T @ z / 300, np.eye(5), atol=1e-9)


def test_rank_is_numerical_rank_when_that_is_less_than_m():
    rng = np.random.default_rng(2)
    phi = random_features(rng, 50, 3)
    psi = sparse.csr_array(phi.toarray() @ np.outer([1.0, 2.0, 0.5], np.ones(30)) + 0.0)
    found = project(phi, psi, SvdSettings(states=8), rng)
    assert found.n_states == 1
    omega = (phi.T @ psi).toarray() / 50
    np.testing.assert_allclose((found.inside * found.singular_values) @ found.outside.T, omega, atol=1e-9)
    assert len(found.discarded) == 2


@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 5, 7), (2, 1, 1), (3, 40, 2), (500, 1, 300)])
@pytest.mark.parametrize("dense_limit", [1, 200])
def test_tiny_matrices_get_as_many_states_as_they_can_carry(shape, dense_limit):
    n_rows, d, d_prime = shape
    rng = np.random.default_rng(3)
    phi, psi = random_features(rng, n_rows, d, 1), random_features(rng, n_rows, d_prime, 1)
    found = project(phi, psi, SvdSettings(states=500, dense_limit=dense_limit), rng)
    omega = (phi.T @ psi).toarray() / n_rows
    assert found.n_states == np.linalg.matrix_rank(omega, tol=0.01 * np.linalg.norm(omega, 2))
    np.testing.assert_allclose(
        (found.inside * found.singular_values) @ found.outside.T,
        best_approximation(omega, found.n_states),
        atol=1e-9,
    )


@pytest.mark.parametrize(("d", "d_prime"), [(4, 6), (0, 3), (3, 0)])
def test_a_matrix_of_zeros_or_of_nothing_keeps_one_state_and_projects_to_zero(d, d_prime):
    phi, psi = sparse.csr_array((10, d), dtype=float), sparse.csr_array((10, d_prime), dtype=float)
    found = project(phi, psi, SvdSettings(states=3), np.random.default_rng(0))
    np.testing.assert_array_equal(found.inside, np.zeros((d, 1)))
    np.testing.assert_array_equal(found.outside, np.zeros((d_prime, 1)))
    assert found.singular_values.tolist() == [1.0]


def test_projections_are_read_as_they_were_written():
    rng = np.random.default_rng(0)
    shapes = [(3, 4, 2, 1), (1, 1, 1, 0), (5, 2, 2, 3)]
    written = [
        Projection(rng.normal(size=(d, m)), rng.normal(size=(other, m)), rng.random(m), rng.random(n_discarded))
        for d, other, m, n_discarded in shapes
    ]
    arrays = {name: array.values for name, array in projection_arrays(written).items()}
    for one, again in zip(written, projections_from_arrays(arrays), strict=True):
        for part in ("inside", "outside", "singular_values", "discarded"):
            np.testing.assert_array_equal(getattr(again, part), getattr(one, part))


@pytest.mark.parametrize("dense_limit", [1, 1000])
def test_same_stream_gives_same_bytes_and_other_streams_the_same_up_to_rounding(dense_limit):
    rng = np.random.default_rng(4)
    phi, psi = random_features(rng, 400, 60), random_features(rng, 400, 70)
    settings = SvdSettings(states=6, dense_limit=dense_limit)
    first, second, other = (project(phi, psi, settings, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first.inside.tobytes() == second.inside.tobytes()
    np.testing.assert_allclose(first.inside, other.inside, atol=1e-8)


def test_sure_algorithm_takes_over_when_the_fast_one_fails(monkeypatch):
    real = linalg.svd
    used = []

    def failing(matrix, lapack_driver, **options):
        used.append(lapack_driver)
        if lapack_driver == "gesdd":
            raise np.linalg.LinAlgError("SVD did not converge")
        return real(matrix, lapack_driver=lapack_driver, **options)

    monkeypatch.setattr(linalg, "svd", failing)
    matrix = np.random.default_rng(0).normal(size=(6, 4))
    u, s, vt = dense_svd(matrix)
    assert used == ["gesdd", "gesvd"]
    np.testing.assert_allclose((u * s) @ vt, matrix, atol=1e-12)


@pytest.fixture
def without_lanczos(monkeypatch):
    def fail(matrix, *_, **__):
        raise ArpackNoConvergence("no convergence", np.zeros(0), np.zeros((0, 0)))

    monkeypatch.setattr("scipy.sparse.linalg.svds", fail)


def decaying(n_examples, sides, seed):
    """Sparse features whose Ω has that rank and singular values that fall by a fifth, about, each."""
    rng = np.random.default_rng(seed)
    weight = sparse.diags_array(0.8 ** np.arange(n_examples))
    return tuple(sparse.csr_array(weight @ random_features(rng, n_examples, side, 25)) for side in sides)


def factored_svd(phi, psi):
    """The SVD of ΦᵀΨ / M from its factors, without that matrix."""
    (q, r), (q2, r2) = (np.linalg.qr(side.toarray().T) for side in (phi, psi))
    u, s, vt = np.linalg.svd(r @ r2.T / phi.shape[0])
    return q @ u, s, vt @ q2.T


def test_where_lanczos_iteration_fails_a_large_matrix_is_not_made_dense(without_lanczos, monkeypatch):
    phi, psi = decaying(60, (20_000, 20_000), 5)
    u, s, vt = factored_svd(phi, psi)
    monkeypatch.setattr(sparse.csr_array, "toarray", None)
    settings = SvdSettings(states=12, tolerance=0.0)
    with little_memory(60e6):  # dense, it would be 3,200 million bytes
        found, again = (project(phi, psi, settings, np.random.default_rng(3)) for _ in range(2))
    assert found.inside.tobytes() == again.inside.tobytes()
    np.testing.assert_allclose(found.singular_values, s[:12], rtol=1e-9)
    probe = np.random.default_rng(6).normal(size=(20_000, 4))
    rebuilt = found.inside @ (found.singular_values[:, None] * (found.outside.T @ probe))
    np.testing.assert_allclose(rebuilt, u[:, :12] @ (s[:12, None] * (vt[:12] @ probe)), atol=1e-9 * s[0])


def test_where_lanczos_iteration_fails_a_small_matrix_is_made_dense(without_lanczos):
    phi, psi = decaying(60, (300, 400), 5)
    _, s, _ = factored_svd(phi, psi)
    found = project(phi, psi, SvdSettings(states=12, tolerance=0.0, dense_limit=1), np.random.default_rng(3))
    np.testing.assert_allclose(found.singular_values, s[:12], rtol=1e-12)


def perturbable(seed=0):
    rng = np.random.default_rng(seed)
    return tuple(sparse.csr_array((rng.random((400, 50)) < 0.3) * rng.uniform(1, 3, 50)) for _ in range(2))


def test_dropout_leaves_out_a_share_and_raises_the_rest():
    pair = perturbable()
    for before, after in zip(pair, perturbed(pair, SvdSettings(dropout=0.4), 7, 3), strict=True):
        left_out = np.mean(after.data == 0)
        assert left_out == pytest.approx(0.4, abs=4 * np.sqrt(0.24 / before.nnz))
        kept = after.data != 0
        assert np.allclose(after.data[kept], before.data[kept] / 0.6)
        assert after.sum() == pytest.approx(before.sum(), rel=0.05)


def test_noise_multiplies_by_factors_around_one():
    pair = perturbable()
    for before, after in zip(pair, perturbed(pair, SvdSettings(noise=0.5), 7, 3), strict=True):
        factor = after.data / before.data
        assert factor.mean() == pytest.approx(1, abs=4 * 0.5 / np.sqrt(before.nnz))
        assert factor.std() == pytest.approx(0.5, rel=0.05)


def test_perturbation_depends_on_seed_and_symbol_and_on_nothing_else():
    pair, settings = perturbable(), SvdSettings(dropout=0.3, noise=0.2)
    draws = [perturbed(pair, settings, seed, symbol) for seed, symbol in ((1, 2), (1, 2), (2, 2), (1, 3))]
    same, *others = [[np.array_equal(a.data, b.data) for a, b in zip(draws[0], d, strict=True)] for d in draws[1:]]
    assert all(same)
    assert not any(others[0] + others[1])
    inside, outside = draws[0]
    assert not np.array_equal(inside.data == 0, outside.data[: inside.nnz] == 0)


def test_nothing_is_perturbed_unless_asked():
    pair = perturbable()
    assert perturbed(pair, SvdSettings(), 1, 2) is pair
