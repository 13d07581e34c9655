"""The readers of sentence formats: lines in, sentences out, each as soon as it is complete."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lpcfg_cli.config import ReadSettings
from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.storage.inputs import LiveLines
from lpcfg_cli.tagging.sentence import InputSentence, Sentence, Teller
from lpcfg_cli.tagging.tagger import OPEN_TAG
from lpcfg_cli.tagging.text import TextConventions
from lpcfg_cli.treebank.clean import TRACE_TAG, strip_index
from lpcfg_cli.treebank.escaped_bytes import NOT_TEXT, described
from lpcfg_cli.treebank.tree_parts import read_tree_part, tree_parts
from lpcfg_cli.treebank.usable import LONGEST_WORD, word_too_long

_BLANKS = re.compile("[ \t\f\v]+")
_ENDS = " \t\r\f\v"
_SENTENCE_ENDS = re.compile("[.?!]")
NEXT = "Xx"
"""Stands for the first word of the next sentence."""

_LONG = re.compile(f"[^{_ENDS}]{{{LONGEST_WORD + 1},}}")


def read_slash(
    lines: Iterable[str], name: str, settings: ReadSettings, tell: Teller, conventions: TextConventions
) -> Iterator[InputSentence]:
    """Read ``word/TAG`` tokens, one sentence on each line; a token is split at its last slash."""
    for number, line in enumerate(lines, 1):
        try:
            yield InputSentence(read_slash_line(line, name, number), f"{name}:{number}")
        except SyntaxProblem as problem:
            yield InputSentence([], f"{name}:{number}", problem)


def read_slash_line(line: str, name: str, number: int) -> Sentence:
    """The (word, tag) pairs of one ``word/TAG`` line; `number` is its 1-based number, for messages."""
    _refuse_what_is_no_text(line, name, number)
    sentence = []
    for token in _BLANKS.split(line.strip(_ENDS)):
        if not token:
            continue
        word, _, tag = token.rpartition("/")
        if not word or not tag:
            found = f"{token[:80]!r} has no {'word' if tag and '/' in token else 'tag'}"
            hint = (
                "--raw and --text read text without tags, -f tab and -f trees read other formats, "
                "and --on-error skip continues after such a line."
            )
            raise SyntaxProblem(name, number, _column(line, token), found, "word/TAG", hint)
        sentence.append((word, tag))
    return sentence


def _column(line: str, token: str) -> int:
    match = re.search(rf"(?:^|[{_ENDS}]){re.escape(token)}(?=[{_ENDS}]|$)", line)
    return match.end() - len(token) + 1 if match else 1


def _refuse_what_is_no_text(line: str, name: str, number: int) -> None:
    if wrong := NOT_TEXT.search(line):
        found = described(wrong[0], "in the encoding of the input")
        hint = "The input is not text, or is in another encoding such as utf-16 or latin-1: name it with --encoding."
        raise SyntaxProblem(name, number, wrong.start() + 1, found, "text", hint)
    if len(line) > LONGEST_WORD and (long := _LONG.search(line)):
        raise word_too_long(name, number, long.start() + 1, long[0])


def read_tab(
    lines: Iterable[str], name: str, settings: ReadSettings, tell: Teller, conventions: TextConventions
) -> Iterator[InputSentence]:
    """Read a word, a tab and its tag on each line, with an empty line after each sentence; ignores further columns."""
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
    _refuse_what_is_no_text(line, name, number)
    fields = line.rstrip("\r").split("\t")
    if len(fields) < 2 or not fields[0] or not fields[1]:
        hint = "Leave a line empty only between sentences."
        raise SyntaxProblem(name, number, 1, repr(line[:40]), "a word, a tab and its tag", hint)
    return fields[0], fields[1]


def read_trees(
    lines: Iterable[str], name: str, settings: ReadSettings, tell: Teller, conventions: TextConventions
) -> Iterator[InputSentence]:
    """Read the words and tags of trees, without traces; of `LiveLines` each tree as soon as its brackets are closed."""
    parts = tree_parts(lines) if isinstance(lines, LiveLines) else [(1, "".join(f"{line}\n" for line in lines))]
    for first, part in parts:
        text, trees, numbers = read_tree_part(first, part, name, settings)
        for told in (*text.notes, *text.skipped):
            tell(str(told))
        for line, sentence in zip(numbers, trees.tagged_sentences(), strict=True):
            tokens = [(word, strip_index(tag)) for word, tag in sentence if tag != TRACE_TAG]
            yield InputSentence(tokens, f"{name}:{line}")


def read_raw(
    lines: Iterable[str], name: str, settings: ReadSettings, tell: Teller, conventions: TextConventions
) -> Iterator[InputSentence]:
    """Read words without tags, one sentence on each line."""
    for number, line in enumerate(lines, 1):
        try:
            _refuse_what_is_no_text(line, name, number)
        except SyntaxProblem as problem:
            yield InputSentence([], f"{name}:{number}", problem)
            continue
        words = [word for word in _BLANKS.split(line.strip(_ENDS)) if word]
        yield _untagged(conventions.respell(words), f"{name}:{number}")


def _untagged(words: Iterable[str], place: str) -> InputSentence:
    return InputSentence([(word, OPEN_TAG) for word in words], place)


def read_text(
    lines: Iterable[str], name: str, settings: ReadSettings, tell: Teller, conventions: TextConventions
) -> Iterator[InputSentence]:
    """Read the sentences of running text, each as soon as the next one starts; an empty line ends a paragraph.

    In `LiveLines`, a sentence also ends with its line, unless that ends with an abbreviation: its writer waits for the
    tree.
    """
    rest = _Paragraph(name, conventions)
    for number, line in enumerate(lines, 1):
        try:
            _refuse_what_is_no_text(line, name, number)
        except SyntaxProblem as problem:
            yield from rest.sentences(is_over=True)
            yield InputSentence([], f"{name}:{number}", problem)
            continue
        rest.lines.append((number, line))
        is_over = not line.strip() or (isinstance(lines, LiveLines) and rest.ends_a_sentence())
        if is_over or _SENTENCE_ENDS.search(line):
            yield from rest.sentences(is_over)
    yield from rest.sentences(is_over=True)


class _Paragraph:
    """The lines of running text whose sentences are not yet complete.

    Attributes
    ----------
    lines : list of (number, text)
    """

    def __init__(self, name: str, conventions: TextConventions):
        self.lines: list[tuple[int, str]] = []
        self._name, self._conventions = name, conventions

    def ends_a_sentence(self) -> bool:
        """Whether the text so far ends a sentence, whatever the next one is."""
        text = "\n".join(line for _, line in self.lines)
        if not _SENTENCE_ENDS.search(self.lines[-1][1]):
            return False
        return self._conventions.sentence_spans(f"{text}\n{NEXT}")[-1][0] > len(text)

    def sentences(self, is_over: bool) -> Iterator[InputSentence]:
        """Remove and yield the complete sentences: all if the paragraph is over, else all but the last."""
        text = "\n".join(line for _, line in self.lines)
        spans = self._conventions.sentence_spans(text)
        complete = spans if is_over else spans[:-1]
        for start, stop in complete:
            number, _ = self.lines[text.count("\n", 0, start)]
            words = self._conventions.tokenise(" ".join(text[start:stop].split()))
            yield _untagged(words, f"{self._name}:{number}")
        if is_over:
            self.lines = []
        elif complete:
            begin = spans[-1][0]
            first = text.count("\n", 0, begin)
            own = self.lines[first][1][begin - (text.rfind("\n", 0, begin) + 1) :]
            self.lines = [(self.lines[first][0], own), *self.lines[first + 1 :]]
