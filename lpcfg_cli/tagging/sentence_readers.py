"""The readers of sentence formats: lines in, sentences out, each as soon as it is complete."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.storage.inputs import LiveLines
from lpcfg_cli.tagging.input_text import BLANKS, ENDS, SentenceMarks, refuse_conll, refuse_what_is_no_text
from lpcfg_cli.tagging.sentence import InputSentence, InputSettings, Sentence, Teller
from lpcfg_cli.tagging.tagger import OPEN_TAG
from lpcfg_cli.tagging.text import TextConventions
from lpcfg_cli.treebank.dropping import without_marks
from lpcfg_cli.treebank.formats import format_of_file
from lpcfg_cli.treebank.tree_parts import read_tree_part, tree_parts

_SENTENCE_ENDS = re.compile("[.?!]")
NEXT = "Xx"
"""Stands for the first word of the next sentence."""


def read_slash(
    lines: Iterable[str], name: str, settings: InputSettings, tell: Teller, conventions: TextConventions
) -> Iterator[InputSentence]:
    """Read ``word/TAG`` tokens, one sentence on each line; a token is split at its last slash."""
    return _read_tokens("/", lines, name, tell)


def read_underscore(
    lines: Iterable[str], name: str, settings: InputSettings, tell: Teller, conventions: TextConventions
) -> Iterator[InputSentence]:
    """Read ``word_TAG`` tokens, one sentence on each line; a token is split at its last underscore."""
    return _read_tokens("_", lines, name, tell)


def read_hash(
    lines: Iterable[str], name: str, settings: InputSettings, tell: Teller, conventions: TextConventions
) -> Iterator[InputSentence]:
    """Read ``word#TAG`` tokens, one sentence on each line; a token is split at its last number sign."""
    return _read_tokens("#", lines, name, tell)


def read_bar(
    lines: Iterable[str], name: str, settings: InputSettings, tell: Teller, conventions: TextConventions
) -> Iterator[InputSentence]:
    """Read ``word|TAG`` tokens, one sentence on each line; a token is split at its last bar."""
    return _read_tokens("|", lines, name, tell)


SEPARATORS = {"/": "slash", "_": "underscore", "#": "hash", "|": "bar"}
"""Characters between words and tags, and the formats that have them."""


def _read_tokens(separator: str, lines: Iterable[str], name: str, tell: Teller) -> Iterator[InputSentence]:
    marks = SentenceMarks(name, tell)
    for number, line in enumerate(lines, 1):
        try:
            tokens = _token_line(marks.taken_off(line, number), name, number, separator)
            yield InputSentence(tokens, f"{name}:{number}")
        except SyntaxProblem as problem:
            yield InputSentence([], f"{name}:{number}", problem)


def _token_line(line: str, name: str, number: int, separator: str) -> Sentence:
    """The (word, tag) pairs of one line; `number` is its 1-based number, for messages."""
    refuse_what_is_no_text(line, name, number)
    sentence = []
    for token in BLANKS.split(line.strip(ENDS)):
        if not token:
            continue
        word, _, tag = token.rpartition(separator)
        if not word or not tag:
            found = f"{token[:80]!r} has no {'word' if tag and separator in token else 'tag'}"
            raise SyntaxProblem(
                name, number, _column(line, token), found, f"word{separator}TAG", _hint(line, separator)
            )
        sentence.append((word, tag))
    return sentence


def _hint(line: str, separator: str) -> str:
    """What to do about a line that has another separator or no tags."""
    tokens = line.split()
    for other, form in SEPARATORS.items():
        if other != separator and tokens and all(0 < token.rfind(other) < len(token) - 1 for token in tokens):
            return f"-f {form} reads word{other}TAG, and --on-error skip continues after such a line."
    return (
        "--raw and --text read text without tags, -f tab and -f trees read other formats, "
        "and --on-error skip continues after such a line."
    )


def _column(line: str, token: str) -> int:
    match = re.search(rf"(?:^|[{ENDS}]){re.escape(token)}(?=[{ENDS}]|$)", line)
    return match.end() - len(token) + 1 if match else 1


