"""Text as numbers and counts, against plain dictionaries."""

from __future__ import annotations

import gzip
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ngram_oracle import ngrams, sentences_of
from text_blocks import blocks, count, events, random_text

from lpcfg_cli.errors import InputError, SyntaxProblem
from lpcfg_cli.execution.workers import local_workers
from lpcfg_cli.text import counting
from lpcfg_cli.text.counting import count_ngrams
from lpcfg_cli.text.events import events_of
from lpcfg_cli.text.vocabulary import MARKS
from lpcfg_cli.treebank.lines import line_blocks

LINES = st.lists(
    st.lists(st.sampled_from(["a", "b", "c", "ä", "longer", "<unk>"]), max_size=5).map(" ".join),
    min_size=1,
    max_size=12,
)


def spelled(counts):
    """The counts as a dictionary of tuples of words."""
    words = counts.vocabulary.words
    rows = (tuple(words[k] for k in row) for row in counts.rows.tolist())
    return dict(zip(rows, counts.count.tolist(), strict=True))


@given(LINES, st.integers(2, 4), st.integers(1, 3), st.integers(1, 5))
def test_counts_are_those_of_a_dictionary(lines, order, rare_below, lines_each):
    text = "".join(f"{line}\n" for line in lines)
    sentences = sentences_of(text, rare_below)
    if not sentences:
        with pytest.raises(InputError, match="no words"):
            count(text, order, rare_below)
        return
    found = count(text, order, rare_below, lines_each)
    assert spelled(found) == ngrams(sentences, order)
    assert (found.sentences, found.words) == (len(sentences), sum(map(len, sentences)))
    assert found.unknown == sum(words.count("<unk>") for words in sentences)
    kept = {word for words in sentences for word in words} - {"<unk>"}
    assert set(found.vocabulary.words) == kept | set(MARKS)
    for shorter in range(2, order):
        assert spelled(found.shortened(shorter)) == ngrams(sentences, shorter)


def test_words_are_numbered_by_frequency_and_then_by_name():
    assert count("b b c a a\nd a b").vocabulary.words == (*MARKS, "a", "b", "c", "d")


def test_rows_are_sorted_and_do_not_depend_on_blocks_and_workers():
    text = random_text(3, 400)
    whole = count(text, 3, 2)
    assert (np.diff(np.ravel_multi_index(whole.rows.T, [20] * 3)) > 0).all()
    with local_workers(2) as mapper:
        other = count(text, 3, 2, 7, mapper)
    assert other.vocabulary == whole.vocabulary
    np.testing.assert_array_equal(other.rows, whole.rows)
    np.testing.assert_array_equal(other.count, whole.count)


def test_adding_up_in_between_changes_nothing(monkeypatch):
    text = random_text(4, 300)
    whole = count(text, 3, 2)
    monkeypatch.setattr(counting, "PENDING", 50)
    other = count(text, 3, 2, 5)
    assert spelled(other) == spelled(whole)


def test_the_matrix_of_bigrams_has_a_row_for_each_word_before():
    counts = count("a b a b\nb", 3)
    q = counts.bigrams().toarray()
    at = {word: k for k, word in enumerate(counts.vocabulary.words)}
    expected = {("<s>", "a"): 1, ("a", "b"): 2, ("b", "a"): 1, ("b", "</s>"): 2, ("<s>", "b"): 1}
    assert {(v, w): q[at[v], at[w]] for v in at for w in at if q[at[v], at[w]]} == expected


def test_the_matrix_of_words_two_apart():
    counts = count("a b a b\nb", 3)
    q = counts.bigrams(2).toarray()
    at = {word: k for k, word in enumerate(counts.vocabulary.words)}
    expected = {("<s>", "a"): 1, ("<s>", "b"): 2, ("a", "a"): 1, ("b", "b"): 1, ("a", "</s>"): 1, ("<s>", "</s>"): 1}
    assert {(v, w): q[at[v], at[w]] for v in at for w in at if q[at[v], at[w]]} == expected


