"""Kneser-Ney against plain dictionaries, and ARPA files."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ngram_oracle import KneserNey, sentences_of
from text_blocks import count, events, random_text

from lpcfg_cli.errors import InputError, SyntaxProblem
from lpcfg_cli.lm.arpa import arpa_lines, read_arpa, write_arpa
from lpcfg_cli.lm.kneser_ney import FALLBACK, discounts, fit_kneser_ney

SEEDS = st.integers(0, 10**6)


def spelled_rows(model, rows):
    return [tuple(model.vocabulary.spelled(row)) for row in rows]


@given(SEEDS, st.integers(2, 4), st.sampled_from([8, 60, 300]), st.integers(1, 3))
def test_probabilities_are_those_of_plain_dictionaries(seed, order, sentences, rare_below):
    text = random_text(seed, sentences)
    oracle = KneserNey(sentences_of(text, rare_below), order)
    model = fit_kneser_ney(count(text, order, rare_below))
    rows = events(text[:400] + "\n" + random_text(seed + 1, 20, 12), model.vocabulary, order).rows
    expected = [oracle.probability(row[-1], row[:-1]) for row in spelled_rows(model, rows)]
    np.testing.assert_allclose(model.probabilities(rows), expected, rtol=1e-10)


def test_discounts_of_the_text_are_used_not_the_fallback():
    """Otherwise the comparison above would say little."""
    text = random_text(0, 300)
    found = discounts(count(text, 3).count)
    assert found != FALLBACK
    assert KneserNey(sentences_of(text, 1), 3).discount[3][1:] == pytest.approx(found)


@given(SEEDS, st.integers(2, 4))
def test_distributions_sum_to_one_and_are_the_probabilities(seed, order):
    text = random_text(seed, 40)
    model = fit_kneser_ney(count(text, order, 2))
    for row in events(random_text(seed + 1, 4, 12), model.vocabulary, order).rows:
        distribution = model.distribution(row[:-1].tolist())
        assert distribution.sum() == pytest.approx(1)
        assert distribution[1] == 0
        each = np.array([[*row[:-1], word] for word in range(len(model.vocabulary))])
        np.testing.assert_allclose(model.probabilities(each), distribution, rtol=1e-12)


def test_longer_contexts_than_the_order_make_no_difference():
    model = fit_kneser_ney(count(random_text(1), 2))
    rows = events(random_text(2), model.vocabulary, 4).rows
    np.testing.assert_array_equal(model.probabilities(rows), model.probabilities(rows[:, -2:]))
    with pytest.raises(ValueError, match="rows of 1 words; the model needs 2"):
        model.probabilities(rows[:, -1:])


@pytest.mark.parametrize("name", ["model.arpa", "model.arpa.gz"])
@pytest.mark.parametrize("order", [2, 3])
def test_an_arpa_file_has_the_same_probabilities(tmp_path, name, order):
    model = fit_kneser_ney(count(random_text(5, 100), order, 2))
    write_arpa(model, tmp_path / name)
    again = read_arpa(tmp_path / name)
    assert again.vocabulary == model.vocabulary
    rows = events(random_text(6, 50, 12), model.vocabulary, order).rows
    np.testing.assert_allclose(again.probabilities(rows), model.probabilities(rows), rtol=1e-6)


def test_compressed_arpa_files_hold_the_same_lines_and_no_time(tmp_path):
    model = fit_kneser_ney(count(random_text(5)))
    for name in ("a.arpa.gz", "b.arpa.gz", "c.arpa"):
        write_arpa(model, tmp_path / name)
    packed = (tmp_path / "a.arpa.gz").read_bytes()
    assert packed == (tmp_path / "b.arpa.gz").read_bytes()
    assert gzip.decompress(packed) == (tmp_path / "c.arpa").read_bytes()


def test_the_lines_of_an_arpa_file():
    assert "\n".join(arpa_lines(fit_kneser_ney(count("a b\na c")))) == GOLDEN


# Discounts fall back.  Words before: of a, b, c one each, of </s> two.  So p(a) = (1 − 0.5) / 5 + 0.5 / 5 = 0.2, as
# there are five words with <unk> and </s>, and p(b | a) = (1 − 0.5) / 2 + 0.5 · 0.2 = 0.35.
GOLDEN = """\\data\\
ngram 1=6
ngram 2=5

\\1-grams:
-1\t<unk>\t0
-99\t<s>\t-0.30103
-0.52287875\t</s>\t0
-0.69897\ta\t-0.30103
-0.69897\tb\t-0.30103
-0.69897\tc\t-0.30103

\\2-grams:
-0.22184875\t<s> a
-0.45593196\ta b
-0.45593196\ta c
-0.18708664\tb </s>
-0.18708664\tc </s>

\\end\\"""


def arpa(tmp_path, text):
    path = tmp_path / "x.arpa"
    path.write_text(text)
    return path


def test_an_arpa_file_of_another_program_is_read(tmp_path):
    """Words in another order, no marks for unknown words, a backoff left out, blanks for tabs."""
    text = (
        "comment\n\\data\\\nngram 1=4\nngram 2=2\n\n\\1-grams:\n-0.5 b\n-99\t<s>\t-0.2\n-0.4\ta\t-0.1\n-1 </s>\n\n"
        "\\2-grams:\n-0.25\t<s> a\n-0.05 a b\n\\end\\\nrest\n"
    )
    model = read_arpa(arpa(tmp_path, text))
    a, b = model.vocabulary.number_of("a"), model.vocabulary.number_of("b")
    rows = np.array([[1, a], [a, b], [b, 2], [1, b], [a, 2], [a, 0]])
    logs = [-0.25, -0.05, -1.0, -0.7, -1.1]
    np.testing.assert_allclose(model.probabilities(rows), [*(10.0**x for x in logs), 0.0])
    assert model.logprob(["a", "b"]) == pytest.approx(np.log(10) * (-0.25 - 0.05 - 1.0))
    assert model.logprob(["zebra"]) == -np.inf


HEAD = "\\data\\\nngram 1=3\nngram 2=1\n\n\\1-grams:\n-1\t<s>\t0\n-1\t</s>\n-1\ta\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nothing\n", "no n-grams: not an ARPA file"),
        (HEAD.replace("ngram 1=3", "ngram 1=4") + "\\end\\\n", "3 1-grams; expected 4 of them"),
        (
            HEAD + "\n\\2-grams:\n-1\ta b c d\n\\end\\\n",
            "x.arpa:11:1: .*a logarithm ≤ 0, 2 words, and perhaps a",
        ),
        (HEAD + "\n\\2-grams:\nx\ta a\n\\end\\\n", "x.arpa:11:1"),
        (HEAD + "\n\\2-grams:\n-1\tb a\n\\end\\\n", r"x.arpa:11:1: the n-gram 'b a'; expected its beginning"),
    ],
)
def test_arpa_files_that_are_not(tmp_path, text, message):
    with pytest.raises((InputError, SyntaxProblem), match=message):
        read_arpa(arpa(tmp_path, text))
