"""The files of a run directory: arrays or JSON with a header that describes them.

An array artefact is a zip archive of ``.npy`` members, which `numpy.load` can read, and of the member ``header.json``;
the archive has a checksum of each.  In kinds that are packed the arrays are deflated.  A JSON artefact is one object
with the members ``header`` and ``content``, and ``sha256`` of these two.  Neither contains a time, a host name or a
path: the same inputs, settings and seed give the same bytes.
"""

from __future__ import annotations

import io
import json
import math
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.errors import (
    ArtefactTooNewError,
    ArtefactTooOldError,
    InputError,
    NotAnArtefactError,
    NumericalError,
    TruncatedArtefactError,
    WrongParentError,
)
from lpcfg_cli.storage.files import BLOCK, atomic_writer, sha256_of_bytes, sha256_of_file

HEADER = "header.json"
JSON_SUFFIX = ".json"
MAX_HEADER_BYTES = 64 << 20
MAX_NPY_HEADER = 1 << 16
MAX_DIMENSIONS = 32
MAX_PACKING = 100
"""So many times smaller than the array may a packed member be: what a hostile file can claim stays bounded."""

PACKING_LEVEL = 4
"""zlib's level.  Parameters of models take 3 % more than at the default level, and a third of its time."""

PLAIN = "biuf"
"""Kinds of dtype that are stored."""

ARCHIVE_MAGIC = b"PK\x03\x04"
ARCHIVE_END = b"PK\x05\x06" + bytes(18)
"""Signature of the last record of an archive, its length, and the length of the comment: none."""

