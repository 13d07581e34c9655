"""Artefact files: round trips, and rejection of everything else."""

from __future__ import annotations

import io
import json
import zipfile
from copy import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as array_strategies
from made_by_hand import AGAIN, ARRAYS, FLOATS, KIND, PACKED, archive, header_of, npy, write
from memory import little_memory

from lpcfg_cli.errors import (
    ArtefactTooNewError,
    ArtefactTooOldError,
    InputError,
    LpcfgError,
    NotAnArtefactError,
    TruncatedArtefactError,
    WrongParentError,
)
from lpcfg_cli.storage.artefacts import (
    MAX_HEADER_BYTES,
    Array,
    Header,
    Kind,
    check_parents,
    pack_strings,
    read_arrays,
    read_header,
    read_json,
    unpack_strings,
    write_json,
)
from lpcfg_cli.storage.files import sha256_of_bytes

PLAIN = st.sampled_from(["?", "i1", "i4", "<i8", ">i4", "u1", "f4", "f8"])


def finite(values):
    """The array with finite numbers in place of NaN and infinity, which cannot be stored."""
    return np.nan_to_num(values) if values.dtype.kind == "f" else values


@given(
    st.sampled_from([KIND, PACKED]),
    st.dictionaries(
        st.sampled_from("abcd"),
        array_strategies.arrays(PLAIN, array_strategies.array_shapes(min_dims=0, min_side=0)).map(finite),
    ),
)
def test_arrays_come_back_as_they_were(tmp_path_factory, kind, arrays):
    path = tmp_path_factory.mktemp("arrays") / "a.npz"
    write(path, kind, arrays={name: Array(values, ("d",) * values.ndim) for name, values in arrays.items()})
    header, again = read_arrays(path, kind)
    assert again.keys() == arrays.keys()
    for name, values in arrays.items():
        np.testing.assert_array_equal(again[name], values)
        assert (again[name].dtype, again[name].shape) == (values.dtype, values.shape)
        assert header.arrays[name]["dims"] == ["d"] * values.ndim


def test_the_header_comes_back_as_it_was(tmp_path):
    path = write(tmp_path / "a.npz", inputs={"x": "00"})
    arrays = {
        "matrix": {"dtype": "<f8", "shape": [2, 3], "dims": ["row", "column"]},
        "count": {"dtype": "<i4", "shape": [2], "dims": ["row"]},
    }
    expected = Header("lpcfg-test", 3, "features", {"a": [1, "é"]}, 7, {"x": "00"}, arrays)
    assert read_header(path, KIND) == read_arrays(path, KIND)[0] == expected


def test_arrays_can_be_written_to(tmp_path):
    _, arrays = read_arrays(write(tmp_path / "a.npz"), KIND)
    arrays["matrix"][0, 0] = 5
    assert arrays["matrix"].flags.c_contiguous
    assert arrays["matrix"].flags.aligned


@pytest.mark.parametrize("kind", [KIND, PACKED])
def test_numpy_reads_the_file(tmp_path, kind):
    with np.load(write(tmp_path / "a.npz", kind), allow_pickle=False) as file:
        np.testing.assert_array_equal(file["matrix"], ARRAYS["matrix"].values)


def test_arrays_that_are_not_contiguous_are_stored_by_their_values(tmp_path):
    values = np.arange(24).reshape(4, 6).T[::2]
    _, arrays = read_arrays(write(tmp_path / "a.npz", arrays={"v": Array(values, ("a", "b"))}), KIND)
    np.testing.assert_array_equal(arrays["v"], values)


def test_json_comes_back_as_it_was(tmp_path):
    content = {"labels": ["S", "é", "\u2028"], "n": [1, 2.5, None, True]}
    write_json(tmp_path / "a.json", KIND, content, {"s": 1}, 7, {"x": "00"})
    assert read_json(tmp_path / "a.json", KIND) == (
        Header("lpcfg-test", 3, "features", {"s": 1}, 7, {"x": "00"}, {}),
        content,
    )


