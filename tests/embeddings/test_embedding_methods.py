"""Embeddings against dense algebra, and what must not change them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from dense_cca import cca, window_rows
from hypothesis import given
from hypothesis import strategies as st
from text_blocks import blocks, random_text

from lpcfg_cli.config import EmbedSettings
from lpcfg_cli.embeddings.contexts import geometric_weights, window_weights
from lpcfg_cli.embeddings.lr_mvl import correlated_sides
from lpcfg_cli.embeddings.method import EmbedData
from lpcfg_cli.embeddings.methods import EMBEDDING_METHODS
from lpcfg_cli.embeddings.one_step import context_counts
from lpcfg_cli.embeddings.pairs import Pairs, pair_counts, rows_of
from lpcfg_cli.embeddings.ppmi import ppmi
from lpcfg_cli.embeddings.scaling import truncated_svd, whitened
from lpcfg_cli.embeddings.side_states import count_sides, moments, words_with_states
from lpcfg_cli.embeddings.training import learn_embeddings
from lpcfg_cli.errors import InputError
from lpcfg_cli.execution.workers import local_workers
from lpcfg_cli.text.numbers import number_text

PLAIN = EmbedSettings(root="none", context_power=1.0, window=2, weights="flat", rare_below=1, context_words=0)
TEXT = random_text(5, 150, 12)


def rows(text=TEXT, lines_each=10**9, unknown=False, across_lines=True, rare_below=1):
    return rows_of(number_text(blocks(text, lines_each), rare_below), unknown, across_lines)


def whole(text):
    """The rows of a text in one array."""
    return np.concatenate(text.parts)


@given(
    st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=4).map(" ".join), min_size=1, max_size=8),
    st.booleans(),
    st.integers(1, 40),
    st.integers(1, 4),
)
def test_pairs_are_those_of_a_loop(lines, across_lines, h, lines_each):
    text = rows("\n".join(lines), lines_each, across_lines=across_lines, rare_below=2)
    weights = tuple(1 / (d + 1) for d in range(h))
    n = len(text.words)
    expected = np.zeros((2, n, n))
    numbers = whole(text)
    for t, word in enumerate(numbers):
        for distance in range(1, min(h, t) + 1):
            context = numbers[t - distance]
            if word >= 0 and context >= 0 and -2 not in numbers[t - distance : t]:
                expected[0, word, context] += weights[distance - 1]
                expected[1, context, word] += weights[distance - 1]
    found = pair_counts(text.parts, Pairs(weights, n, n))
    np.testing.assert_allclose([side.toarray() for side in found], expected)
    fewer = pair_counts(text.parts, Pairs(weights, n, n // 2))
    np.testing.assert_allclose([side.toarray() for side in fewer], expected[:, :, : n // 2])


def test_one_step_with_one_context_word_is_the_cca_of_a_word_and_the_next():
    text = rows()
    words, left, _ = window_rows(whole(text), [1.0], len(text.words))
    both = (words.sum(1) > 0) & (left.sum(1) > 0)
    u, s, _ = cca(words[both], left[both])
    counts = pair_counts(text.parts, Pairs((1.0,), len(text.words), len(text.words), False))[0]
    found, correlations, _ = truncated_svd(whitened(counts, PLAIN), 5, 0, np.random.default_rng(0))
    np.testing.assert_allclose(correlations, s[:5], atol=1e-9)
    assert correlations[0] == pytest.approx(1)
    np.testing.assert_allclose(np.abs((found * u[:, :5]).sum(0)), 1, atol=1e-6)


def test_whitened_roots_are_those_of_stratos_et_al():
    text = rows()
    counts = context_counts(EmbedData(text), PLAIN).toarray()
    settings = dataclasses.replace(PLAIN, root="sqrt", context_power=0.75, kappa=3.0)
    row, column = counts.sum(1, keepdims=True), counts.sum(0, keepdims=True) ** 0.75
    expected = np.sqrt(counts) / np.sqrt((np.sqrt(row) + 3) * (np.sqrt(column) + 3))
    found = whitened(context_counts(EmbedData(text), settings), settings).toarray()
    used = counts.sum(0) > 0
    np.testing.assert_allclose(found[:, used], expected[:, used])


def test_contexts_by_position_have_a_block_of_features_for_each():
    text = rows()
    n = len(text.words)
    settings = dataclasses.replace(PLAIN, contexts="positions", weights="linear")
    found = context_counts(EmbedData(text), settings).toarray()
    numbers = whole(text)
    words, left, right = window_rows(numbers, [1.0], n)
    _, far_left, far_right = window_rows(numbers, [0.0, 1.0], n)
    expected = [words.T @ left, words.T @ right]
    np.testing.assert_allclose(found[:, : 2 * n], np.hstack(expected))
    padded = window_rows(numbers, [0.0, 1.0], n)[0]
    np.testing.assert_allclose(found[:, 2 * n :], np.hstack([padded.T @ far_left, padded.T @ far_right]) / 2)


@pytest.mark.parametrize("weights", [(1.0,), (1.0, 0.5), (0.7, 0.2, 0.1)])
@pytest.mark.parametrize("across_lines", [True, False])
def test_moments_of_states_are_those_of_explicit_states(weights, across_lines):
    text = rows("a b a c\nb d c a a d\nd b c", across_lines=across_lines)
    n = len(text.words)
    numbers = whole(text)
    parts = [numbers] if across_lines else np.split(numbers, np.flatnonzero(numbers == -2))
    explicit = [window_rows(part[part >= 0], weights, n) for part in parts]
    words, left, right = (np.concatenate(views) for views in zip(*explicit, strict=True))
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((2, n, 3))
    states = np.hstack([left @ a, right @ b])
    found = moments(count_sides(EmbedData(text), np.array(weights), n), a, b)
    np.testing.assert_allclose(found.cross, words.T @ states, atol=1e-12)
    np.testing.assert_allclose(found.covariance, states.T @ states, atol=1e-12)


def test_words_and_states_are_correlated_as_by_dense_cca():
    text = rows()
    n = len(text.words)
    words, left, right = window_rows(whole(text), [1.0, 1.0], n)
    a, b = np.random.default_rng(2).standard_normal((2, n, 4))
    states = np.hstack([left @ a, right @ b])
    u, s, _ = cca(words, states)
    found = moments(count_sides(EmbedData(text), np.ones(2), n), a, b)
    own, correlations = words_with_states(found, text.count, 6, PLAIN, np.random.default_rng(0))
    np.testing.assert_allclose(correlations, s[:6], atol=1e-8)
    np.testing.assert_allclose(np.abs((own * u[:, :6]).sum(0)), 1, atol=1e-6)


def test_states_of_the_sides_are_uncorrelated_after_cca_but_for_pairs():
    text = rows()
    n = len(text.words)
    vectors = np.random.default_rng(3).standard_normal((n, 4))
    counts = count_sides(EmbedData(text), geometric_weights(0.5), n)
    found = correlated_sides(moments(counts, vectors, vectors), 4, np.random.default_rng(0))
    np.testing.assert_allclose(found.covariance[:4, :4], np.eye(4), atol=1e-8)
    np.testing.assert_allclose(found.covariance[4:, 4:], np.eye(4), atol=1e-8)
    between = found.covariance[:4, 4:]
    np.testing.assert_allclose(between, np.diag(np.diag(between)), atol=1e-8)
    assert (np.diff(np.diag(between)) <= 1e-9).all()


def test_lr_mvl_raises_the_correlations_from_round_to_round():
    text = rows(random_text(6, 400, 15))
    sums = [
        learn_embeddings(text, EmbedSettings(method="lr-mvl", dimensions=3, rounds=rounds), 0).correlations.sum()
        for rounds in (1, 2, 6)
    ]
    assert sums[0] < sums[1] <= sums[2] + 1e-9


def test_ppmi_is_that_of_the_definition():
    counts = np.array([[4.0, 0, 1], [0, 3, 0], [1, 1, 0]])
    from scipy import sparse

    p = counts / counts.sum()
    raised = counts.sum(0) ** 0.75
    with np.errstate(divide="ignore"):
        expected = np.maximum(np.log(p / (p.sum(1)[:, None] * (raised / raised.sum()))), 0)
    np.testing.assert_allclose(ppmi(sparse.csr_array(counts), 0.75).toarray(), expected)


def test_weights_fall_with_the_distance_as_set():
    weights = {
        kind: window_weights(EmbedSettings(window=4, weights=kind)).tolist() for kind in ("flat", "linear", "harmonic")
    }
    assert weights == {"flat": [1] * 4, "linear": [1, 0.75, 0.5, 0.25], "harmonic": [1, 1 / 2, 1 / 3, 1 / 4]}
    assert geometric_weights(0.5)[:3].tolist() == [0.5, 0.25, 0.125]


@pytest.mark.parametrize("method", EMBEDDING_METHODS)
def test_vectors_have_length_one_and_do_not_depend_on_workers_or_blocks(method):
    settings = EmbedSettings(method=method, dimensions=4, window=3, rounds=2)
    found = learn_embeddings(rows(), settings, 3)
    assert found.vectors.shape == (len(found.words), 4)
    np.testing.assert_allclose(np.linalg.norm(found.vectors, axis=1), 1, atol=1e-6)
    assert (np.diff(found.correlations) <= 1e-12).all() and 0 <= found.correlations.min() <= found.correlations[0] <= 1
    with local_workers(2) as mapper:
        same = learn_embeddings(rows(lines_each=20), settings, 3, mapper)
        alone = learn_embeddings(rows(lines_each=20), settings, 3)
    assert same.words == found.words
    assert same.vectors.tobytes() == alone.vectors.tobytes()
    np.testing.assert_allclose(same.vectors, found.vectors, atol=1e-4)


def test_words_of_like_contexts_are_neighbours():
    """In the text, each class of words has its own contexts: the neighbours of a word are those of its class."""
    rng = np.random.default_rng(7)
    lines = []
    for _ in range(600):
        noun, verb = rng.integers(6, size=2)
        lines.append(f"the n{noun} will v{verb} it .")
    settings = EmbedSettings(dimensions=4, window=2, rare_below=1)
    for method in EMBEDDING_METHODS:
        found = learn_embeddings(rows("\n".join(lines)), dataclasses.replace(settings, method=method), 0)
        for kind in "nv":
            assert {word[0] for word, _ in found.nearest(f"{kind}0", 5)} == {kind}, method


def test_a_randomised_svd_is_near_the_dense_one_and_its_signs_are_fixed():
    from scipy import sparse

    rng = np.random.default_rng(8)
    matrix = sparse.random_array((500, 400), density=0.05, rng=rng, format="csr")
    matrix = (sparse.diags_array(0.9 ** np.arange(500)) @ matrix).tocsr()
    u, s, vt = truncated_svd(matrix, 5, 8, np.random.default_rng(0))
    exact = np.linalg.svd(matrix.toarray(), compute_uv=False)
    np.testing.assert_allclose(s, exact[:5], rtol=1e-3)
    np.testing.assert_allclose((matrix @ vt.T), u * s, atol=0.05 * s[0])
    assert (u[np.abs(u).argmax(0), range(5)] > 0).all()
    assert u.tobytes() == truncated_svd(matrix, 5, 8, np.random.default_rng(0))[0].tobytes()


@pytest.mark.parametrize("method", EMBEDDING_METHODS)
def test_two_words_have_one_dimension_or_none(method):
    settings = EmbedSettings(method=method, dimensions=2, window=2, rare_below=1)
    try:
        assert learn_embeddings(rows("a b\n"), settings, 1).vectors.shape == (2, 2 if method == "ppmi-svd" else 1)
    except InputError as error:
        assert "same contexts" in str(error)


def test_a_text_whose_words_have_the_same_contexts_has_no_dimensions():
    with pytest.raises(InputError, match="same contexts"):
        learn_embeddings(rows("a b\n" * 5, across_lines=False), dataclasses.replace(PLAIN, context_words=1), 0)
