"""The files of a run directory: arrays or JSON behind a header that says what they are.

An array artefact is an uncompressed zip archive of ``.npy`` members, so `numpy.load` reads it, with one
more member, ``header.json``.  A JSON artefact is one object with the members ``header`` and ``content``.
Neither holds a time, a host name or a path: the same inputs, settings and seed give the same bytes.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.errors import (
    ArtefactTooNewError,
    ArtefactTooOldError,
    InputError,
    NotAnArtefactError,
    TruncatedArtefactError,
    WrongParentError,
)
from lpcfg_cli.storage.files import atomic_writer, sha256_of_file

HEADER = "header.json"
MAX_HEADER_BYTES = 64 << 20
MAX_NPY_HEADER = 1 << 16


@dataclass(frozen=True)
class Kind:
    """A kind of artefact.

    Attributes
    ----------
    name : str
        Format name in the header.
    version : int
        Version written now.
    oldest : int
        Oldest version still read.
    command : str
        Command that makes such a file, for error messages.
    """

    name: str
    version: int
    oldest: int
    command: str


@dataclass(frozen=True)
class Header:
    """What an artefact says of itself.

    Attributes
    ----------
    format, version, command
        As in `Kind`.
    settings : dict
        The resolved settings that shaped the contents.
    seed : int
    inputs : dict of str to str
        SHA-256 of each input, by file name.
    arrays : dict
        For each array its dtype, shape and the names of its dimensions.
    """

    format: str
    version: int
    command: str
    settings: dict[str, Any]
    seed: int
    inputs: dict[str, str]
    arrays: dict[str, dict[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Array:
    """An array to store and the names of its dimensions."""

    values: np.ndarray
    dims: tuple[str, ...]


def write_arrays(
    path: Path,
    kind: Kind,
    arrays: Mapping[str, Array],
    settings: dict[str, Any],
    seed: int,
    inputs: dict[str, str],
) -> None:
    """Write an array artefact atomically.

    Parameters
    ----------
    path : Path
    kind : Kind
    arrays : mapping of str to Array
        Any dtype but object; text goes through `pack_strings`.
    settings, seed, inputs
        As in `Header`.
    """
    described = {
        name: {"dtype": array.values.dtype.str, "shape": list(array.values.shape), "dims": list(array.dims)}
        for name, array in arrays.items()
    }
    header = Header(kind.name, kind.version, kind.command, settings, seed, inputs, described)
    with atomic_writer(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(zipfile.ZipInfo(HEADER), _dump(asdict(header)))
        for name, array in arrays.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(array.values), allow_pickle=False)


def read_arrays(path: Path, kind: Kind) -> tuple[Header, dict[str, np.ndarray]]:
    """Read an array artefact, refusing anything that does not match its header before memory is taken.

    Raises
    ------
    InputError
        No such file.
    NotAnArtefactError, TruncatedArtefactError, ArtefactTooOldError, ArtefactTooNewError
        See there.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            header = _header_from(_read_member(archive, HEADER, path, kind), path, kind)
            arrays = {name: _read_array(archive, name, entry, path, kind) for name, entry in header.arrays.items()}
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file. Run `lpcfg {kind.command}` to make it.") from error
    except zipfile.BadZipFile as error:
        raise _unreadable(path, kind) from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}.") from error
    return header, arrays


