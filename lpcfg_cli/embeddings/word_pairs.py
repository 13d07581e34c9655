"""Evaluation: similarities of pairs of words against judgements, and analogies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lpcfg_cli.embeddings.vectors import Embeddings
from lpcfg_cli.errors import InputError, SyntaxProblem
from lpcfg_cli.treebank.lines import read_lines

HALVES = ("all", "first", "second")
"""Which pairs of a set are used: all, or every other one, from the first or the second on."""

LEAST_PAIRS = 3
"""Fewer pairs have no rank correlation worth the name."""


@dataclass(frozen=True)
class JudgedPairs:
    """Pairs of words with judgements of their similarity.

    Attributes
    ----------
    name : str
    pairs : list of (str, str)
    judgement : ndarray of float64, shape (n,)
    """

    name: str
    pairs: list[tuple[str, str]]
    judgement: np.ndarray

    def half(self, which: str) -> JudgedPairs:
        """Some of the pairs; `which` is one of `HALVES`."""
        if which == "all":
            return self
        start = HALVES.index(which) - 1
        return JudgedPairs(self.name, self.pairs[start::2], self.judgement[start::2])


@dataclass(frozen=True)
class Similarity:
    """How well similarities agree with judgements.

    Attributes
    ----------
    name : str
    found, missed : int
        Number of pairs of which both words have vectors, and of the others, which are left out.
    rho : float
        Spearman's rank correlation of the pairs found; NaN for fewer than `LEAST_PAIRS`.
    missed_words : list of str
        Words without a vector, sorted.
    """

    name: str
    found: int
    missed: int
    rho: float
    missed_words: list[str]


def read_pairs(path: Path, encoding: str = "utf-8") -> JudgedPairs:
    """Read lines of two words and a number between blanks or tabs; empty lines and those after ``#`` are left out.

    Raises
    ------
    InputError
        The file cannot be read, or has no pairs.
    SyntaxProblem
        A line is something else.
    """
    pairs, judgement = [], []
    for number, line in enumerate(read_lines(path, encoding), 1):
        parts = line.split()
        if not parts or parts[0].startswith("#"):
            continue
        try:
            first, second, value = parts
            judgement.append(float(value))
        except ValueError as error:
            hint = "Sets of pairs are as in EN-WS-353-ALL.txt; analogies are given with --analogies."
            expected = "two words and a number between blanks"
            raise SyntaxProblem(str(path), number, 1, repr(line[:60]), expected, hint) from error
        pairs.append((first, second))
    if not pairs:
        raise InputError(f"{path}: has no pairs of words. Give lines of two words and a number.")
    return JudgedPairs(path.stem, pairs, np.array(judgement))


def score_pairs(found: Embeddings, judged: JudgedPairs) -> Similarity:
    """Spearman's ρ of cosines and judgements, over the pairs of which both words have vectors."""
    rows = [(found.number_of(a), found.number_of(b)) for a, b in judged.pairs]
    known = np.array([a is not None and b is not None for a, b in rows], bool)
    both = np.array([(a or 0, b or 0) for a, b in rows], np.int64).reshape(-1, 2)[known]
    cosine = np.einsum("nk,nk->n", found.directions[both[:, 0]], found.directions[both[:, 1]])
    missed = sorted({word for pair in judged.pairs for word in pair if found.number_of(word) is None})
    n_found = int(known.sum())
    return Similarity(judged.name, n_found, len(rows) - n_found, spearman(cosine, judged.judgement[known]), missed)


def spearman(x: np.ndarray, y: np.ndarray) -> float:
    """Spearman's rank correlation, equal values with their mean rank; NaN if it is not defined."""
    from scipy.stats import rankdata  # here, since scipy is slow to import

    if len(x) < LEAST_PAIRS:
        return float("nan")
    a, b = (rankdata(values) - (len(values) + 1) / 2 for values in (x, y))
    length = np.sqrt((a @ a) * (b @ b))
    return float(a @ b / length) if length else float("nan")


@dataclass(frozen=True)
class Analogies:
    """How many analogies a : b = c : d are completed.

    Attributes
    ----------
    name : str
        The section, as a line ``: name`` begins it.
    right : int
        Number whose d is the word nearest to b − a + c.
    found, missed : int
        Number of which all words have vectors, and of the others, which are left out.
    """

    name: str
    right: int
    found: int
    missed: int


def score_analogies(found: Embeddings, path: Path) -> list[Analogies]:
    """Complete the analogies of a file: lines of four words, in sections that begin with ``: name``.

    Raises
    ------
    InputError
        The file cannot be read, or has no analogies.
    SyntaxProblem
        A line is something else.
    """
    sections: list[tuple[str, list[list[str]]]] = []
    for number, line in enumerate(read_lines(path), 1):
        parts = line.split()
        if parts[:1] == [":"]:
            sections.append((" ".join(parts[1:]), []))
        elif len(parts) == 4:
            if not sections:
                sections.append((path.stem, []))
            sections[-1][1].append(parts)
        elif parts:
            hint = "A line `: name` begins a section, as in questions-words.txt."
            raise SyntaxProblem(str(path), number, 1, repr(line[:60]), "four words between blanks", hint)
    if not any(rows for _, rows in sections):
        raise InputError(f"{path}: has no analogies. Give lines of four words.")
    return [_completed(found, name, rows) for name, rows in sections]


def _completed(found: Embeddings, name: str, rows: Sequence[Sequence[str]]) -> Analogies:
    known = [row for row in rows if all(found.number_of(word) is not None for word in row)]
    right = sum(_is_nearest(found, row) for row in known)
    return Analogies(name, right, len(known), len(rows) - len(known))


def _is_nearest(found: Embeddings, row: Sequence[str]) -> bool:
    a, b, c, d = row
    nearest = found.analogy(a, b, c, 1)
    return bool(nearest) and found.number_of(nearest[0][0]) == found.number_of(d)
