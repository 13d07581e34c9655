"""Files of vectors: written and read again, as other programs write them, damaged and hostile."""

from __future__ import annotations

import gzip
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lpcfg_cli import embeddings
from lpcfg_cli.embeddings.archive import EMBEDDINGS, VECTOR_FORMATS, load_archive, save_embeddings
from lpcfg_cli.embeddings.vectors import Embeddings
from lpcfg_cli.embeddings.word2vec import read_binary, read_text, write_binary, write_text
from lpcfg_cli.errors import ArtefactError, InputError, NotAnArtefactError, SyntaxProblem
from lpcfg_cli.storage.artefacts import Array, read_arrays, write_arrays

WORDS = st.lists(
    st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1, max_size=6),
    min_size=1,
    max_size=5,
    unique=True,
)
NUMBERS = st.floats(-(2.0**99), 2.0**99, width=32)


@st.composite
def vectors(draw):
    words = draw(WORDS)
    return Embeddings(tuple(words), draw(arrays(np.float32, (len(words), draw(st.integers(1, 4))), elements=NUMBERS)))


SMALL = Embeddings(
    ("ab", "ß", "c"),
    np.array([[1, 0.5], [-2, 0.25], [0, 3]], np.float32),
    np.array([0.9, 0.5]),
    np.array([5, 3, 2]),
)


@given(vectors())
def test_what_is_written_is_read_again(tmp_path_factory, found):
    folder = tmp_path_factory.mktemp("vectors")
    for name in ("a.vec", "a.vec.gz", "a.bin", "a.bin.gz"):
        kind = VECTOR_FORMATS["binary" if ".bin" in name else "text"]
        kind.write(found, folder / name)
        same = embeddings.load(folder / name)
        assert same.words == found.words
        np.testing.assert_array_equal(same.vectors, found.vectors)


def test_the_archive_keeps_all_and_has_the_same_bytes(tmp_path):
    for name in ("a.embed.npz", "b.embed.npz"):
        save_embeddings(SMALL, tmp_path / name, {"x": 1}, 4, {})
    assert (tmp_path / "a.embed.npz").read_bytes() == (tmp_path / "b.embed.npz").read_bytes()
    header, found = load_archive(tmp_path / "a.embed.npz")
    assert (header.settings, header.seed, found.words) == ({"x": 1}, 4, SMALL.words)
    for name in ("vectors", "correlations", "count"):
        np.testing.assert_array_equal(getattr(found, name), getattr(SMALL, name))


def test_the_forms_are_those_of_word2vec(tmp_path):
    write_text(SMALL, tmp_path / "a.txt")
    assert (tmp_path / "a.txt").read_text("utf-8") == "3 2\nab 1 0.5\nß -2 0.25\nc 0 3\n"
    write_binary(SMALL, tmp_path / "a.bin")
    expected = b"".join(
        word.encode() + b" " + struct.pack("<2f", *row) + b"\n"
        for word, row in zip(SMALL.words, SMALL.vectors.tolist(), strict=True)
    )
    assert (tmp_path / "a.bin").read_bytes() == b"3 2\n" + expected


def test_binary_files_without_newlines_are_read(tmp_path):
    data = b"2 1\na " + struct.pack("<f", 0.5) + b"b " + struct.pack("<f", 2)
    (tmp_path / "a.bin").write_bytes(data)
    found = read_binary(tmp_path / "a.bin")
    assert (found.words, found.vectors.tolist()) == (("a", "b"), [[0.5], [2.0]])