def test_marks_at_the_edges_say_what_is_known_anyway():
    assert spelled(count("<s> a b </s>\n<s> a\nb </s>")) == spelled(count("a b\na\nb"))


@pytest.mark.parametrize(("line", "column"), [("a </s> b", 3), ("a <s>", 3), ("<s> <s> a", 1)])
def test_a_mark_amid_a_line_is_refused(line, column):
    with pytest.raises(SyntaxProblem, match="amid a line") as caught:
        count(f"a\n{line}\n")
    assert (caught.value.line, caught.value.column) == (2, column)


def test_only_ascii_blanks_separate_words():
    assert spelled(count("a\tb\rc\u00a0d\u3000e \f")).keys() == {
        ("<s>", "a"),
        ("a", "b"),
        ("b", "c\u00a0d\u3000e"),
        ("c\u00a0d\u3000e", "</s>"),
    }


def test_events_have_their_contexts_and_spelling():
    vocabulary = count("a b\nb a").vocabulary
    found = events("\na x\n\n b\n\n", vocabulary, 3)
    assert [vocabulary.spelled(row) for row in found.rows] == [
        ["<s>", "<s>", "a"],
        ["<s>", "a", "<unk>"],
        ["a", "<unk>", "</s>"],
        ["<s>", "<s>", "b"],
        ["<s>", "b", "</s>"],
    ]
    assert found.spelling == [b"a", b"x", b"</s>", b"b", b"</s>"]
    assert found.empty_lines == 3
    assert found.is_known.tolist() == [True, False, True, True, True]
    assert found.is_end.tolist() == [False, False, True, False, True]
    assert (len(found.first_half()), len(found.second_half())) == (2, 3)
    assert found.second_half().spelling == found.spelling[2:]


def test_no_lines_no_events():
    vocabulary = count("a").vocabulary
    assert len(events_of(blocks("\n \n")[0], vocabulary, 2)) == 0
    assert events("", vocabulary).rows.shape == (0, 2)


@pytest.mark.parametrize("size", [1, 5, 10**6])
@pytest.mark.parametrize("packed", [False, True])
def test_blocks_of_a_file_are_its_lines(tmp_path, size, packed):
    text = "\ufeffä b\n\nc\nd d\nlast"
    path = tmp_path / "text"
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    found = list(line_blocks(path, "utf-8", size))
    assert b"".join(block.text for block in found).decode() == text[1:] + "\n"
    assert all(block.text.endswith(b"\n") for block in found)
    assert [block.first for block in found] == [
        1 + sum(block.text.count(b"\n") for block in found[:k]) for k in range(len(found))
    ]


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_blocks_are_utf_8_whatever_the_file_is(tmp_path, encoding):
    path = tmp_path / "text"
    path.write_bytes("é è\nà\n".encode(encoding))
    assert b"".join(block.text for block in line_blocks(path, encoding, 3)) == "é è\nà\n".encode()


def test_a_wrong_byte_is_told_with_its_line(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(b"a\nb\nc \xff\n")
    with pytest.raises(InputError, match=r"text:3: byte 0xff at offset 6 is not utf-8"):
        count_ngrams(line_blocks(path, "utf-8", 1), 2, 1)


def test_a_nul_character_is_told_with_its_place(tmp_path):
    path = tmp_path / "text"
    path.write_bytes("a b\nc\n".encode("utf-16-le"))
    with pytest.raises(InputError, match=r"text:1:2: a NUL character"):
        count_ngrams(line_blocks(path), 2, 1)
    path.write_bytes(b"a\nb\nc d\0\n")
    with pytest.raises(InputError, match=r"text:3:4: a NUL character"):
        count_ngrams(line_blocks(path), 2, 1)


def test_counting_many_words_of_one_block():
    text = " ".join(f"x{k % 1000}" for k in range(5000))
    assert sum(spelled(count(text)).values()) == 5001
    assert Counter(spelled(count(text)).values())[5] == 999
