"""Reading the sentences to parse: word/TAG lines, tab-separated columns, or trees."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.treebank.brackets import treebank_from_text
from lpcfg_cli.treebank.clean import TRACE_TAG, strip_index

FORMATS = ("slash", "tab", "trees")
_LINE_END = re.compile("\r?\n")
_BLANKS = re.compile("[ \t\f\v]+")

Sentence = list[tuple[str, str]]


def read_sentences(text: str, form: str, path: str) -> Iterator[Sentence]:
    """Yield the sentences of a text.

    Parameters
    ----------
    text : str
    form : {"slash", "tab", "trees"}
        ``word/TAG`` tokens, one sentence a line, the last slash splitting; or one word, tab and tag a line with
        an empty line after each sentence; or bracketed trees, of which words and tags but no traces are taken.
    path : str
        Name of the text in messages.

    Yields
    ------
    list of (word, tag)
        Empty for an empty line of the first format.

    Raises
    ------
    SyntaxProblem
        A token has no tag or no word.
    """
    if form == "trees":
        for sentence in treebank_from_text(text, path).tagged_sentences():
            yield [(word, strip_index(tag)) for word, tag in sentence if tag != TRACE_TAG]
    elif form == "tab":
        yield from _read_tab(text, path)
    else:
        for number, line in enumerate(_lines(text), 1):
            yield read_slash_line(line, path, number)


def read_slash_line(line: str, path: str, number: int) -> Sentence:
    """The (word, tag) pairs of one ``word/TAG`` line; `number` is its 1-based number, for messages."""
    sentence = []
    for token in _BLANKS.split(line.strip(" \t\r\f\v")):
        if not token:
            continue
        word, _, tag = token.rpartition("/")
        if not word or not tag:
            found = f"{token!r} has no {'word' if tag and '/' in token else 'tag'}"
            hint = "Separate word and tag by a slash; tag the text first if it is not tagged."
            raise SyntaxProblem(path, number, line.find(token) + 1, found, "word/TAG", hint)
        sentence.append((word, tag))
    return sentence


def _read_tab(text: str, path: str) -> Iterator[Sentence]:
    sentence: Sentence = []
    for number, line in enumerate(_lines(text), 1):
        if not line.strip():
            if sentence:
                yield sentence
            sentence = []
            continue
        fields = line.rstrip("\r").split("\t")
        if len(fields) < 2 or not fields[0] or not fields[1]:
            hint = "Leave a line empty only between sentences."
            raise SyntaxProblem(path, number, 1, repr(line[:40]), "a word, a tab and its tag", hint)
        sentence.append((fields[0], fields[1]))
    if sentence:
        yield sentence


def _lines(text: str) -> list[str]:
    lines = _LINE_END.split(text)
    if lines and not lines[-1]:
        lines.pop()
    return lines
