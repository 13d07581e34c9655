"""The readers of sentences in columns, a word a line: words with tags, and CoNLL-U."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.tagging.input_text import (
    CONLL_COLUMNS,
    ENDS,
    is_empty_element,
    is_sentence_mark,
    refuse_conll,
    refuse_what_is_no_text,
)
from lpcfg_cli.tagging.sentence import InputSentence, InputSettings, Sentence, Teller
from lpcfg_cli.tagging.text import TextConventions

EMPTY = "_"
"""An empty field of CoNLL-U."""

FEW_WORDS = 60
"""Largest number of words that may be one sentence although no line is empty, if it has one full stop at most."""

FULL_STOPS = (".", "?", "!", "。", "؟", "।")

Token = tuple[str, str]


def read_tab(
    lines: Iterable[str], name: str, settings: InputSettings, tell: Teller, conventions: TextConventions
) -> Iterator[InputSentence]:
    """Read a word, a tab and its tag on each line, with an empty line after each sentence.

    Further columns are ignored, with a note; lines of mark-up, such as ``<s>``, end a sentence too.  Ten columns that
    begin with a number are CoNLL, which is refused.
    """
    widths: list[int] = []
    before = ""

    def token(line: str, number: int) -> Token:
        nonlocal before
        fields = line.rstrip("\r").split("\t")
        is_numbered = (before, fields[0]) == ("1", "2") and len(fields) > 2
        before = fields[0]
        refuse_conll(line, name, number, "a word, a tab and its tag")
        if is_numbered:
            hint = "The first is a number: leave it out; -f conllu reads the ten columns of CoNLL-U and CoNLL-X."
            raise SyntaxProblem(name, number, 1, f"{len(fields)} columns", "a word, a tab and its tag", hint)
        if len(fields) < 2 or not fields[0] or not fields[1]:
            hint = "Leave a line empty only between sentences."
            if line.startswith("#"):
                hint = "Remove comments; -f conllu reads CoNLL-U with its comments."
            raise SyntaxProblem(name, number, 1, repr(line[:40]), "a word, a tab and its tag", hint)
        if len(fields) > 2 and not widths:
            widths.append(len(fields))
            tell(f"{name}:{number}: {len(fields)} columns: the first is the word, the second its tag.")
        return fields[0], fields[1]

    yield from _sentences(lines, name, tell, token)


def read_conllu(
    lines: Iterable[str], name: str, settings: InputSettings, tell: Teller, conventions: TextConventions
) -> Iterator[InputSentence]:
    """Read words and tags of CoNLL-U or CoNLL-X: FORM and XPOS, or UPOS for words without XPOS.

    Lines that begin with ``#`` are comments.  Tokens of several words, such as ``3-4``, and empty nodes, such as
    ``8.1``, are left out: the words that they stand for have lines of their own.
    """
    told: list[str] = []

    def token(line: str, number: int) -> Token | None:
        fields = line.rstrip("\r").split("\t")
        if len(fields) != CONLL_COLUMNS:
            hint = "CoNLL-U has tabs between its columns; -f tab reads a word and a tag on each line."
            found = f"{len(fields)} columns"
            raise SyntaxProblem(name, number, 1, found, f"{CONLL_COLUMNS} columns with tabs between", hint)
        if re.fullmatch(r"[0-9]+[-.][0-9]+", fields[0]):
            return None
        _, form, _, upos, xpos = fields[:5]
        if not fields[0].isdecimal() or not form or (xpos or EMPTY) == (upos or EMPTY) == EMPTY:
            found = repr("  ".join(fields[:5])[:60])
            raise SyntaxProblem(
                name, number, 1, found, "a number, a word, and its tag in column 5 or 4", "Add the tag."
            )
        column = "column 4 (UPOS)" if xpos in ("", EMPTY) else "column 5 (XPOS)"
        if column not in told:
            told.append(column)
            tell(f"{name}:{number}: tags are taken from {column}.")
        return "_".join(form.split(" ")), upos if xpos in ("", EMPTY) else xpos

    yield from _sentences(lines, name, tell, token, comment="#")


def _sentences(
    lines: Iterable[str], name: str, tell: Teller, token: Callable[[str, int], Token | None], comment: str = ""
) -> Iterator[InputSentence]:
    """The sentences of lines, each ended by an empty line or the end; the first problem makes a sentence unreadable."""
    tokens: Sentence = []
    first, number, problem, has_ends, is_marked = 0, 0, None, False, False
    for number, line in enumerate(lines, 1):
        if (comment and line.startswith(comment)) or is_empty_element(line):
            continue
        is_mark = is_sentence_mark(line)
        if is_mark and not is_marked:
            is_marked = True
            tell(f"{name}:{number}: lines of mark-up such as <s> are taken as ends of sentences.")
        if is_mark or not line.strip(ENDS):
            if first:
                yield InputSentence([] if problem else tokens, f"{name}:{first}", problem)
            has_ends, tokens, first, problem = True, [], 0, None
            continue
        first = first or number
        try:
            refuse_what_is_no_text(line, name, number)
            found = token(line, number)
            tokens += [] if found is None else [found]
        except SyntaxProblem as error:
            problem = problem or error
    if first:
        n_stops = sum(word in FULL_STOPS for word, _ in tokens)
        if not has_ends and (n_stops > 1 or len(tokens) > FEW_WORDS):
            tell(f"{name}: no line of {number:,} is empty, so all are one sentence. Put an empty line after each.")
        yield InputSentence([] if problem else tokens, f"{name}:{first}", problem)
