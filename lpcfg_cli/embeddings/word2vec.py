"""The files of word2vec: a line with the number of words and of dimensions, then each word and its numbers.

In the text form these are decimals between blanks, a line for each word.  In the binary form a word ends with a blank,
and its numbers are little-endian float32; a newline may follow.  Text files without the first line, as GloVe writes
them, are read too.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from lpcfg_cli.embeddings.vectors import Embeddings
from lpcfg_cli.errors import InputError, SyntaxProblem
from lpcfg_cli.storage.files import atomic_writer
from lpcfg_cli.treebank.lines import read_lines
from lpcfg_cli.treebank.sources import opened

MOST_BYTES_OF_A_WORD = 1 << 12
MOST_DIMENSIONS = 1 << 16
"""What is more is taken for damage, before memory is allocated for it."""

LARGEST = float(np.finfo(np.float32).max)

BINARY = np.dtype("<f4")


def write_text(found: Embeddings, path: Path) -> None:
    """Write vectors as text, compressed if the name ends in ``.gz``; raises `InputError` if a word has a blank."""
    with _written(path) as file:
        file.write(f"{len(found)} {found.dimensions}\n".encode())
        for word, vector in zip(_checked(found.words), found.vectors, strict=True):
            file.write(f"{word} {' '.join(f'{value:.9g}' for value in vector.tolist())}\n".encode())


def write_binary(found: Embeddings, path: Path) -> None:
    """Write vectors in binary form, compressed if the name ends in ``.gz``; raises `InputError` as `write_text`."""
    with _written(path) as file:
        file.write(f"{len(found)} {found.dimensions}\n".encode())
        for word, vector in zip(_checked(found.words), found.vectors.astype(BINARY), strict=True):
            file.write(word.encode() + b" " + vector.tobytes() + b"\n")


def _checked(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        if not word or " " in word or "\n" in word:
            raise InputError(f"the word {word!r} has a blank, which word2vec's files cannot hold. Leave it out.")
        yield word


@contextmanager
def _written(path: Path) -> Iterator[BinaryIO]:
    with atomic_writer(path) as file:
        if path.suffix == ".gz":
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as inner:
                yield cast(BinaryIO, inner)
        else:
            yield cast(BinaryIO, file)


def read_text(path: Path) -> Embeddings:
    """The vectors of a text file; of a word that comes twice, the first.

    Raises
    ------
    InputError
        The file cannot be read, has no vectors, or fewer than its first line says.
    SyntaxProblem
        A line is not a word and as many numbers as the others have.
    """
    words: list[str] = []
    rows: list[np.ndarray] = []
    told: tuple[int, int] | None = None
    for number, line in enumerate(read_lines(path), 1):
        parts = line.rstrip().split(" ")
        if number == 1 and len(parts) == 2 and all(map(_is_size, parts)):
            told = int(parts[0]), int(parts[1])
            continue
        if not line.strip():
            continue
        length = told[1] if told else len(rows[0]) if rows else len(parts) - 1
        rows.append(_numbers(parts, length, str(path), number))
        words.append(" ".join(parts[: len(parts) - length]))
    if told and told[0] != len(words):
        raise _cut_off(path, told[0], len(words))
    return _embeddings(path, words, rows)


def _is_size(part: str | bytes) -> bool:
    return part.isdigit() and part.isascii() and len(part) < 12


def _numbers(parts: list[str], length: int, path: str, number: int) -> np.ndarray:
    """The last `length` parts of a line as numbers."""
    try:
        if len(parts) <= length or not length:
            raise ValueError
        row = np.array(parts[len(parts) - length :], float)
        if not (np.abs(row) <= LARGEST).all():
            raise ValueError
    except ValueError as error:
        found, expected = repr(" ".join(parts)[:40]), f"a word and {length or 'some'} finite numbers between blanks"
        hint = "Is it a file of vectors? Name text .vec or .txt, binary vectors .bin, archives .npz."
        raise SyntaxProblem(path, number, 1, found, expected, hint) from error
    return row.astype(np.float32)


def read_binary(path: Path) -> Embeddings:
    """The vectors of a binary file; of a word that comes twice, the first.

    Raises
    ------
    InputError
        The file cannot be read, is not in this form, or ends early.
    """
    with opened(path) as file:
        reader = io.BufferedReader(file) if isinstance(file, io.RawIOBase) else file
        n_words, length = _head(path, reader.readline(1 << 10))
        words: list[str] = []
        rows: list[np.ndarray] = []
        for _ in range(n_words):
            words.append(_word(path, reader, n_words, len(words)))
            data = reader.read(length * BINARY.itemsize)
            if len(data) < length * BINARY.itemsize:
                raise _cut_off(path, n_words, len(rows))
            rows.append(np.frombuffer(data, BINARY).astype(np.float32))
    if not all(np.isfinite(row).all() for row in rows):
        raise InputError(f"{path}: a number is NaN or infinite: it is damaged, or not a file of word2vec.")
    return _embeddings(path, words, rows)


def _head(path: Path, line: bytes) -> tuple[int, int]:
    parts = line.split()
    if len(parts) != 2 or not all(map(_is_size, parts)) or not 1 <= int(parts[1]) <= MOST_DIMENSIONS:
        raise InputError(
            f"{path}: does not begin with the number of words and of dimensions, so it is no binary file of word2vec. "
            "Name text files .vec or .txt, archives .npz."
        )
    return int(parts[0]), int(parts[1])


def _word(path: Path, file: BinaryIO, n_words: int, n_read: int) -> str:
    data = bytearray()
    while (byte := file.read(1)) != b" ":
        if not byte:
            raise _cut_off(path, n_words, n_read)
        if byte != b"\n":
            data += byte
        if len(data) > MOST_BYTES_OF_A_WORD:
            raise InputError(f"{path}: word {n_read + 1:,} has no end: it is damaged, or not a file of word2vec.")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: word {n_read + 1:,} is not UTF-8: damaged, or not a file of word2vec.") from error


def _cut_off(path: Path, told: int, found: int) -> InputError:
    return InputError(f"{path}: has {found:,} vectors; its first line says {told:,}. It is cut off or damaged.")


def _embeddings(path: Path, words: list[str], rows: list[np.ndarray]) -> Embeddings:
    if not words:
        raise InputError(f"{path}: has no vectors. Make some with `lpcfg embed train`.")
    first = {word: k for k, word in reversed(list(enumerate(words)))}
    kept = sorted(first.values())
    return Embeddings(tuple(words[k] for k in kept), np.stack([rows[k] for k in kept]))