def test_equal_contents_give_equal_bytes(tmp_path):
    first = write(tmp_path / "a.npz", settings={"a": 1, "b": 2}).read_bytes()
    (tmp_path / "elsewhere").mkdir()
    assert write(tmp_path / "elsewhere" / "b.npz", settings={"b": 2, "a": 1}).read_bytes() == first
    for name, content in (("a.json", {"x": 1, "y": 2}), ("b.json", {"y": 2, "x": 1})):
        write_json(tmp_path / name, KIND, content, {}, 0, {})
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


@given(st.lists(st.text(st.characters(codec="utf-8")), max_size=8))
def test_strings_are_packed_and_unpacked(strings):
    data, offsets = pack_strings(strings)
    assert (data.values.dtype, offsets.values.dtype, len(offsets.values)) == (np.uint8, np.int64, len(strings) + 1)
    assert unpack_strings(data.values, offsets.values) == strings


def test_an_archive_cut_off_anywhere_is_told_from_others(tmp_path):
    path = write(tmp_path / "a.npz")
    data = path.read_bytes()
    for length in range(len(data)):
        path.write_bytes(data[:length])
        for read in (read_arrays, read_header):
            with pytest.raises(TruncatedArtefactError, match=AGAIN):
                read(path, KIND)


def test_json_cut_off_anywhere_is_told_from_others(tmp_path):
    path = tmp_path / "a.json"
    write_json(path, KIND, {"é": [1, 2, {"b": "c"}]}, {}, 0, {})
    data = path.read_bytes()
    for length in range(len(data.rstrip())):
        path.write_bytes(data[:length])
        with pytest.raises(TruncatedArtefactError, match=AGAIN):
            read_json(path, KIND)


def test_a_changed_byte_never_gets_past_as_other_data(tmp_path):
    path = write(tmp_path / "a.npz", arrays={"count": ARRAYS["count"]})
    data = path.read_bytes()
    refused = 0
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= 0x41
        path.write_bytes(changed)
        try:
            header, arrays = read_arrays(path, KIND)
        except LpcfgError:
            refused += 1
            continue
        assert arrays["count"].tolist() == [1, 2]
        assert (header.seed, header.settings) == (7, {"a": [1, "é"]})
    assert refused > 0.8 * len(data)


@pytest.mark.parametrize(
    "content", [b"once upon a time", b"\x93NUMPY", b"\x80\x04\x95", b"(S (NN a))", b"[1, 2", b"null"]
)
def test_a_foreign_file_is_told_as_such(tmp_path, content):
    path = tmp_path / "a.npz"
    path.write_bytes(content)
    for read in (read_arrays, read_header, read_json):
        with pytest.raises(
            NotAnArtefactError, match=r"a\.npz: is not a file of kind lpcfg-test\. Run `lpcfg features`"
        ):
            read(path, KIND)


@pytest.mark.parametrize(
    "content", ["{}", "[]", '{"header": 1, "content": 2}', '{"header": {}, "content": 2}', '{"header": {"format": 1}}']
)
def test_json_of_another_shape_is_foreign(tmp_path, content):
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(NotAnArtefactError, match=AGAIN):
        read_json(tmp_path / "a.json", KIND)


def test_deeply_nested_json_is_refused(tmp_path):
    (tmp_path / "a.json").write_text('{"header":' + "[" * 200_000)
    with pytest.raises(TruncatedArtefactError):
        read_json(tmp_path / "a.json", KIND)
    with pytest.raises(NotAnArtefactError):
        read_arrays(archive(tmp_path / "a.npz", "[" * 200_000), KIND)


def test_an_archive_of_another_program_is_foreign(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.arange(3))
    with pytest.raises(NotAnArtefactError, match=AGAIN):
        read_arrays(tmp_path / "a.npz", KIND)


