"""Readers of sentences with constraints on their trees: marked lines, JSON lines, half-bracketed trees."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from lpcfg_cli.config import CleanSettings
from lpcfg_cli.errors import InputError, SyntaxProblem
from lpcfg_cli.tagging.constraints import Constraints, Span
from lpcfg_cli.tagging.input_text import BLANKS, ENDS, SentenceMarks, refuse_what_is_no_text
from lpcfg_cli.tagging.sentence import InputSentence, InputSettings, Teller
from lpcfg_cli.tagging.tagger import OPEN_TAG
from lpcfg_cli.tagging.text import TextConventions
from lpcfg_cli.treebank.bracket_tokens import TOKEN
from lpcfg_cli.treebank.checked_nodes import TRACE_TAG
from lpcfg_cli.treebank.labels import strip_function_tags
from lpcfg_cli.treebank.presets import with_preset

OPENING, CLOSING, NOT, ALTERNATIVE = "[", "]", "!", "|"
"""Marks of the lines of `read_marked`."""

JSON_KEYS = ("words", "text", "tags", "require", "forbid", "root")


def read_marked(
    lines: Iterable[str], name: str, settings: InputSettings, tell: Teller, conventions: TextConventions
) -> Iterator[InputSentence]:
    """Read words on each line, some with tags, and brackets: ``[NP The/DT company ] said/VBD|VBN [! it is ]``."""
    marks = SentenceMarks(name, tell)
    for number, line in enumerate(lines, 1):
        place = f"{name}:{number}"
        try:
            refuse_what_is_no_text(line, name, number)
            sentence = _marked_sentence(marks.taken_off(line, number), name, number)
        except SyntaxProblem as problem:
            yield InputSentence([], place, problem)
        else:
            yield _respelt(replace(sentence, place=place), conventions)


def _marked_sentence(line: str, name: str, number: int) -> InputSentence:
    words, tags = list[str](), list[tuple[int, tuple[str, ...]]]()
    required, forbidden = list[Span](), list[Span]()
    opened: list[tuple[str, int, int]] = []
    for token in BLANKS.split(line.strip(ENDS)):
        if token.startswith(OPENING):
            opened.append((token[1:], len(words), len(required)))
            required.append(Span(0, 0))  # its place: outer brackets come first
        elif token == CLOSING:
            if not opened or opened[-1][1] == len(words):
                found = "a closing bracket that closes nothing" if not opened else "a bracket without words"
                hint = "Write [NP The company ] with blanks around the closing bracket, or -LSB- and -RSB- for words."
                raise SyntaxProblem(name, number, 1, found, "words in brackets that are opened and closed", hint)
            label, start, at = opened.pop()
            required[at] = Span(start, len(words), label.removeprefix(NOT) or None)
            if label.startswith(NOT):
                forbidden.append(required[at])
                required[at] = Span(0, 0)
        elif token:
            word, allowed = _word_and_tags(token)
            tags += [(len(words), allowed)] if allowed else []
            words.append(word)
    if opened:
        found = f"the bracket [{opened[-1][0]} that is not closed"
        hint = "Close it with ] and a blank before, or write -LSB- for a word that is a bracket."
        raise SyntaxProblem(name, number, 1, found, "as many closing as opening brackets", hint)
    constraints = Constraints(tuple(span for span in required if span.stop), tuple(forbidden), None, tuple(tags))
    return InputSentence([(word, OPEN_TAG) for word in words], constraints=constraints)


def _word_and_tags(token: str) -> tuple[str, tuple[str, ...]]:
    """A word and the tags that it may have: those after its last slash that has no backslash before it."""
    word, slash, tags = token.rpartition("/")
    if not (slash and word and tags) or word.endswith("\\"):
        return token, ()
    return word, tuple(tag for tag in tags.split(ALTERNATIVE) if tag) or (tags,)


def _respelt(sentence: InputSentence, conventions: TextConventions) -> InputSentence:
    """The sentence in the spelling of the treebank; a word with one allowed tag has that tag."""
    words = conventions.respell([word for word, _ in sentence.tokens])
    single = {word: tags[0] for word, tags in sentence.constraints.tags if len(tags) == 1}
    several = tuple((word, tags) for word, tags in sentence.constraints.tags if len(tags) > 1)
    tokens = [(word, single.get(k, tag)) for k, (word, (_, tag)) in enumerate(zip(words, sentence.tokens, strict=True))]
    return replace(sentence, tokens=tokens, constraints=replace(sentence.constraints, tags=several))


def read_json(
    lines: Iterable[str], name: str, settings: InputSettings, tell: Teller, conventions: TextConventions
) -> Iterator[InputSentence]:
    """Read a JSON object on each line: ``words`` or ``text``; ``tags``, ``require``, ``forbid`` and ``root`` if any."""
    for number, line in enumerate(lines, 1):
        place = f"{name}:{number}"
        if not line.strip():
            yield InputSentence([], place)
            continue
        try:
            sentence = _json_sentence(json.loads(line), conventions)
            sentence.constraints.check(len(sentence.tokens))
        except (ValueError, TypeError, RecursionError, InputError) as error:
            hint = 'For example {"words": ["It", "works"], "require": [[0, 1, "NP"]]}; see `lpcfg help constraints`.'
            found = str(error).partition(": line")[0]
            yield InputSentence([], place, SyntaxProblem(name, number, 1, found, "a JSON object", hint))
        else:
            yield _respelt(replace(sentence, place=place), conventions)


def _json_sentence(value: Any, conventions: TextConventions) -> InputSentence:
    """The sentence of a JSON object; raises `TypeError` or `ValueError` with what is wrong."""
    if not isinstance(value, dict):
        raise TypeError(f"{str(value)[:40]!r}, which is no object")
    if unknown := [key for key in value if key not in JSON_KEYS]:
        raise ValueError(f"the key {unknown[0]!r}, which is none of {', '.join(JSON_KEYS)}")
    if ("words" in value) == ("text" in value):
        raise ValueError("an object without words or text, or with both")
    if "text" in value:
        words = conventions.tokenise(_string(value["text"])) if value["text"] != "" else []
    else:
        words = [_string(word) for word in _list(value, "words")]
    given = _list(value, "tags")
    if given and len(given) != len(words):
        raise ValueError(f"{len(given)} tags for {len(words)} words")
    tags = tuple(
        (k, (tag,) if isinstance(tag, str) else tuple(map(_string, tag))) for k, tag in enumerate(given) if tag
    )
    required, forbidden = (tuple(map(_span, _list(value, key))) for key in ("require", "forbid"))
    root = value.get("root")
    constraints = Constraints(required, forbidden, None if root is None else _string(root), tags)
    return InputSentence([(word, OPEN_TAG) for word in words], constraints=constraints)


def _list(value: dict[str, Any], key: str) -> list[Any]:
    """The list of a key, empty if there is none; a string would be taken for a list of its letters."""
    found = value.get(key, [])
    if not isinstance(found, list):
        raise TypeError(f"{repr(found)[:40]} for {key}, which is no list")
    return found


def _string(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise TypeError(f"{value!r} where there should be a string")
    return value


def _span(value: Any) -> Span:
    is_span = isinstance(value, list) and len(value) in (2, 3) and all(type(place) is int for place in value[:2])
    if not is_span or not (len(value) == 2 or value[2] is None or isinstance(value[2], str)):
        raise TypeError(f"{value!r} where there should be [start, stop] or [start, stop, label]")
    return Span(value[0], value[1], value[2] if len(value) == 3 else None)


def read_partial(
    lines: Iterable[str], name: str, settings: InputSettings, tell: Teller, conventions: TextConventions
) -> Iterator[InputSentence]:
    """Read half-bracketed trees: brackets around words, with a label right after the bracket, or a blank and none."""
    clean = with_preset(settings.clean)
    tree: _PartialTree | None = None
    number = 0
    for number, line in enumerate(lines, 1):
        for match in TOKEN.finditer(line):
            if tree is None and match[0] != "(":
                hint = "A half-bracketed tree begins with a bracket, as in (S (NP The company) said so)."
                problem = SyntaxProblem(name, number, match.start() + 1, f"{match[0]!r}", "an opening bracket", hint)
                yield InputSentence([], f"{name}:{number}", problem)
                break
            tree = tree or _PartialTree(clean, f"{name}:{number}")
            tree.add(match[0], line[match.end() : match.end() + 1])
            if tree.is_closed:
                yield tree.sentence()
                tree = None
    if tree is not None:
        hint = "Add the missing bracket."
        problem = SyntaxProblem(name, number, 1, "a tree that is not closed", "a closing bracket", hint)
        yield InputSentence([], tree.place, problem)


class _PartialTree:
    """A half-bracketed tree, token by token.

    Parameters
    ----------
    clean : CleanSettings
        Labels are cut, and wrappers left out, as those of the treebank.
    place : str
    """

    def __init__(self, clean: CleanSettings, place: str):
        self.place, self._clean = place, clean
        self._words: list[str] = []
        self._spans: list[Span] = []
        self._opened: list[tuple[str, int, int]] = []
        self._expects_label = False

    def add(self, token: str, following: str) -> None:
        """Add a token; `following` is the character after it."""
        if token == "(":
            self._opened.append(("", len(self._words), len(self._spans)))
            self._spans.append(Span(0, 0))  # its place: outer brackets come first
            self._expects_label = following not in ("", "(", ")") and not following.isspace()
            return
        if token == ")":
            self._close()
        elif self._expects_label:
            self._opened[-1] = (token, *self._opened[-1][1:])
        elif self._opened[-1][0] != TRACE_TAG:
            self._words.append(token)
        self._expects_label = False

    def _close(self) -> None:
        label, start, at = self._opened.pop()
        if self._clean.strip_functions:
            label = strip_function_tags(label, self._clean.cut_labels_at)
        is_wrapper = not self._opened and label in ("", *self._clean.wrappers)
        if not is_wrapper and start < len(self._words):
            self._spans[at] = Span(start, len(self._words), label or None)

    @property
    def is_closed(self) -> bool:
        """Whether all brackets are closed."""
        return not self._opened

    def sentence(self) -> InputSentence:
        """The words, with the brackets as constraints."""
        required = tuple(span for span in self._spans if span.stop)
        tokens = [(word, OPEN_TAG) for word in self._words]
        return InputSentence(tokens, self.place, constraints=Constraints(required))