def test_text_without_a_first_line_and_words_with_blanks_are_read(tmp_path):
    (tmp_path / "glove.txt").write_text("a 1 2\nb 3 4\n\na 5 6\n", "utf-8")
    found = read_text(tmp_path / "glove.txt")
    assert (found.words, found.vectors.tolist()) == (("a", "b"), [[1, 2], [3, 4]])
    (tmp_path / "blanks.vec").write_text("2 2\nNew York 1 2\nb 3 4 \n", "utf-8")
    assert read_text(tmp_path / "blanks.vec").words == ("New York", "b")


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "has no vectors"),
        ("3 2\na 1 2\n", "has 1 vectors; its first line says 3"),
        ("1 2\na 1\n", r"a.txt:2:1: 'a 1'; expected a word and 2 finite numbers"),
        ("a 1 2\nb 1\n", r"a.txt:2:1: 'b 1'; expected a word and 2 finite numbers"),
        ("a 1 nan\n", "finite numbers"),
        ("a 1 1e39\n", "finite numbers"),
        ("a x\n", "finite numbers"),
        ("(S (NP (N a)))\n", "Is it a file of vectors"),
    ],
)
def test_text_that_is_none_of_vectors_is_refused(tmp_path, text, match):
    (tmp_path / "a.txt").write_text(text, "utf-8")
    with pytest.raises((InputError, SyntaxProblem), match=match):
        read_text(tmp_path / "a.txt")


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"", "does not begin with"),
        (b"hello world\n", "does not begin with"),
        (b"2 0\n", "does not begin with"),
        (b"9999999999 9999999999\na " + bytes(4), "does not begin with"),
        (b"9999999999 9\na " + bytes(4), "has 0 vectors; its first line says 9,999,999,999"),
        (b"2 1\na " + bytes(4) + b"\nb ", "has 1 vectors"),
        (b"1 1\n" + b"a" * 5000, "word 1 has no end"),
        (b"1 1\n\xff " + bytes(4), "not UTF-8"),
        (b"1 1\na " + struct.pack("<f", float("nan")), "NaN"),
    ],
)
def test_binary_files_that_are_none_are_refused(tmp_path, data, match):
    (tmp_path / "a.bin").write_bytes(data)
    with pytest.raises(InputError, match=match):
        read_binary(tmp_path / "a.bin")


def test_archives_that_are_none_are_refused(tmp_path):
    save_embeddings(SMALL, tmp_path / "a.npz", {}, 0, {})
    whole = (tmp_path / "a.npz").read_bytes()
    for name, data in (("cut", whole[:-30]), ("text", b"a 1 2\n"), ("packed", gzip.compress(whole))):
        (tmp_path / f"{name}.npz").write_bytes(data)
        with pytest.raises(ArtefactError, match=f"{name}.npz"):
            embeddings.load(tmp_path / f"{name}.npz")


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("vectors", lambda v: v[:-1]), ("vectors", lambda v: v.astype(float)), ("vectors", lambda v: v[:, :0]),
        ("vectors", lambda v: v.ravel()), ("correlations", lambda v: v[:1]), ("count", lambda v: v[:1]),
        ("count", lambda v: v.astype(float)), ("lowercase", lambda v: v[:0]), ("lowercase", lambda v: v.astype(int)),
        ("words_offsets", lambda v: v[::-1].copy()), ("words_data", lambda v: v[:-1]),
    ],
)  # fmt: skip
def test_archives_whose_parts_do_not_fit_are_refused(tmp_path, name, change):
    path = tmp_path / "a.npz"
    save_embeddings(SMALL, path, {}, 0, {})
    header, arrays = read_arrays(path, EMBEDDINGS)
    changed = {k: Array(change(v) if k == name else v, (k,) * v.ndim) for k, v in arrays.items()}
    changed[name] = Array(changed[name].values, (name,) * changed[name].values.ndim)
    write_arrays(path, EMBEDDINGS, changed, header.settings, 0, {})
    with pytest.raises(NotAnArtefactError, match=r"a\.npz: its parts do not fit .* Run `lpcfg embed train` again"):
        embeddings.load(path)


def test_words_with_blanks_are_not_written(tmp_path):
    with pytest.raises(InputError, match="'New York' has a blank"):
        write_text(Embeddings(("New York",), np.ones((1, 1), np.float32)), tmp_path / "a.txt")
    assert not list(tmp_path.iterdir())
