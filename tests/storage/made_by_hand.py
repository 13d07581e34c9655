"""Artefact files made for tests, by the program and by hand."""

from __future__ import annotations

import json
import zipfile

import numpy as np
import pytest
from memory import little_memory

from lpcfg_cli.errors import (
    NotAnArtefactError,
    TruncatedArtefactError,
)
from lpcfg_cli.storage.artefacts import (
    Array,
    Kind,
    read_arrays,
    verify,
    write_arrays,
)

KIND = Kind("lpcfg-test", 3, 2, "features")
PACKED = Kind("lpcfg-test", 3, 2, "features", is_packed=True)
ARRAYS = {
    "matrix": Array(np.arange(6.0).reshape(2, 3), ("row", "column")),
    "count": Array(np.array([1, 2], np.int32), ("row",)),
}
AGAIN = r"a\.\w+: .*Run `lpcfg features`"
FLOATS = {"dtype": "<f8", "shape": [3], "dims": ["x"]}


def write(path, kind=KIND, arrays=ARRAYS, settings=None, seed=7, inputs=None):
    write_arrays(path, kind, arrays, settings or {"a": [1, "é"]}, seed, inputs or {})
    return path


def archive(path, header, packing=zipfile.ZIP_STORED, **members):
    """An archive made by hand: a header, and raw bytes for its members, which may be packed."""
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("header.json", header if isinstance(header, str) else json.dumps(header))
        for name, data in members.items():
            file.writestr(f"{name}.npy", data, packing)
    return path


def header_of(**arrays):
    return {
        "format": KIND.name, "version": 3, "command": "features", "settings": {}, "seed": 0, "inputs": {},
        "arrays": arrays,
    }  # fmt: skip


def npy(dtype="<f8", shape=(3,), data=bytes(24), fortran=False):
    """The bytes of a .npy member with the given header."""
    text = f"{{'descr': {dtype!r}, 'fortran_order': {fortran}, 'shape': {shape!r}}}"
    text += " " * (117 - len(text)) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + data


def refused_in_little_memory(path, kind):
    """Check that a hostile file is refused before much memory is taken."""
    for read in (read_arrays, verify):
        with little_memory(3_000_000), pytest.raises((NotAnArtefactError, TruncatedArtefactError), match=AGAIN):
            read(path, kind)
