"""Lines of sentences: blanks, marks around sentences, and what is no text."""

from __future__ import annotations

import re

from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.tagging.sentence import Teller
from lpcfg_cli.treebank.escaped_bytes import NOT_TEXT, described
from lpcfg_cli.treebank.usable import LONGEST_WORD, word_too_long

CONLL_COLUMNS = 10
BLANKS = re.compile("[ \t\f\v]+")
ENDS = " \t\r\f\v"
"""Characters that are removed from the ends of lines."""

_LONG = re.compile(f"[^{ENDS}]{{{LONGEST_WORD + 1},}}")
_MARK_UP_LINE = re.compile(rf"</?[A-Za-z](?:[^<>\t]*[^<>\t/])?>[{ENDS}]*")
_EMPTY_ELEMENT = re.compile(rf"<[A-Za-z][^<>\t]*/>[{ENDS}]*")
_OPENING = re.compile(rf"^[{ENDS}]*<s(?: [^<>]*)?>(?=[{ENDS}]|$)", re.IGNORECASE)
_CLOSING = re.compile(rf"(?:^|(?<=[{ENDS}]))</s>[{ENDS}]*$", re.IGNORECASE)


def refuse_what_is_no_text(line: str, name: str, number: int) -> None:
    """Raise a `SyntaxProblem` if a line has what is no text, or a word that is too long to be one."""
    if wrong := NOT_TEXT.search(line):
        found = described(wrong[0], "in the encoding of the input")
        hint = "The input is not text, or is in another encoding such as utf-16 or latin-1: name it with --encoding."
        raise SyntaxProblem(name, number, wrong.start() + 1, found, "text", hint)
    if len(line) > LONGEST_WORD and (long := _LONG.search(line)):
        raise word_too_long(name, number, long.start() + 1, long[0])


def refuse_conll(line: str, name: str, number: int, expected: str) -> None:
    """Raise a `SyntaxProblem` if a line has the ten columns of CoNLL-U or CoNLL-X, of which the first is a number."""
    if line.count("\t") == CONLL_COLUMNS - 1 and line.partition("\t")[0].isdecimal():
        hint = "The first is a number: -f conllu reads the ten columns of CoNLL-U and CoNLL-X."
        raise SyntaxProblem(name, number, 1, f"{CONLL_COLUMNS} columns", expected, hint)


def is_sentence_mark(line: str) -> bool:
    """Whether a line has mark-up only, such as ``<s>``, ``<doc id="1">`` or ``</s>``, but no empty element."""
    return line[:1] == "<" and _MARK_UP_LINE.fullmatch(line) is not None


def is_empty_element(line: str) -> bool:
    """Whether a line is an empty element, such as ``<g/>``, which stands between words."""
    return line[:1] == "<" and _EMPTY_ELEMENT.fullmatch(line) is not None


class SentenceMarks:
    """Takes ``<s>`` and ``</s>`` off lines, and says so once.

    Parameters
    ----------
    name : str
        Of the input.
    tell : function of str
    """

    def __init__(self, name: str, tell: Teller):
        self._name, self._tell, self._has_told = name, tell, False

    def taken_off(self, line: str, number: int) -> str:
        """The line without them; they are replaced by blanks, so that columns stay."""
        if "<" not in line:
            return line
        bare = _CLOSING.sub(_as_blanks, _OPENING.sub(_as_blanks, line, count=1))
        if bare != line and not self._has_told:
            self._has_told = True
            self._tell(f"{self._name}:{number}: the marks <s> and </s> around sentences are taken off.")
        return bare


def _as_blanks(match: re.Match[str]) -> str:
    return " " * len(match[0])
