"""Vectors of words from a file in word2vec's text form, for the symbols of a vocabulary."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lpcfg_cli.errors import InputError, SyntaxProblem
from lpcfg_cli.text.vocabulary import Vocabulary
from lpcfg_cli.treebank.lines import read_lines


def read_vectors(path: Path, vocabulary: Vocabulary) -> np.ndarray:
    """The vector of each word, float64, shape (n_words, m); zero for words that the file does not have.

    Parameters
    ----------
    path : Path
        A line with the numbers of words and of dimensions, then a word and its numbers in each line.
    vocabulary : Vocabulary

    Raises
    ------
    InputError
        The file cannot be read, or has none of the words.
    SyntaxProblem
        A line is not as the form requires.
    """
    lines = iter(read_lines(path))
    size = next(lines, "").split()
    if len(size) != 2 or not all(part.isdigit() for part in size) or int(size[1]) == 0:
        found = repr(" ".join(size)[:60])
        raise SyntaxProblem(
            str(path), 1, 1, found, "the numbers of words and of dimensions", "Give a file in word2vec's text form."
        )
    result, known = np.zeros((len(vocabulary), int(size[1]))), 0
    number = {word: k for k, word in enumerate(vocabulary.words)}
    for line_number, line in enumerate(lines, 2):
        word, *values = line.split()
        if word in number:
            known += 1
            result[number[word]] = _numbers(values, int(size[1]), str(path), line_number)
    if not known:
        raise InputError(f"{path}: has none of the symbols of the text. Give vectors of the same language and case.")
    return result


def _numbers(values: list[str], expected: int, name: str, line: int) -> list[float]:
    try:
        if len(values) == expected:
            return [float(value) for value in values]
    except ValueError:
        pass
    raise SyntaxProblem(
        name, line, 1, f"a line of {len(values)} values", f"a word and {expected} numbers", "Mend or remove the line."
    )