def read_array_header(path: Path, kind: Kind) -> Header:
    """The header of an array artefact; raises as `read_arrays` does."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _header_from(_read_member(archive, HEADER, path, kind), path, kind)
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file. Run `lpcfg {kind.command}` to make it.") from error
    except zipfile.BadZipFile as error:
        raise _unreadable(path, kind) from error


def write_json(
    path: Path, kind: Kind, content: Any, settings: dict[str, Any], seed: int, inputs: dict[str, str]
) -> None:
    """Write a JSON artefact atomically; parameters as for `write_arrays`."""
    header = Header(kind.name, kind.version, kind.command, settings, seed, inputs)
    with atomic_writer(path) as file:
        file.write(_dump({"header": asdict(header), "content": content}))


def read_json(path: Path, kind: Kind) -> tuple[Header, Any]:
    """Read a JSON artefact; raises as `read_arrays` does."""
    try:
        document = json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file. Run `lpcfg {kind.command}` to make it.") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise TruncatedArtefactError(
            f"{path}: damaged or cut off: {error}. Run `lpcfg {kind.command}` again."
        ) from error
    if not isinstance(document, dict) or set(document) != {"header", "content"}:
        raise _foreign(path, kind)
    return _header_from(json.dumps(document["header"]).encode(), path, kind), document["content"]


def check_parents(path: Path, kind: Kind, header: Header) -> None:
    """Hold the recorded hashes of an artefact's inputs against the files now beside it.

    Raises
    ------
    WrongParentError
        An input has changed since.
    """
    for name, recorded in header.inputs.items():
        if sha256_of_file(path.parent / name) != recorded:
            raise WrongParentError(
                f"{path}: was made from another {name} than the one now beside it. Run `lpcfg {kind.command}` again."
            )


def pack_strings(strings: list[str]) -> tuple[Array, Array]:
    """Strings as one UTF-8 byte array and the int64 offsets, shape (n + 1,), at which they begin."""
    encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
    offsets = np.concatenate([[0], np.cumsum([len(data) for data in encoded])]).astype(np.int64)
    return Array(np.frombuffer(b"".join(encoded), np.uint8), ("byte",)), Array(offsets, ("string_plus_one",))


def unpack_strings(data: np.ndarray, offsets: np.ndarray) -> list[str]:
    """The inverse of `pack_strings`."""
    raw = data.tobytes()
    bounds = offsets.tolist()
    return [raw[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(bounds)]


def _dump(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode("utf-8", "surrogatepass")


def _header_from(data: bytes | bytearray, path: Path, kind: Kind) -> Header:
    try:
        header = Header(**json.loads(data))
    except (ValueError, TypeError) as error:
        raise _foreign(path, kind) from error
    if header.format != kind.name:
        raise NotAnArtefactError(
            f"{path}: is a {header.format} file; expected {kind.name}. Run `lpcfg {kind.command}` to make one."
        )
    if header.version > kind.version:
        raise ArtefactTooNewError(
            f"{path}: {kind.name} format {header.version}; this program reads {kind.oldest} to {kind.version}. "
            "Update lpcfg."
        )
    if header.version < kind.oldest:
        raise ArtefactTooOldError(
            f"{path}: {kind.name} format {header.version}; this program reads {kind.oldest} to {kind.version}. "
            f"Run `lpcfg {kind.command}` again."
        )
    return header


def _read_member(archive: zipfile.ZipFile, name: str, path: Path, kind: Kind) -> bytearray:
    try:
        info = archive.getinfo(name)
    except KeyError as error:
        raise _foreign(path, kind) from error
    if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size:
        raise _foreign(path, kind)
    if name == HEADER and info.file_size > MAX_HEADER_BYTES:
        raise _foreign(path, kind)
    data = bytearray(info.file_size)  # writable, so that arrays made from it are what numba compiled for
    with archive.open(info) as member:
        if member.readinto(data) != len(data):  # type: ignore[attr-defined]
            raise _unreadable(path, kind)
    return data


def _read_array(archive: zipfile.ZipFile, name: str, entry: dict[str, Any], path: Path, kind: Kind) -> np.ndarray:
    data = _read_member(archive, f"{name}.npy", path, kind)
    member = io.BytesIO(data[:MAX_NPY_HEADER])
    try:
        major, _ = np.lib.format.read_magic(member)
        reader = np.lib.format.read_array_header_1_0 if major == 1 else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = reader(member)
    except ValueError as error:
        raise _foreign(path, kind) from error
    values = memoryview(data)[member.tell() :]
    size = int(np.prod(shape, dtype=object)) * dtype.itemsize
    if dtype.hasobject or fortran or dtype.str != entry["dtype"] or list(shape) != entry["shape"]:
        raise _foreign(path, kind)
    if size != len(values):
        raise _unreadable(path, kind)
    return np.frombuffer(values, dtype).reshape(shape)


def _foreign(path: Path, kind: Kind) -> NotAnArtefactError:
    return NotAnArtefactError(f"{path}: is not a file of kind {kind.name}. Run `lpcfg {kind.command}` to make one.")


def _unreadable(path: Path, kind: Kind) -> NotAnArtefactError | TruncatedArtefactError:
    """Tell a damaged archive from a file that never was one, by its first bytes."""
    with open(path, "rb") as file:
        is_archive = file.read(2) == b"PK"
    if is_archive:
        return TruncatedArtefactError(f"{path}: damaged or cut off. Run `lpcfg {kind.command}` again.")
    return _foreign(path, kind)
