"""Reading the sentences to parse: word/TAG lines, tab-separated columns, or trees."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lpcfg_cli.config import ReadSettings
from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.treebank.brackets import join_texts, new_string_table, parse_brackets
from lpcfg_cli.treebank.clean import TRACE_TAG, strip_index
from lpcfg_cli.treebank.lines import STDIN, STDIN_NAME, stream_lines

FORMATS = ("slash", "tab", "trees")
_BLANKS = re.compile("[ \t\f\v]+")
_ENDS = " \t\r\f\v"

Sentence = list[tuple[str, str]]
Teller = Callable[[str], None]
"""Takes a note for the user."""


def silent(note: str) -> None:
    """A teller that tells nobody."""


@dataclass(frozen=True)
class InputSentence:
    """A sentence to parse.

    Attributes
    ----------
    tokens : list of (word, tag)
        Empty for an empty line.
    place : str
        Where it stands, for messages.
    problem : SyntaxProblem or None
        Why it cannot be read; it has no tokens then.
    """

    tokens: Sentence
    place: str = ""
    problem: SyntaxProblem | None = field(default=None)


def open_sentences(
    source: str | Path, form: str, settings: ReadSettings, tell: Teller = silent
) -> Iterator[InputSentence]:
    """Yield the sentences of a file, or of standard input with ``-``, as they come.

    Parameters
    ----------
    source : path
    form : {"slash", "tab", "trees"}
        ``word/TAG`` tokens, one sentence a line, the last slash splitting; or one word, tab and tag a line with
        an empty line after each sentence; or bracketed trees, of which words and tags but no traces are taken.
    settings : ReadSettings
        With ``on_error = "skip"`` a sentence that cannot be read is yielded with its problem.
    tell : function of str
        Told what is passed over in a file of trees.

    Raises
    ------
    InputError, SyntaxProblem
        The source cannot be read or decoded, or a token has no tag or no word.
    """
    name = STDIN_NAME if str(source) == STDIN else str(source)
    lines = stream_lines(source, settings.encoding)
    return read_input(lines, form, name, settings.on_error, tell)


def read_input(
    lines: Iterable[str], form: str, name: str, on_error: str = "stop", tell: Teller = silent
) -> Iterator[InputSentence]:
    """The sentences of lines without their newline; see `open_sentences`."""
    if form == "trees":
        return _read_trees(lines, name, on_error, tell)
    found = _read_tab(lines, name) if form == "tab" else _read_slash(lines, name)
    return found if on_error == "skip" else map(_raise_problem, found)


def read_sentences(text: str, form: str, path: str) -> Iterator[Sentence]:
    """The tokens of the sentences of a text, for experiments."""
    lines = text.split("\n")
    return (sentence.tokens for sentence in read_input(lines[:-1] if lines[-1] == "" else lines, form, path))


def _raise_problem(sentence: InputSentence) -> InputSentence:
    if sentence.problem is not None:
        raise sentence.problem
    return sentence


def _read_slash(lines: Iterable[str], name: str) -> Iterator[InputSentence]:
    for number, line in enumerate(lines, 1):
        try:
            yield InputSentence(read_slash_line(line, name, number), f"{name}:{number}")
        except SyntaxProblem as problem:
            yield InputSentence([], f"{name}:{number}", problem)


def read_slash_line(line: str, name: str, number: int) -> Sentence:
    """The (word, tag) pairs of one ``word/TAG`` line; `number` is its 1-based number, for messages."""
    _refuse_nul(line, name, number)
    sentence = []
    for token in _BLANKS.split(line.strip(_ENDS)):
        if not token:
            continue
        word, _, tag = token.rpartition("/")
        if not word or not tag:
            found = f"{token[:80]!r} has no {'word' if tag and '/' in token else 'tag'}"
            hint = (
                "Text without tags must be tagged first; -f tab and -f trees read other forms, "
                "and --on-error skip goes on after such a line."
            )
            raise SyntaxProblem(name, number, _column(line, token), found, "word/TAG", hint)
        sentence.append((word, tag))
    return sentence


def _column(line: str, token: str) -> int:
    match = re.search(rf"(?:^|[{_ENDS}]){re.escape(token)}(?=[{_ENDS}]|$)", line)
    return match.end() - len(token) + 1 if match else 1


def _refuse_nul(line: str, name: str, number: int) -> None:
    if (column := line.find("\0")) >= 0:
        hint = "The input is no text, or of another encoding such as utf-16: name it with --encoding."
        raise SyntaxProblem(name, number, column + 1, "a NUL character", "text", hint)


def _read_tab(lines: Iterable[str], name: str) -> Iterator[InputSentence]:
    tokens: Sentence = []
    first, problem = 0, None
    for number, line in enumerate(lines, 1):
        if not line.strip(_ENDS):
            if first:
                yield InputSentence([] if problem else tokens, f"{name}:{first}", problem)
            tokens, first, problem = [], 0, None
            continue
        first = first or number
        try:
            tokens.append(_read_tab_line(line, name, number))
        except SyntaxProblem as error:
            problem = problem or error
    if first:
        yield InputSentence([] if problem else tokens, f"{name}:{first}", problem)


def _read_tab_line(line: str, name: str, number: int) -> tuple[str, str]:
    _refuse_nul(line, name, number)
    fields = line.rstrip("\r").split("\t")
    if len(fields) < 2 or not fields[0] or not fields[1]:
        hint = "Leave a line empty only between sentences."
        raise SyntaxProblem(name, number, 1, repr(line[:40]), "a word, a tab and its tag", hint)
    return fields[0], fields[1]


def _read_trees(lines: Iterable[str], name: str, on_error: str, tell: Teller) -> Iterator[InputSentence]:
    strings = new_string_table()
    text = parse_brackets("\n".join(lines), strings, name, on_error)
    for told in (*text.notes, *text.skipped):
        tell(str(told))
    for number, sentence in enumerate(join_texts([text], strings).tagged_sentences(), 1):
        tokens = [(word, strip_index(tag)) for word, tag in sentence if tag != TRACE_TAG]
        yield InputSentence(tokens, f"{name} tree {number}")
