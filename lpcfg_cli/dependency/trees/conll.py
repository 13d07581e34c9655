"""CoNLL-X and CoNLL-U: a word a line in ten columns with tabs between, and an empty line after each sentence.

The two formats have the same columns at the same places, so that one reader reads both; what CoNLL-U adds, comments,
tokens of several words such as ``3-4`` and empty nodes such as ``8.1``, is kept as it is.  The library `conllu` is not
used: its errors have no line, it takes lines of any number of columns and any heads, and needs twice the time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from sys import intern

import numpy as np

from lpcfg_cli.dependency.trees.sentence import EMPTY, DependencySentence
from lpcfg_cli.errors import SyntaxProblem

COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
"""CoNLL-U's names; CoNLL-X calls upos cpostag, xpos postag, deps phead and misc pdeprel."""

KEPT = ("lemma", "upos", "xpos", "feats", "deps", "misc")
"""The columns in `DependencySentence.columns`."""

HEAD = COLUMNS.index("head")
BLANK = " \t\r"
NUMBER = re.compile("[0-9]{1,9}")
NUMBERS = re.compile(r"([0-9]{1,9})([-.])([0-9]{1,9})")
FORMAT_HINT = "`lpcfg help formats` describes the ten columns."


def read_conll(lines: Iterable[str], name: str, needs_heads: bool = True) -> Iterator[DependencySentence]:
    """Yield the sentences of lines, each as soon as it is complete; the last one needs no empty line after it.

    Parameters
    ----------
    lines : iterable of str
        Without their newline; a carriage return at the end is left out.
    name : str
        Name of the file, for messages.
    needs_heads : bool
        Whether a missing head, ``_``, is an error.

    Raises
    ------
    SyntaxProblem
        A line does not have ten columns; a word has no form or is not numbered one after the word before it; a head is
        missing, is no number of a word, or is reached again by following heads.
    """
    block = _Block(name, needs_heads)
    for number, line in enumerate(lines, 1):
        if line.strip(BLANK):
            block.add(line.rstrip("\r"), number)
        elif block.words:
            yield block.sentence()
            block = _Block(name, needs_heads)
    if block.words:
        yield block.sentence()


