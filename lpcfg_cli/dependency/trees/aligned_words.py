"""Words of two tokenisations of one text, aligned as in the evaluation of the CoNLL 2018 shared task.

Words that are tokens of their own are aligned if they stand for the same characters.  Where either side has a token of
several words, such as ``3-4``, the words in its stretch of characters are aligned by a longest common subsequence of
their forms, without regard to capitals.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lpcfg_cli.dependency.trees.conll import NUMBERS
from lpcfg_cli.dependency.trees.punctuation import universal_relation
from lpcfg_cli.dependency.trees.sentence import DependencySentence
from lpcfg_cli.errors import InputError

ROOT, NO_HEAD = -1, -2


class TextWord(NamedTuple):
    """A word of a text.

    Attributes
    ----------
    form : str
        Without blanks, in small letters.
    start, stop : int
        The characters of its token, blanks not counted.
    is_part : bool
        Whether it is one of several words of a token.
    head : int
        Number of its head among the words of the text, from 0; `ROOT` or `NO_HEAD`.
    relation : str
        Without subtype.
    place : str
        ``path:line``.
    """

    form: str
    start: int
    stop: int
    is_part: bool
    head: int
    relation: str
    place: str


@dataclass(frozen=True)
class TextWords:
    """The words of a text.

    Attributes
    ----------
    characters : str
        The text without blanks.
    words : list of TextWord
    sentences : list of (int, int)
        The characters of each sentence.
    """

    characters: str
    words: list[TextWord]
    sentences: list[tuple[int, int]]


def text_words(sentences: Sequence[DependencySentence]) -> TextWords:
    """The words of sentences and the characters for which each stands."""
    characters: list[str] = []
    words: list[TextWord] = []
    spans = []
    end = 0
    for sentence in sentences:
        begin, first = end, len(words)
        for numbers, token, has_line in _tokens(sentence):
            start, end = end, end + len(token)
            characters.append(token)
            words += [_word(sentence, number, first, (start, end), has_line) for number in numbers]
        spans.append((begin, end))
    return TextWords("".join(characters), words, spans)


def _word(sentence: DependencySentence, number: int, first: int, span: tuple[int, int], is_part: bool) -> TextWord:
    """A word of a sentence, counted from 1, whose first word is word `first` of the text."""
    head = int(sentence.heads[number - 1])
    return TextWord(
        _without_blanks(sentence.forms[number - 1]).lower(),
        *span,
        is_part,
        first + head - 1 if head > 0 else ROOT if head == 0 else NO_HEAD,
        universal_relation(sentence.relations[number - 1]),
        sentence.place_of_word(number),
    )


def _tokens(sentence: DependencySentence) -> Iterator[tuple[range, str, bool]]:
    """The words of each token, counted from 1, its form without blanks, and whether it has a line of its own."""
    several = {}
    for _, line in sentence.inserted:
        fields = line.split("\t")
        match = NUMBERS.fullmatch(fields[0])
        if match and match[2] == "-":
            several[int(match[1])] = int(match[3]), fields[1]
    number = 1
    while number <= len(sentence):
        last, form = several.get(number, (number, sentence.forms[number - 1]))
        yield range(number, last + 1), _without_blanks(form), number in several
        number = last + 1


def _without_blanks(form: str) -> str:
    return "".join(character for character in form if unicodedata.category(character) != "Zs")


def align_words(gold: TextWords, test: TextWords) -> list[tuple[int, int]]:
    """The pairs of aligned words, as numbers in gold and in test, in order.

    Raises
    ------
    InputError
        The characters of the texts differ.
    """
    _check_characters(gold, test)
    one, other = gold.words, test.words
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < len(one) and j < len(other):
        if one[i].is_part or other[j].is_part:
            first_i, first_j, i, j = _stretch(one, other, i, j)
            pairs += _common(one, other, range(first_i, i), range(first_j, j))
        elif (one[i].start, one[i].stop) == (other[j].start, other[j].stop):
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif one[i].start <= other[j].start:
            i += 1
        else:
            j += 1
    return pairs


def _check_characters(gold: TextWords, test: TextWords) -> None:
    if gold.characters == test.characters:
        return
    pairs = enumerate(zip(gold.characters, test.characters, strict=False))
    shorter = min(len(gold.characters), len(test.characters))
    where = next((k for k, (a, b) in pairs if a != b), shorter)
    places = [
        next((f"{word.form!r} ({word.place})" for word in text.words if word.stop > where), "the end of the file")
        for text in (gold, test)
    ]
    raise InputError(
        f"the texts differ beyond blanks, first at {places[1]} of test and {places[0]} of gold. "
        "Only two tokenisations of one text can be aligned."
    )


def _stretch(one: Sequence[TextWord], other: Sequence[TextWord], i: int, j: int) -> tuple[int, int, int, int]:
    """The words up to the end of a token of several words at i or j, and of all that it overlaps.

    Returns
    -------
    first_i, first_j, last_i, last_j : int
        The words of one and the other are ``first_i:last_i`` and ``first_j:last_j``.
    """
    if one[i].is_part:
        end = one[i].stop
        j += not other[j].is_part and other[j].start < one[i].start
    else:
        end = other[j].stop
        i += not one[i].is_part and one[i].start < other[j].start
    first_i, first_j = i, j
    while not (_is_beyond(one, i, end) and _is_beyond(other, j, end)):
        if i < len(one) and (j >= len(other) or one[i].start <= other[j].start):
            end = max(end, one[i].stop) if one[i].is_part else end
            i += 1
        else:
            end = max(end, other[j].stop) if other[j].is_part else end
            j += 1
    return first_i, first_j, i, j


def _is_beyond(words: Sequence[TextWord], k: int, end: int) -> bool:
    if k >= len(words):
        return True
    return words[k].start >= end if words[k].is_part else words[k].stop > end


def _common(one: Sequence[TextWord], other: Sequence[TextWord], rows: range, columns: range) -> list[tuple[int, int]]:
    """A longest common subsequence of the forms of some words."""
    longest = [[0] * (len(columns) + 1) for _ in range(len(rows) + 1)]
    for r in reversed(range(len(rows))):
        for c in reversed(range(len(columns))):
            is_same = one[rows[r]].form == other[columns[c]].form
            both = longest[r + 1][c + 1] + 1 if is_same else 0
            longest[r][c] = max(both, longest[r + 1][c], longest[r][c + 1])
    pairs = []
    r = c = 0
    while r < len(rows) and c < len(columns):
        if one[rows[r]].form == other[columns[c]].form:
            pairs.append((rows[r], columns[c]))
            r, c = r + 1, c + 1
        elif longest[r][c] == longest[r + 1][c]:
            r += 1
        else:
            c += 1
    return pairs
