"""Similarities, neighbours and analogies against slow computations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from lpcfg_cli.embeddings.vectors import Embeddings, unit_rows
from lpcfg_cli.embeddings.word_pairs import Analogies, read_pairs, score_analogies, score_pairs, spearman
from lpcfg_cli.errors import InputError, SyntaxProblem

RNG = np.random.default_rng(1)
FOUND = Embeddings(tuple(f"w{k}" for k in range(30)), RNG.standard_normal((30, 5)).astype(np.float32))

NUMBERS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=20)


@given(NUMBERS)
def test_spearman_is_that_of_scipy(pairs):
    x, y = np.array(pairs, float).T
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert np.isnan(spearman(x, y))
    else:
        assert spearman(x, y) == pytest.approx(spearmanr(x, y).statistic)


def test_pairs_with_unknown_words_are_counted_and_left_out(tmp_path):
    lines = ["# comment", "w1 w2 3.5", "W3\tw4\t1", "", "w5 w6 2", "w7 nowhere 9", "w8 w9 0.5", "w1 w9 2.5"]
    (tmp_path / "set.txt").write_text("\n".join(lines), "utf-8")
    judged = read_pairs(tmp_path / "set.txt")
    found = score_pairs(FOUND, judged)
    assert (found.name, found.found, found.missed, found.missed_words) == ("set", 5, 1, ["nowhere"])
    x = [
        float(FOUND.vectors[a] @ FOUND.vectors[b] / np.linalg.norm(FOUND.vectors[a]) / np.linalg.norm(FOUND.vectors[b]))
        for a, b in ((1, 2), (3, 4), (5, 6), (8, 9), (1, 9))
    ]
    assert found.rho == pytest.approx(spearmanr(x, [3.5, 1, 2, 0.5, 2.5]).statistic)


def test_the_halves_of_a_set_are_disjoint_and_all(tmp_path):
    (tmp_path / "set.txt").write_text("".join(f"a{k} b{k} {k}\n" for k in range(7)), "utf-8")
    judged = read_pairs(tmp_path / "set.txt")
    first, second = judged.half("first"), judged.half("second")
    assert (len(first.pairs), len(second.pairs)) == (4, 3)
    assert sorted(first.pairs + second.pairs) == judged.pairs == judged.half("all").pairs
    assert first.judgement.tolist() == [0, 2, 4, 6]


@pytest.mark.parametrize(("text", "match"), [("a b\n", "set.txt:1:1"), ("a b x\n", "two words and a number")])
def test_lines_that_are_no_pairs_are_refused(tmp_path, text, match):
    (tmp_path / "set.txt").write_text(text, "utf-8")
    with pytest.raises(SyntaxProblem, match=match):
        read_pairs(tmp_path / "set.txt")


def test_empty_sets_are_refused(tmp_path):
    (tmp_path / "set.txt").write_text("\n# nothing\n", "utf-8")
    with pytest.raises(InputError, match="no pairs"):
        read_pairs(tmp_path / "set.txt")
    (tmp_path / "empty.txt").write_text("", "utf-8")
    with pytest.raises(InputError, match="no analogies"):
        score_analogies(FOUND, tmp_path / "empty.txt")


def test_neighbours_are_those_of_a_loop():
    cosine = {
        other: float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
        for other, b in zip(FOUND.words, FOUND.vectors, strict=True)
        for a in (FOUND.vectors[4],)
        if other != "w4"
    }
    found = FOUND.nearest("W4", 6)
    assert [word for word, _ in found] == sorted(cosine, key=cosine.get, reverse=True)[:6]
    assert [value for _, value in found] == pytest.approx([cosine[word] for word, _ in found], abs=1e-6)


def test_analogies_are_completed_by_sums_of_vectors(tmp_path):
    a, b, c = np.eye(3, 4)
    words = ("man", "woman", "king", "queen", "apple")
    found = Embeddings(words, np.array([a, b, a + c, b + c, -c], np.float32))
    assert found.analogy("man", "woman", "king", 1)[0][0] == "queen"
    text = ": family\nman woman king queen\nman woman Queen king\n: other\nman woman king nobody\n"
    (tmp_path / "a.txt").write_text(text, "utf-8")
    scored = score_analogies(found, tmp_path / "a.txt")
    assert scored[0].found == 2 and scored[0].right >= 1
    assert scored[1] == Analogies("other", 0, 0, 1)


def test_rows_of_any_length_are_scaled_to_one():
    rows = np.array([[3e38, 3e38], [1e-38, 0], [0, 0]], np.float32)
    np.testing.assert_allclose(unit_rows(rows), [[0.5**0.5] * 2, [1, 0], [0, 0]], rtol=1e-6)