class _Block:
    """The lines of one sentence.

    Attributes
    ----------
    words : list of list of str
        The columns of each word.
    """

    def __init__(self, name: str, needs_heads: bool):
        self._name, self._needs_heads = name, needs_heads
        self._comments: list[str] = []
        self._inserted: list[tuple[int, str]] = []
        self._ranges: list[tuple[int, str, int]] = []
        self._numbers: list[int] = []
        self.words: list[list[str]] = []

    def add(self, line: str, number: int) -> None:
        """Add a line that is not empty, with its number in the file."""
        if line.startswith("#"):
            self._add_comment(line)
            return
        fields = line.split("\t")
        if len(fields) != len(COLUMNS):
            raise self._wrong_columns(line, number, len(fields))
        if fields[0] == str(len(self.words) + 1):
            if not fields[1].strip(" "):
                raise self._problem(number, fields, 1, "a word without a form", "a form in column 2", "Add the form.")
            self.words.append(fields)
            self._numbers.append(number)
        else:
            self._insert(fields, line, number)

    def _add_comment(self, line: str) -> None:
        if self.words:
            self._inserted.append((len(self.words), line))
        else:
            self._comments.append(line)

    def _insert(self, fields: list[str], line: str, number: int) -> None:
        """Add a token of several words or an empty node."""
        done = len(self.words)
        match = NUMBERS.fullmatch(fields[0])
        first, last = (int(match[1]), int(match[3])) if match else (0, 0)
        if match and match[2] == "-" and first == done + 1 <= last:
            self._ranges.append((last, fields[0], number))
        elif not (match and match[2] == "." and first == done):
            expected = f"{done + 1}, the number of the next word"
            hint = f"Words are numbered from 1 in each sentence, with an empty line between sentences. {FORMAT_HINT}"
            raise self._problem(number, fields, 0, repr(fields[0]), expected, hint)
        self._inserted.append((done, line))

    def sentence(self) -> DependencySentence:
        """The sentence of the lines."""
        for last, token, number in self._ranges:
            if last > len(self.words):
                hint = "Correct the numbers, or leave the line out."
                found = f"the token {token}"
                raise SyntaxProblem(self._name, number, 1, found, f"a word {last} in its sentence", hint)
        heads = [self._head(fields, number) for fields, number in zip(self.words, self._numbers, strict=True)]
        self._check_cycles(heads)
        columns = dict(zip(COLUMNS, (tuple(map(intern, c)) for c in zip(*self.words, strict=True)), strict=True))
        tags = zip(columns["upos"], columns["xpos"], strict=True)
        return DependencySentence(
            forms=columns["form"],
            tags=tuple(upos if xpos in ("", EMPTY) else xpos for upos, xpos in tags),
            heads=np.array(heads, np.int32),
            relations=columns["deprel"],
            columns={name: columns[name] for name in KEPT},
            comments=tuple(self._comments),
            inserted=tuple(self._inserted),
            place=f"{self._name}:{self._numbers[0]}",
        )

    def _head(self, fields: list[str], number: int) -> int:
        head, n = fields[HEAD], len(self.words)
        if NUMBER.fullmatch(head) and int(head) <= n:
            return int(head)
        if head != EMPTY:
            hint = "Heads are numbers of words of the same sentence."
            raise self._problem(number, fields, HEAD, f"the head {head!r}", f"0 for the root, or 1 to {n}", hint)
        if self._needs_heads:
            hint = "Sentences without heads can only be parsed."
            raise self._problem(number, fields, HEAD, "a word without a head", "the number of its head", hint)
        return -1

    def _check_cycles(self, heads: list[int]) -> None:
        """Follow the heads of each word up to one that is known to be below the root; O(n)."""
        reached = [0] * (len(heads) + 1)  # the word from which a word was first reached
        for word in range(1, len(heads) + 1):
            above = word
            while above > 0 and not reached[above]:
                reached[above] = word
                above = heads[above - 1]
            if above > 0 and reached[above] == word:
                number, fields = self._numbers[above - 1], self.words[above - 1]
                found = f"word {above} ({fields[1]!r}) is above itself by way of its head {heads[above - 1]}"
                hint = "Correct the heads of this sentence."
                raise self._problem(number, fields, HEAD, found, "heads that lead to the root", hint)

    def _wrong_columns(self, line: str, number: int, found: int) -> SyntaxProblem:
        has_blanks = len(line.split()) == len(COLUMNS)
        hint = "Put tabs, not blanks, between the columns." if has_blanks else FORMAT_HINT
        told = f"{found} column{'' if found == 1 else 's'}"
        return SyntaxProblem(self._name, number, 1, told, f"{len(COLUMNS)} columns with tabs between", hint)

    def _problem(
        self, number: int, fields: list[str], column: int, found: str, expected: str, hint: str
    ) -> SyntaxProblem:
        """The error of a column of a line."""
        place = sum(len(field) + 1 for field in fields[:column]) + 1
        return SyntaxProblem(self._name, number, place, found, expected, hint)


def conll_lines(sentence: DependencySentence) -> Iterator[str]:
    """The lines of a sentence in CoNLL-U, or in CoNLL-X if it was read from that, with the empty line that ends it.

    A sentence that has no columns of its own gets its tags in both columns of tags.
    """
    n = len(sentence)
    own = {
        **dict.fromkeys(KEPT, (EMPTY,) * n),
        **{"upos": sentence.tags, "xpos": sentence.tags, **sentence.columns},
        "id": map(str, range(1, n + 1)),
        "form": sentence.forms,
        "head": (EMPTY if head < 0 else str(head) for head in sentence.heads.tolist()),
        "deprel": sentence.relations,
    }
    words = zip(*(own[name] for name in COLUMNS), strict=True)
    yield from sentence.comments
    inserted: dict[int, list[str]] = {}
    for done, line in sentence.inserted:
        inserted.setdefault(done, []).append(line)
    for done, fields in enumerate(words):
        yield from inserted.get(done, ())
        yield "\t".join(fields)
    yield from inserted.get(n, ())
    yield ""


def conll_text(sentences: Iterable[DependencySentence]) -> str:
    """The text of a file with these sentences; see `conll_lines`."""
    return "".join(f"{line}\n" for sentence in sentences for line in conll_lines(sentence))