BROKEN_ARCHIVE = (
    zipfile.BadZipFile,
    EOFError,
    NotImplementedError,
    RuntimeError,
    struct.error,
    UnicodeError,
    zlib.error,
)
"""What `zipfile` raises on archives that are damaged, encrypted or made by something else."""


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
    is_packed : bool
        Whether arrays are deflated.  Such files are read with their arrays deflated or not.
    """

    name: str
    version: int
    oldest: int
    command: str
    is_packed: bool = False


@dataclass(frozen=True)
class Header:
    """The header of an artefact.

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
    stage_version : int
        Version of the stage that made it; 0 if none was recorded.
    """

    format: str
    version: int
    command: str
    settings: dict[str, Any]
    seed: int
    inputs: dict[str, str]
    arrays: dict[str, dict[str, Any]] = field(default_factory=dict)
    stage_version: int = 0


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
    stage_version: int = 0,
) -> None:
    """Write an array artefact atomically.

    Parameters
    ----------
    path : Path
    kind : Kind
    arrays : mapping of str to Array
        Arrays of numbers or booleans; for text use `pack_strings`.
    settings, seed, inputs, stage_version
        As in `Header`.

    Raises
    ------
    ValueError
        An array has another dtype.
    NumericalError
        An array has NaN or infinity; nothing is written.
    """
    if odd := [name for name, array in arrays.items() if array.values.dtype.kind not in PLAIN]:
        raise ValueError(f"{', '.join(odd)}: only arrays of numbers or booleans can be stored.")
    for name, array in arrays.items():
        check_finite(name, array.values, kind.command)
    described = {
        name: {"dtype": array.values.dtype.str, "shape": list(array.values.shape), "dims": list(array.dims)}
        for name, array in arrays.items()
    }
    header = Header(kind.name, kind.version, kind.command, settings, seed, inputs, described, stage_version)
    packed = set(arrays) if kind.is_packed else set()
    with atomic_writer(path) as file:
        while beyond := _write_archive(file, header, arrays, packed):
            packed -= beyond
            file.seek(0)
            file.truncate()


def _write_archive(file: IO[bytes], header: Header, arrays: Mapping[str, Array], packed: set[str]) -> set[str]:
    """Write the archive, some arrays packed; returns those that became smaller than `MAX_PACKING` allows."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=PACKING_LEVEL) as archive:
        archive.writestr(zipfile.ZipInfo(HEADER), _dump(asdict(header)))
        for name, array in arrays.items():
            member_name = f"{name}.npy"  # a member is packed if given by its name, plain if by a `ZipInfo`
            info = member_name if name in packed else zipfile.ZipInfo(member_name)
            with archive.open(info, "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asarray(array.values, order="C"), allow_pickle=False)
        return {name for name in packed if _is_beyond(archive.getinfo(f"{name}.npy"))}


def _is_beyond(info: zipfile.ZipInfo) -> bool:
    return info.file_size > MAX_PACKING * info.compress_size


def check_finite(name: str, values: np.ndarray, command: str) -> None:
    """Raise a `NumericalError` unless all numbers of an array that ``lpcfg command`` made are finite."""
    if values.dtype.kind != "f" or np.isfinite(values).all():
        return
    wrong = np.flatnonzero(~np.isfinite(values.ravel()))
    raise NumericalError(
        f"lpcfg {command}: {len(wrong):,} of {values.size:,} numbers of {name} are NaN or infinite, the first at "
        f"position {wrong[0]}; nothing was written. Try fewer states (-m), or report this with the treebank."
    )


def read_arrays(path: Path, kind: Kind, only: Sequence[str] | None = None) -> tuple[Header, dict[str, np.ndarray]]:
    """Read an array artefact; everything is checked against the header before memory is allocated for it.

    Parameters
    ----------
    path : Path
    kind : Kind
    only : sequence of str, optional
        Names of the arrays to read; default all.

    Raises
    ------
    InputError
        The file does not exist or cannot be read.
    NotAnArtefactError, TruncatedArtefactError, ArtefactTooOldError, ArtefactTooNewError
        The file is not of this kind, is damaged, or has another version.
    """
    with _opened(path, kind) as archive:
        header = _read_header(archive, path, kind)
        names = [f"{name}.npy" for name in header.arrays]
        if sum(_member(archive, name, path, kind).compress_size for name in names) > path.stat().st_size:
            raise _damaged(path, kind)
        return header, {name: _read_array(archive, name, header, path, kind) for name in only or header.arrays}


def read_header(path: Path, kind: Kind) -> Header:
    """The header of an artefact; raises the errors of `read_arrays`."""
    if path.suffix == JSON_SUFFIX:
        return read_json(path, kind)[0]
    with _opened(path, kind) as archive:
        return _read_header(archive, path, kind)


def verify(path: Path, kind: Kind) -> None:
    """Read a whole artefact and check its checksums; raises the errors of `read_arrays`.

    O(size) time; the memory is that of one block.
    """
    if path.suffix == JSON_SUFFIX:
        read_json(path, kind)
        return
    with _opened(path, kind) as archive:
        for name in [HEADER, *(f"{name}.npy" for name in _read_header(archive, path, kind).arrays)]:
            with archive.open(_member(archive, name, path, kind)) as member:
                while member.read(BLOCK):
                    pass


def arrays_digest(path: Path, kind: Kind) -> str:
    """SHA-256 of the names, sizes and checksums of an artefact's arrays, whatever its header says; reads none of them.

    Raises the errors of `read_arrays`.
    """
    with _opened(path, kind) as archive:
        members = sorted((one.filename, one.file_size, one.CRC) for one in archive.infolist())
    return sha256_of_bytes(_dump([member for member in members if member[0] != HEADER]))


def write_json(
    path: Path,
    kind: Kind,
    content: Any,
    settings: dict[str, Any],
    seed: int,
    inputs: dict[str, str],
    stage_version: int = 0,
) -> None:
    """Write a JSON artefact atomically; parameters as for `write_arrays`."""
    header = Header(kind.name, kind.version, kind.command, settings, seed, inputs, stage_version=stage_version)
    document = {"header": asdict(header), "content": content}
    with atomic_writer(path) as file:
        file.write(_dump({**document, "sha256": sha256_of_bytes(_dump(document))}))


def read_json(path: Path, kind: Kind) -> tuple[Header, Any]:
    """Read a JSON artefact; raises the errors of `read_arrays`."""
    with _file_errors(path, kind):
        data = path.read_bytes()
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        # our files begin with a brace: a file that does not cannot be a truncated one of ours
        raise _damaged(path, kind) if data[:1] in (b"", b"{") else _foreign(path, kind) from error
    digest = document.pop("sha256", None) if isinstance(document, dict) else None
    if not isinstance(document, dict) or set(document) != {"header", "content"}:
        raise _foreign(path, kind)
    header = _header_from(document["header"], path, kind)
    if digest is not None and digest != sha256_of_bytes(_dump(document)):
        raise _damaged(path, kind)
    return header, document["content"]


def check_parents(path: Path, kind: Kind, header: Header) -> None:
    """Compare the recorded hashes of an artefact's inputs with the files that are now beside it.

    Raises
    ------
    WrongParentError
        An input has changed since, or no longer exists.
    """
    for name, recorded in header.inputs.items():
        parent = path.parent / name
        if not parent.is_file():
            which = f"a {name} that is no longer beside it"
        elif sha256_of_file(parent) != recorded:
            which = f"another {name} than the one now beside it"
        else:
            continue
        raise WrongParentError(f"{path}: was made from {which}. Run `lpcfg {kind.command}` again.")


def pack_strings(strings: list[str]) -> tuple[Array, Array]:
    """Strings as one UTF-8 byte array, uint8, (n_bytes,), and offsets, int64, (n + 1,).

    String k is ``data[offsets[k]:offsets[k + 1]]``.
    """
    encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
    offsets = starts([len(data) for data in encoded])
    return Array(np.frombuffer(b"".join(encoded), np.uint8), ("byte",)), Array(offsets, ("string_plus_one",))


def unpack_strings(data: np.ndarray, offsets: np.ndarray) -> list[str]:
    """The inverse of `pack_strings`; raises `ValueError` if the arrays are not what it gives."""
    bounds = offsets.tolist()
    if data.dtype != np.uint8 or offsets.dtype != np.int64 or (data.ndim, offsets.ndim) != (1, 1):
        raise ValueError("strings and their offsets have other types or shapes")
    if bounds[:1] != [0] or bounds[-1] != len(data) or (np.diff(offsets) < 0).any():
        raise ValueError("offsets of strings do not rise from zero to the end")
    raw = data.tobytes()
    return [raw[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(bounds)]


def _dump(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode("utf-8", "surrogatepass")


@contextmanager
def _file_errors(path: Path, kind: Kind) -> Iterator[None]:
    """Turn errors of the operating system into errors that name the file and the command."""
    try:
        yield
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file. Run `lpcfg {kind.command}` to make it.") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}.") from error


@contextmanager
def _opened(path: Path, kind: Kind) -> Iterator[zipfile.ZipFile]:
    """The archive of an array artefact; every error while reading it becomes an `LpcfgError`."""
    with _file_errors(path, kind):
        try:
            with zipfile.ZipFile(path) as archive:
                _check_ends(archive, path, kind)
                yield archive
        except BROKEN_ARCHIVE as error:
            with open(path, "rb") as file:
                begins_as_ours = ARCHIVE_MAGIC.startswith(file.read(len(ARCHIVE_MAGIC)))
            raise _damaged(path, kind) if begins_as_ours else _foreign(path, kind) from error


def _check_ends(archive: zipfile.ZipFile, path: Path, kind: Kind) -> None:
    """Raise `TruncatedArtefactError` if there is something before or after the archive, which `zipfile` allows."""
    with open(path, "rb") as file:
        file.seek(-len(ARCHIVE_END), os.SEEK_END)
        end = file.read()
    begins = min((member.header_offset for member in archive.infolist()), default=0)
    if begins or end[:4] != ARCHIVE_END[:4] or end[-2:] != ARCHIVE_END[-2:]:
        raise TruncatedArtefactError(
            f"{path}: has something before or after what was written. Run `lpcfg {kind.command}` again."
        )


def _read_header(archive: zipfile.ZipFile, path: Path, kind: Kind) -> Header:
    if _member(archive, HEADER, path, kind).file_size > MAX_HEADER_BYTES:
        raise _foreign(path, kind)
    try:
        values = json.loads(_read_member(archive, HEADER, path, kind))
    except (ValueError, RecursionError) as error:
        raise _foreign(path, kind) from error
    return _header_from(values, path, kind)


def _header_from(values: Any, path: Path, kind: Kind) -> Header:
    """The checked header.  Format and version are checked first, because other versions may have other fields."""
    if not isinstance(values, dict) or not isinstance(values.get("format"), str):
        raise _foreign(path, kind)
    version = values.get("version")
    if values["format"] != kind.name:
        raise NotAnArtefactError(
            f"{path}: is a {values['format']} file; expected {kind.name}. Run `lpcfg {kind.command}` to make one."
        )
    if not isinstance(version, int):
        raise _foreign(path, kind)
    reads = f"{path}: {kind.name} format {version}; this program reads {kind.oldest} to {kind.version}."
    if version > kind.version:
        raise ArtefactTooNewError(f"{reads} Update lpcfg, or run `lpcfg {kind.command}` again.")
    if version < kind.oldest:
        raise ArtefactTooOldError(f"{reads} Run `lpcfg {kind.command}` again.")
    values.setdefault("stage_version", 0)  # older files have none
    types = {"command": str, "settings": dict, "seed": int, "inputs": dict, "arrays": dict, "stage_version": int}
    if set(values) != {"format", "version", *types} or not all(
        isinstance(values[name], wanted) for name, wanted in types.items()
    ):
        raise _foreign(path, kind)
    return Header(**values)


def _member(archive: zipfile.ZipFile, name: str, path: Path, kind: Kind) -> zipfile.ZipInfo:
    """A member's entry, checked against the size of the file before memory is allocated for it.

    The header is never packed, so that older programs can read the version.
    """
    try:
        info = archive.getinfo(name)
    except KeyError as error:
        raise _foreign(path, kind) from error
    is_packed = kind.is_packed and name != HEADER and info.compress_type == zipfile.ZIP_DEFLATED
    is_plain = info.compress_type == zipfile.ZIP_STORED and info.file_size == info.compress_size
    if not (is_packed or is_plain):
        raise _foreign(path, kind)
    if info.compress_size > path.stat().st_size or _is_beyond(info):
        raise _damaged(path, kind)
    return info


def _read_member(archive: zipfile.ZipFile, name: str, path: Path, kind: Kind) -> bytearray:
    info = _member(archive, name, path, kind)
    data = bytearray(info.file_size)  # writable, because numba compiles separately for read-only arrays
    with archive.open(info) as member:
        for first in range(0, len(data), BLOCK):
            block = memoryview(data)[first : first + BLOCK]
            if member.readinto(block) != len(block):  # type: ignore[attr-defined]
                raise _damaged(path, kind)
    return data


def _read_array(archive: zipfile.ZipFile, name: str, header: Header, path: Path, kind: Kind) -> np.ndarray:
    entry = header.arrays[name]
    if _member(archive, f"{name}.npy", path, kind).file_size > _told_size(entry) + MAX_NPY_HEADER:
        raise _damaged(path, kind)
    data = _read_member(archive, f"{name}.npy", path, kind)
    member = io.BytesIO(data[:MAX_NPY_HEADER])
    try:
        major, _ = np.lib.format.read_magic(member)
        reader = np.lib.format.read_array_header_1_0 if major == 1 else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = reader(member)
    except ValueError as error:
        raise _foreign(path, kind) from error
    told = (entry.get("dtype"), entry.get("shape")) if isinstance(entry, dict) else None
    is_plain = dtype.kind in PLAIN and not fortran and all(size >= 0 for size in shape)
    if not is_plain or told != (dtype.str, list(shape)):
        raise _foreign(path, kind)
    values = memoryview(data)[member.tell() :]
    if math.prod(shape) * dtype.itemsize != len(values):
        raise _damaged(path, kind)
    return np.frombuffer(values, dtype).reshape(shape)


def _told_size(entry: Any) -> int:
    """Bytes of an array by its description in the header; 0 if there is none that makes sense."""
    try:
        shape, item = entry["shape"], np.dtype(entry["dtype"]).itemsize
    except (LookupError, TypeError, ValueError):
        return 0
    is_list = isinstance(shape, list) and len(shape) <= MAX_DIMENSIONS
    is_shape = is_list and all(isinstance(size, int) and size >= 0 for size in shape)
    return math.prod(shape) * item if is_shape else 0


def _foreign(path: Path, kind: Kind) -> NotAnArtefactError:
    return NotAnArtefactError(f"{path}: is not a file of kind {kind.name}. Run `lpcfg {kind.command}` to make one.")


def _damaged(path: Path, kind: Kind) -> TruncatedArtefactError:
    return TruncatedArtefactError(f"{path}: damaged or cut off. Run `lpcfg {kind.command}` again.")