def test_a_compressed_archive_is_foreign(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", json.dumps(header_of()) + " " * 1000)
    with pytest.raises(NotAnArtefactError, match=AGAIN):
        read_arrays(tmp_path / "a.npz", KIND)


def test_a_file_of_another_kind_is_named(tmp_path):
    path = write(tmp_path / "a.npz", Kind("lpcfg-other", 3, 3, "svd"))
    message = r"a\.npz: is a lpcfg-other file; expected lpcfg-test\. Run `lpcfg features` to make one\."
    with pytest.raises(NotAnArtefactError, match=message):
        read_arrays(path, KIND)


@pytest.mark.parametrize(
    ("version", "error", "message"),
    [
        (
            1,
            ArtefactTooOldError,
            r"a\.\w+: lpcfg-test format 1; this program reads 2 to 3\. Run `lpcfg features` again\.",
        ),
        (
            4,
            ArtefactTooNewError,
            r"a\.\w+: lpcfg-test format 4; this program reads 2 to 3\. Update lpcfg, or run `lpcfg f",
        ),
    ],
)
def test_versions_that_are_not_read_are_told(tmp_path, version, error, message):
    other = Kind(KIND.name, version, 1, KIND.command)
    write(tmp_path / "a.npz", other)
    write_json(tmp_path / "a.json", other, {}, {}, 0, {})
    for read, name in ((read_arrays, "a.npz"), (read_header, "a.npz"), (read_json, "a.json")):
        with pytest.raises(error, match=message):
            read(tmp_path / name, KIND)


def test_versions_that_are_read_are_accepted(tmp_path):
    write(tmp_path / "a.npz", Kind(KIND.name, 2, 1, KIND.command))
    assert read_arrays(tmp_path / "a.npz", KIND)[0].version == 2


def test_a_newer_version_is_told_even_when_its_header_has_other_fields(tmp_path):
    path = archive(tmp_path / "a.npz", {"format": KIND.name, "version": 9, "novelty": []})
    with pytest.raises(ArtefactTooNewError):
        read_arrays(path, KIND)


def test_a_missing_file_is_told_with_the_command(tmp_path):
    for read in (read_arrays, read_header, read_json):
        with pytest.raises(InputError, match=r"a\.npz: no such file\. Run `lpcfg features` to make it\.$"):
            read(tmp_path / "a.npz", KIND)


def test_a_folder_in_place_of_a_file_is_told(tmp_path):
    for read in (read_arrays, read_header, read_json):
        with pytest.raises(InputError, match="cannot be read: Is a directory"):
            read(tmp_path, KIND)


def test_parents_are_held_against_their_hashes(tmp_path):
    path = tmp_path / "a.npz"
    (tmp_path / "trees").write_bytes(b"one")
    header = Header(KIND.name, 3, "features", {}, 0, {"trees": sha256_of_bytes(b"one")})
    check_parents(path, KIND, header)
    (tmp_path / "trees").write_bytes(b"two")
    message = r"a\.npz: was made from another trees than the one now beside it\. Run `lpcfg features` again\.$"
    with pytest.raises(WrongParentError, match=message):
        check_parents(path, KIND, header)
    (tmp_path / "trees").unlink()
    with pytest.raises(WrongParentError, match=r"a\.npz: was made from a trees that is no longer beside it\. Run"):
        check_parents(path, KIND, header)


def test_an_archive_made_by_hand_is_read(tmp_path):
    _, arrays = read_arrays(archive(tmp_path / "a.npz", header_of(x=FLOATS), x=npy()), KIND)
    assert arrays["x"].tolist() == [0, 0, 0]


LIES = {
    "huge shape in the array alone": (FLOATS, npy(shape=(10**12,))),
    "huge shape in both": (FLOATS | {"shape": [10**12]}, npy(shape=(10**12,))),
    "overflowing shape": (FLOATS | {"shape": [2**62, 4]}, npy(shape=(2**62, 4))),
    "another shape": (FLOATS | {"shape": [1, 3]}, npy()),
    "another dtype": (FLOATS | {"dtype": "<i8"}, npy()),
    "negative shape": (FLOATS | {"shape": [-1, -3]}, npy(shape=(-1, -3))),
    "objects": (FLOATS | {"dtype": "|O"}, npy(dtype="|O")),
    "records": (FLOATS, npy(dtype=[("a", "<f8")])),
    "records of objects": (FLOATS, npy(dtype=[("a", "|O")])),
    "items of no size": (FLOATS | {"dtype": "<U0", "shape": [10**12]}, npy("<U0", (10**12,), b"")),
    "column order": (FLOATS | {"shape": [1, 3]}, npy(shape=(1, 3), fortran=True)),
    "code for a dtype": (FLOATS, npy(dtype="__import__('os')")),
    "no array format": (FLOATS, b"\x80\x04\x95pickle"),
    "cut off": (FLOATS, npy(data=bytes(23))),
    "too long": (FLOATS, npy(data=bytes(25))),
    "no description": (None, npy()),
    "description without shape": ({"dtype": "<f8"}, npy()),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_header_that_lies_is_refused_before_memory_is_taken(tmp_path, lie):
    entry, data = LIES[lie]
    path = archive(tmp_path / "a.npz", header_of(x=entry), x=data)
    with little_memory(1_000_000), pytest.raises((NotAnArtefactError, TruncatedArtefactError), match=AGAIN):
        read_arrays(path, KIND)


@pytest.mark.parametrize("member", ["header.json", "x.npy"])
def test_a_member_larger_than_the_file_is_refused_before_memory_is_taken(tmp_path, member):
    path = archive(tmp_path / "a.npz", header_of(x=FLOATS), x=npy())
    with zipfile.ZipFile(path) as file:
        size = file.getinfo(member).file_size.to_bytes(4, "little")
    lied = path.read_bytes().replace(size + size, (MAX_HEADER_BYTES - 1).to_bytes(4, "little") * 2)
    path.write_bytes(lied)
    with little_memory(1_000_000), pytest.raises(TruncatedArtefactError):
        read_arrays(path, KIND)


def test_one_member_under_many_names_takes_no_more_memory_than_the_file(tmp_path):
    # zip entries may overlap, so that each of many arrays claims the same large block
    n = 200_000
    entry, data = {"dtype": "|u1", "shape": [n], "dims": ["x"]}, npy("|u1", (n,), bytes(n))
    names = [f"x{k}" for k in range(9)]
    path = archive(tmp_path / "a.npz", header_of(**dict.fromkeys(names, entry)), x0=data)
    with zipfile.ZipFile(path, "a") as file:
        for name in names[1:]:
            info = copy(file.getinfo("x0.npy"))
            info.filename = f"{name}.npy"
            file.filelist.append(info)
            file.NameToInfo[info.filename] = info
        file.writestr("last", b"")
    with little_memory(n), pytest.raises((TruncatedArtefactError, NotAnArtefactError)):
        read_arrays(path, KIND)


@pytest.mark.parametrize(
    "change", [{"seed": "0"}, {"inputs": []}, {"settings": None}, {"arrays": [1]}, {"version": "3"}, {"extra": 1}]
)
def test_a_header_with_fields_of_other_types_is_foreign(tmp_path, change):
    with pytest.raises(NotAnArtefactError, match=AGAIN):
        read_arrays(archive(tmp_path / "a.npz", header_of() | change), KIND)


def test_an_array_that_the_archive_lacks_is_told(tmp_path):
    with pytest.raises(NotAnArtefactError, match=AGAIN):
        read_arrays(archive(tmp_path / "a.npz", header_of(x=FLOATS)), KIND)


@pytest.mark.parametrize("values", [np.array([{}], object), np.array(["a"]), np.array([1j])])
def test_only_numbers_are_written_and_the_old_file_stays(tmp_path, values):
    path = write(tmp_path / "a.npz")
    before = path.read_bytes()
    with pytest.raises(ValueError, match="bad: only arrays of numbers"):
        write(path, arrays=ARRAYS | {"bad": Array(values, ("x",))})
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_numpy_agrees_with_the_arrays_made_by_hand():
    np.testing.assert_array_equal(np.load(io.BytesIO(npy())), np.zeros(3))