def read_trees(
    lines: Iterable[str], name: str, settings: InputSettings, tell: Teller, conventions: TextConventions
) -> Iterator[InputSentence]:
    """Read the words and tags of trees, cleaned as for training.

    Of `LiveLines`, each tree in brackets is read as soon as these are closed; otherwise the whole input is read first.
    """
    if isinstance(lines, LiveLines) and format_of_file(name, settings.format).is_bracketed:
        parts: Iterable[tuple[int, str]] = tree_parts(lines)
    else:
        parts = [(1, "".join(f"{line}\n" for line in lines))]
    skips = settings.on_error == "skip"
    clean = replace(settings.clean, drop_bare_traces=settings.clean.drop_bare_traces or skips)
    for first, part in parts:
        text, trees, numbers = read_tree_part(first, part, name, settings)
        for told in (*text.notes, *text.skipped):
            tell(str(told))
        language, _ = without_marks(trees, clean)
        for line, tokens in zip(numbers, language.tagged_sentences(), strict=True):
            yield InputSentence(tokens, f"{name}:{line}")


def read_raw(
    lines: Iterable[str], name: str, settings: InputSettings, tell: Teller, conventions: TextConventions
) -> Iterator[InputSentence]:
    """Read words without tags, one sentence on each line."""
    marks = SentenceMarks(name, tell)
    start = 0
    for number, whole in enumerate(lines, 1):
        line = marks.taken_off(whole, number)
        try:
            refuse_what_is_no_text(line, name, number)
            refuse_conll(line, name, number, "words with blanks between")
        except SyntaxProblem as problem:
            yield InputSentence([], f"{name}:{number}", problem)
        else:
            words = [word for word in BLANKS.split(line.strip(ENDS)) if word]
            yield _untagged(conventions.respell(words), f"{name}:{number}", line, start)
        start += len(whole) + 1


def _untagged(words: Iterable[str], place: str, text: str, start: int) -> InputSentence:
    return InputSentence([(word, OPEN_TAG) for word in words], place, text=text, start=start)


def read_text(
    lines: Iterable[str], name: str, settings: InputSettings, tell: Teller, conventions: TextConventions
) -> Iterator[InputSentence]:
    """Read the sentences of running text, each as soon as the next one starts; an empty line ends a paragraph.

    In `LiveLines`, a sentence also ends with its line, unless that ends with an abbreviation: its writer waits for the
    tree.
    """
    rest, marks = _Paragraph(name, conventions), SentenceMarks(name, tell)
    start = 0
    for number, whole in enumerate(lines, 1):
        line = marks.taken_off(whole, number)
        try:
            refuse_what_is_no_text(line, name, number)
        except SyntaxProblem as problem:
            yield from rest.sentences(is_over=True)
            yield InputSentence([], f"{name}:{number}", problem)
            start += len(whole) + 1
            continue
        rest.lines.append((number, line, start))
        start += len(whole) + 1
        is_over = not line.strip() or (isinstance(lines, LiveLines) and rest.ends_a_sentence())
        if is_over or _SENTENCE_ENDS.search(line):
            yield from rest.sentences(is_over)
    yield from rest.sentences(is_over=True)


class _Paragraph:
    """The lines of running text whose sentences are not yet complete.

    Attributes
    ----------
    lines : list of (number, text, number of characters before it)
    """

    def __init__(self, name: str, conventions: TextConventions):
        self.lines: list[tuple[int, str, int]] = []
        self._name, self._conventions = name, conventions

    def ends_a_sentence(self) -> bool:
        """Whether the text so far ends a sentence, whatever the next one is."""
        text = "\n".join(line for _, line, _ in self.lines)
        if not _SENTENCE_ENDS.search(self.lines[-1][1]):
            return False
        return self._conventions.sentence_spans(f"{text}\n{NEXT}")[-1][0] > len(text)

    def sentences(self, is_over: bool) -> Iterator[InputSentence]:
        """Remove and yield the complete sentences: all if the paragraph is over, else all but the last."""
        text = "\n".join(line for _, line, _ in self.lines)
        spans = self._conventions.sentence_spans(text)
        complete = spans if is_over else spans[:-1]
        for start, stop in complete:
            number = self.lines[text.count("\n", 0, start)][0]
            words = self._conventions.tokenise(" ".join(text[start:stop].split()))
            yield _untagged(words, f"{self._name}:{number}", text[start:stop], self.lines[0][2] + start)
        if is_over:
            self.lines = []
        elif complete:
            begin = spans[-1][0]
            first = text.count("\n", 0, begin)
            number, line, before = self.lines[first]
            cut = begin - (text.rfind("\n", 0, begin) + 1)
            self.lines = [(number, line[cut:], before + cut), *self.lines[first + 1 :]]
