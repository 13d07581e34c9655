"""Sets of pairs of sentences, perhaps with judgements of their similarity, and their files."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lpcfg_cli.errors import InputError, SyntaxProblem
from lpcfg_cli.storage.files import files_of
from lpcfg_cli.treebank.lines import read_lines
from lpcfg_cli.treebank.sources import STDIN, source_name

SUFFIX = "*.tsv"
HINT = "A set of pairs has a score, a tab, a sentence, a tab and a sentence on each line; the scores may be missing."


@dataclass(frozen=True)
class PairSet:
    """Pairs of sentences of one kind.

    Attributes
    ----------
    name : str
        The file's name up to the first dot.
    pairs : list of (str, str)
    score : ndarray of float64, shape (n,), or None
        Judgements of similarity, if there are any.
    """

    name: str
    pairs: list[tuple[str, str]]
    score: np.ndarray | None

    def __len__(self) -> int:
        return len(self.pairs)


def read_pair_set(path: Path, encoding: str = "utf-8") -> PairSet:
    """Read lines of two sentences, or of a score and two sentences, between tabs.

    Raises
    ------
    InputError
        The file cannot be read, or has no pairs.
    SyntaxProblem
        A line is something else, or only some lines have scores.
    """
    pairs: list[tuple[str, str]] = []
    scores: list[float] = []
    name, n_fields = source_name(path), 0
    for number, line in enumerate(read_lines(path, encoding), 1):
        parts = line.rstrip("\r").split("\t")
        n_fields = n_fields or len(parts)
        if len(parts) not in (2, 3) or not all(part.strip() for part in parts):
            raise _wrong(name, number, line, "two sentences, perhaps after a score, between tabs")
        if len(parts) != n_fields:
            expected = "a score and two sentences" if n_fields == 3 else "two sentences without a score"
            raise _wrong(name, number, line, f"{expected} as on line 1")
        if n_fields == 3:
            scores.append(_number(name, number, parts[0]))
        pairs.append((parts[-2], parts[-1]))
    if not pairs:
        raise InputError(f"{name}: has no pairs of sentences. {HINT}")
    return PairSet(_set_name(path), pairs, np.array(scores) if n_fields == 3 else None)


def _number(name: str, number: int, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise _wrong(name, number, text, "a finite number as the score")
    return value


def _wrong(name: str, number: int, found: str, expected: str) -> SyntaxProblem:
    return SyntaxProblem(name, number, 1, repr(found[:60]), expected, HINT)


def _set_name(path: Path) -> str:
    return "" if str(path) == STDIN else path.name.partition(".")[0]


def read_judged_sets(paths: Iterable[Path], encoding: str = "utf-8") -> list[PairSet]:
    """Read sets with scores; a folder stands for its ``*.tsv`` files.

    Raises
    ------
    InputError
        A file cannot be read, has no pairs or no scores, a folder has no such files, or two sets have the same name.
    SyntaxProblem
        A line is not as in `read_pair_set`.
    """
    found: dict[str, PairSet] = {}
    for path in pair_files(paths):
        read = read_pair_set(path, encoding)
        if read.score is None:
            raise InputError(f"{path}: has no scores. {HINT}")
        if read.name in found:
            raise InputError(
                f"{path}: is another set called {read.name!r}. Name files differently up to the first dot."
            )
        found[read.name] = read
    return list(found.values())


def pair_files(paths: Iterable[Path]) -> list[Path]:
    """The files named, and those of folders; raises `InputError` if a folder has none."""
    return files_of(paths, SUFFIX, HINT)
