"""ARPA files, the form in which n-gram models are exchanged: log₁₀ probabilities and backoffs, n-gram by n-gram."""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from lpcfg_cli.errors import InputError, SyntaxProblem
from lpcfg_cli.lm.backoff import ABSENT, BackoffModel, Level
from lpcfg_cli.lm.model import LanguageModel
from lpcfg_cli.storage.files import atomic_writer
from lpcfg_cli.text.vocabulary import MARKS, START, Vocabulary
from lpcfg_cli.treebank.lines import read_lines

ARPA_SUFFIXES = (".arpa", ".arpa.gz")

IMPOSSIBLE = -99.0
"""Logarithm that stands for a probability of zero."""

_SECTION = re.compile(r"\\(\d+)-grams:")
_SIZE = re.compile(r"ngram (\d{1,18})=(\d{1,18})")


def is_arpa(path: Path) -> bool:
    """Whether a file's name is that of an ARPA file."""
    return path.name.endswith(ARPA_SUFFIXES)


def write_arpa(model: LanguageModel, path: Path) -> None:
    """Write a model as an ARPA file, compressed if its name ends in ``.gz``.

    Raises
    ------
    InputError
        It is not a backoff model.
    """
    if not isinstance(model, BackoffModel):
        raise InputError(f"{path}: only n-gram models can be ARPA files. Give a name that ends in .lm.npz.")
    with atomic_writer(path) as file:
        if path.suffix == ".gz":
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as inner:
                _write(model, inner)
        else:
            _write(model, file)


def _write(model: BackoffModel, file: object) -> None:
    text = io.TextIOWrapper(cast(BinaryIO, file), "utf-8", newline="\n")
    text.writelines(f"{line}\n" for line in arpa_lines(model))
    text.detach()


def arpa_lines(model: BackoffModel) -> Iterator[str]:
    """The lines of a model's ARPA file."""
    yield from ("\\data\\", *(f"ngram {k}={len(level)}" for k, level in enumerate(model.levels, 1)))
    words, spelled = model.vocabulary.words, [""]
    for length, level in enumerate(model.levels, 1):
        yield from ("", f"\\{length}-grams:")
        before, last = np.divmod(level.key, len(words)) if length > 1 else (np.zeros_like(level.key), level.key)
        spelled = [f"{spelled[b]} {words[w]}".lstrip() for b, w in zip(before.tolist(), last.tolist(), strict=True)]
        columns = zip(_logarithms(level.probability), spelled, _logarithms(level.backoff), strict=True)
        for probability, ngram, backoff in columns:
            yield f"{probability}\t{ngram}\t{backoff}" if length < model.order else f"{probability}\t{ngram}"
    yield from ("", "\\end\\")


def _logarithms(values: np.ndarray) -> list[str]:
    logs = np.log10(values, out=np.full(len(values), IMPOSSIBLE), where=values > 0)
    return [f"{value:.8g}" for value in logs.tolist()]


@dataclass
class _Section:
    """The n-grams of one length, as read."""

    rows: list[list[str]] = field(default_factory=list)
    probability: list[float] = field(default_factory=list)
    backoff: list[float] = field(default_factory=list)
    first: int = 0


def read_arpa(path: Path) -> BackoffModel:
    """The model of an ARPA file, which may be compressed.

    A file without ``<unk>`` gives unknown words probability zero.

    Raises
    ------
    InputError
        The file cannot be read, or has no n-grams.
    SyntaxProblem
        A line is not what the format requires, or an n-gram begins with one that the file does not have.
    """
    sections, told = _sections(read_lines(path), str(path))
    if not sections:
        raise InputError(f"{path}: no n-grams: not an ARPA file. Write one with `lpcfg lm train -o NAME.arpa`.")
    for length, section in enumerate(sections, 1):
        if told.get(length) != len(section.rows):
            expected = f"{told.get(length, 0):,} of them, as the head of the file says"
            found = f"{len(section.rows):,} {length}-grams"
            raise SyntaxProblem(str(path), section.first, 1, found, expected, "The file may be cut off.")
    words = [row[0] for row in sections[0].rows]
    vocabulary = Vocabulary((*MARKS, *(word for word in words if word not in MARKS)))
    number = {word: k for k, word in enumerate(vocabulary.words)}
    model = BackoffModel(vocabulary, (_first_level(sections[0], number),))
    for section in sections[1:]:
        model = _with_section(model, section, number, str(path))
    return model


def _sections(lines: Iterable[str], name: str) -> tuple[list[_Section], dict[int, int]]:
    sections: list[_Section] = []
    told: dict[int, int] = {}
    for line_number, line in enumerate(lines, 1):
        stripped = line.strip()
        if not stripped or stripped == "\\data\\":
            continue
        if stripped == "\\end\\":
            break
        if _SECTION.fullmatch(stripped):
            sections.append(_Section(first=line_number + 1))
        elif sections:
            _read_ngram(stripped, sections[-1], len(sections), name, line_number)
        elif size := _SIZE.fullmatch(stripped):
            told[int(size[1])] = int(size[2])
    return sections, told


def _read_ngram(line: str, section: _Section, length: int, name: str, line_number: int) -> None:
    parts = line.split()
    try:
        probability, backoff = float(parts[0]), float(parts[length + 1]) if len(parts) > length + 1 else 0.0
        if not length + 1 <= len(parts) <= length + 2 or not (probability <= 0 and backoff <= -IMPOSSIBLE):
            raise ValueError
    except (ValueError, IndexError) as error:
        expected = f"a logarithm ≤ 0, {length} word{'s' * (length > 1)}, and perhaps a logarithm"
        raise SyntaxProblem(name, line_number, 1, repr(line[:80]), expected, "Mend or remove the line.") from error
    section.rows.append(parts[1 : length + 1])
    section.probability.append(probability)
    section.backoff.append(backoff)


def _powers(logarithms: list[float]) -> np.ndarray:
    values = np.array(logarithms)
    return np.where(values <= IMPOSSIBLE, 0.0, 10.0**values)


def _first_level(section: _Section, number: dict[str, int]) -> Level:
    at = np.array([number[row[0]] for row in section.rows], np.int64)
    probability, backoff = np.zeros(len(number)), np.ones(len(number))
    probability[at], backoff[at] = _powers(section.probability), _powers(section.backoff)
    probability[START] = 0.0
    return Level(np.arange(len(number)), probability, backoff)


def _with_section(model: BackoffModel, section: _Section, number: dict[str, int], name: str) -> BackoffModel:
    """The model with one more level."""
    rows = np.array([[number.get(word, ABSENT) for word in row] for row in section.rows], np.int64)
    rows = rows.reshape(-1, model.order + 1)
    before = np.where((rows == ABSENT).any(1), ABSENT, model.find(rows[:, :-1]))
    if (before == ABSENT).any():
        wrong = int((before == ABSENT).argmax())
        found = f"the n-gram {' '.join(section.rows[wrong])!r}"
        hint = "Make the file again with another program, or prune it so that beginnings stay."
        raise SyntaxProblem(name, section.first + wrong, 1, found, "its beginning among the shorter n-grams", hint)
    key = before * len(number) + rows[:, -1]
    order = np.argsort(key, kind="stable")
    level = Level(key[order], _powers(section.probability)[order], _powers(section.backoff)[order])
    return BackoffModel(model.vocabulary, (*model.levels, level))
