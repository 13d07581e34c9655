"""Files of embeddings: the archive ``*.embed.npz``, and word2vec's text and binary forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.config import Table
from lpcfg_cli.embeddings.vectors import Embeddings
from lpcfg_cli.embeddings.word2vec import read_binary, read_text, write_binary, write_text
from lpcfg_cli.storage.artefacts import Array, Header, Kind, pack_strings, read_arrays, unpack_strings, write_arrays
from lpcfg_cli.storage.parts import Layout, check_arrays, fitting_parts
from lpcfg_cli.treebank.sources import without_packing

EMBEDDINGS = Kind("lpcfg-embeddings", 1, 1, "embed train")

LAYOUT: Layout = {
    "vectors": ("nk", np.float32),
    "correlations": ("c", np.float64),
    "count": ("o", np.int64),
    "lowercase": ("1", np.bool_),
}
"""n words, k dimensions; c is k or none, o is n or none."""

ARCHIVE_SUFFIX, TEXT_SUFFIXES, BINARY_SUFFIXES = ".npz", (".txt", ".vec"), (".bin",)


def save_embeddings(found: Embeddings, path: Path, settings: dict[str, Any], seed: int, inputs: dict[str, str]) -> None:
    """Write embeddings as an archive; parameters besides the first two as for `write_arrays`."""
    data, offsets = pack_strings(list(found.words))
    arrays = {
        "words_data": data,
        "words_offsets": offsets,
        "vectors": Array(found.vectors, ("word", "dimension")),
        "correlations": Array(found.correlations, ("dimension",)),
        "count": Array(found.count, ("word",)),
        "lowercase": Array(np.array([found.lowercase]), ("one",)),
    }
    write_arrays(path, EMBEDDINGS, arrays, settings, seed, inputs)


def load_archive(path: Path) -> tuple[Header, Embeddings]:
    """Embeddings and the header of their archive; raises the errors of `read_arrays`."""
    header, arrays = read_arrays(path, EMBEDDINGS)
    with fitting_parts(path, EMBEDDINGS):
        words = tuple(unpack_strings(arrays["words_data"], arrays["words_offsets"]))
        sizes = check_arrays(arrays, LAYOUT, n=len(words))
        if 0 in (sizes["n"], sizes["k"]) or sizes["c"] not in (0, sizes["k"]) or sizes["o"] not in (0, sizes["n"]):
            raise ValueError(f"the parts have the sizes {', '.join(str(arrays[name].shape) for name in LAYOUT)}")
        lowercase = bool(arrays["lowercase"][0])
        return header, Embeddings(words, arrays["vectors"], arrays["correlations"], arrays["count"], lowercase)


@dataclass(frozen=True)
class VectorFormat:
    """A form in which vectors are exchanged with other programs.

    Attributes
    ----------
    name : str
    summary : str
        One line for help pages.
    suffixes : tuple of str
        Endings of names of such files.
    read : function of path to Embeddings
    write : function of (Embeddings, path)
    """

    name: str
    summary: str
    suffixes: tuple[str, ...]
    read: Callable[[Path], Embeddings]
    write: Callable[[Embeddings, Path], None]


VECTOR_FORMATS: Table[VectorFormat] = Table(
    "vector format",
    VectorFormat("text", "word2vec's text form, a line for each word", TEXT_SUFFIXES, read_text, write_text),
    VectorFormat("binary", "word2vec's binary form", BINARY_SUFFIXES, read_binary, write_binary),
)


def format_by_name(path: Path) -> VectorFormat | None:
    """The format that a file's ending names, ``.gz`` aside; None if it names none."""
    name = without_packing(path.name).lower()
    return next((one for one in VECTOR_FORMATS.values() if name.endswith(one.suffixes)), None)


def load_embeddings(path: Path) -> Embeddings:
    """Embeddings from an archive or a file of word2vec; the file's ending tells which.

    Raises
    ------
    InputError, SyntaxProblem
        The file cannot be read, or is not as the format requires.
    ArtefactError
        It is not an archive of embeddings, is damaged, or has another version.
    """
    known = format_by_name(path)
    return known.read(path) if known else load_archive(path)[1]
