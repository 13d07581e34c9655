"""Packed arrays of artefact files, and what a hostile file can do with packing."""

from __future__ import annotations

import zipfile

import numpy as np
import pytest
from made_by_hand import AGAIN, ARRAYS, FLOATS, KIND, PACKED, archive, header_of, npy, refused_in_little_memory, write
from memory import little_memory

from lpcfg_cli.errors import (
    ArtefactTooNewError,
    NotAnArtefactError,
    TruncatedArtefactError,
)
from lpcfg_cli.storage.artefacts import (
    MAX_PACKING,
    Array,
    Kind,
    read_arrays,
    verify,
)

REPEATED = {"x": Array(np.arange(300_000.0) % 1000, ("x",))}
"""An array that deflating makes ten to a hundred times smaller."""

EMPTY = {"x": Array(np.zeros(300_000), ("x",))}
"""One that it would make much smaller than a hundredth."""


def sizes(path, name):
    """The size of a member as an array file, and in the archive."""
    with zipfile.ZipFile(path) as file:
        info = file.getinfo(name)
        return info.file_size, info.compress_size


def test_packed_arrays_are_smaller_and_the_same_every_time(tmp_path):
    path = write(tmp_path / "a.npz", PACKED, REPEATED)
    size, packed = sizes(path, "x.npy")
    assert size / MAX_PACKING < packed < size / 10
    np.testing.assert_array_equal(read_arrays(path, PACKED)[1]["x"], REPEATED["x"].values)
    verify(path, PACKED)
    assert write(tmp_path / "b.npz", PACKED, REPEATED).read_bytes() == path.read_bytes()
    assert write(tmp_path / "c.npz", KIND, REPEATED).stat().st_size > 10 * path.stat().st_size


def test_the_header_of_a_packed_file_is_plain_so_that_older_programs_can_tell_its_version(tmp_path):
    path = write(tmp_path / "a.npz", PACKED, settings={"a": ["long"] * 1000})
    size, stored = sizes(path, "header.json")
    assert size == stored
    with pytest.raises(ArtefactTooNewError, match=r"format 3; this program reads 2 to 2\. Update lpcfg, or run"):
        read_arrays(path, Kind(KIND.name, 2, 2, KIND.command))


def test_an_array_that_would_become_too_small_is_written_plain(tmp_path):
    path = write(tmp_path / "a.npz", PACKED, EMPTY | {"y": REPEATED["x"]})
    size, stored = sizes(path, "x.npy")
    assert size == stored
    assert sizes(path, "y.npy")[1] < size / 10  # the others stay packed
    again = read_arrays(path, PACKED)[1]
    np.testing.assert_array_equal(again["x"], EMPTY["x"].values)
    np.testing.assert_array_equal(again["y"], REPEATED["x"].values)


def test_plain_files_are_read_where_packed_ones_are_written(tmp_path):
    _, arrays = read_arrays(write(tmp_path / "a.npz", KIND), PACKED)
    np.testing.assert_array_equal(arrays["matrix"], ARRAYS["matrix"].values)


def test_packed_arrays_are_foreign_in_other_kinds(tmp_path):
    with pytest.raises(NotAnArtefactError, match=AGAIN):
        read_arrays(write(tmp_path / "a.npz", PACKED), KIND)


def test_a_bomb_is_refused_before_memory_is_taken(tmp_path):
    n = 5_000_000  # of zeros, packed into a thousandth
    entry = FLOATS | {"shape": [n]}
    header = header_of(x=entry)
    path = archive(tmp_path / "a.npz", header, zipfile.ZIP_DEFLATED, x=npy(shape=(n,), data=bytes(8 * n)))
    assert path.stat().st_size < 8 * n / MAX_PACKING
    refused_in_little_memory(path, PACKED)


def test_a_packed_array_larger_than_the_header_tells_is_refused_before_memory_is_taken(tmp_path):
    data = np.random.default_rng(1).bytes(8000) * 100  # packed into a seventieth
    path = archive(tmp_path / "a.npz", header_of(x=FLOATS), zipfile.ZIP_DEFLATED, x=npy(data=data))
    assert 20 < len(data) / path.stat().st_size < MAX_PACKING
    with little_memory(1_000_000), pytest.raises(TruncatedArtefactError, match=AGAIN):
        read_arrays(path, PACKED)


@pytest.mark.parametrize("lie", [-1, 1])
def test_a_packed_array_of_another_size_than_the_archive_tells_is_refused(tmp_path, lie):
    path = write(tmp_path / "a.npz", PACKED, REPEATED)
    size, _ = sizes(path, "x.npy")
    told, data = size.to_bytes(4, "little"), path.read_bytes()
    assert told in data
    path.write_bytes(data.replace(told, (size + 8 * lie).to_bytes(4, "little")))
    with pytest.raises((NotAnArtefactError, TruncatedArtefactError), match=AGAIN):
        read_arrays(path, PACKED)


def test_a_changed_byte_of_a_packed_array_never_gets_past(tmp_path):
    path = write(tmp_path / "a.npz", PACKED, {"x": Array(np.arange(40) % 7, ("x",))})
    data = path.read_bytes()
    begin = data.index(b"x.npy") + len(b"x.npy")
    _, packed = sizes(path, "x.npy")
    for place in range(begin + 20, begin + packed):  # after the sizes, which follow the name
        changed = bytearray(data)
        changed[place] ^= 0x41
        path.write_bytes(changed)
        with pytest.raises((NotAnArtefactError, TruncatedArtefactError), match=AGAIN):
            read_arrays(path, PACKED)
