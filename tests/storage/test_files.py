"""Atomic writes and hashes."""

from __future__ import annotations

import hashlib

import pytest

from lpcfg_cli.errors import InputError
from lpcfg_cli.storage.files import (
    atomic_writer,
    make_directory,
    read_bytes_if_any,
    sha256_of_bytes,
    sha256_of_file,
    write_text,
)


class Interrupted(BaseException):
    """Stands for Ctrl-C and the like."""


@pytest.mark.parametrize("error", [ValueError, Interrupted])
def test_a_writer_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, error):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with pytest.raises(error), atomic_writer(path) as file:
        file.write(b"new and unfinished")
        raise error
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_first_writer_that_fails_leaves_no_file(tmp_path):
    with pytest.raises(ValueError, match="no"), atomic_writer(tmp_path / "a") as file:
        file.write(b"unfinished")
        raise ValueError("no")
    assert list(tmp_path.iterdir()) == []


def test_the_new_file_appears_only_when_it_is_complete(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with atomic_writer(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_who_reads_the_old_file_reads_it_to_its_end(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with open(path, "rb") as reader:
        write_text(path, "new")
        assert reader.read() == b"old"


def test_text_is_written_as_utf_8_with_its_own_line_ends(tmp_path):
    write_text(tmp_path / "a", "é\u200a\r\n\n")
    assert (tmp_path / "a").read_bytes() == "é\u200a\r\n\n".encode()


def test_hashes_are_those_of_the_bytes_at_any_length(tmp_path):
    for size in (0, 1, 1 << 20, (1 << 20) + 1):
        data = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
        (tmp_path / "a").write_bytes(data)
        assert sha256_of_file(tmp_path / "a") == sha256_of_bytes(data) == hashlib.sha256(data).hexdigest()


def test_a_file_that_need_not_be_there_is_read_as_nothing(tmp_path):
    (tmp_path / "a").write_bytes(b"x")
    assert [read_bytes_if_any(tmp_path / "a"), read_bytes_if_any(tmp_path / "b"), read_bytes_if_any(tmp_path)] == [
        b"x", b"", b"",
    ]  # fmt: skip


def test_hashing_a_missing_file_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match="a: cannot be read: No such file"):
        sha256_of_file(tmp_path / "a")


def test_directories_are_made_with_their_parents_and_twice(tmp_path):
    make_directory(tmp_path / "a" / "b")
    make_directory(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()


def test_a_file_where_a_directory_should_be_is_told(tmp_path):
    (tmp_path / "a").write_text("")
    for path in (tmp_path / "a", tmp_path / "a" / "b"):
        with pytest.raises(InputError, match="the directory cannot be created"):
            make_directory(path)
