"""The text form of grammars with named states: from characters to weighted productions.

A block defines one state of a nonterminal.  Its header starts in the first column, its content is indented::

    NP[sg] ->                           # a phrase: one alternative on each line, weight first
        6  DT[sg] NN[{animal*2 person}] # braces: a weighted choice, here animal twice as often
        1  NP[sg] PP[place]
    NN[animal] =                        # a tag: words, *3 makes a word three times as likely
        cat*3 dog*3 fox

The block ``ROOT`` lists the states that the root of a tree may have.  Weights are relative within a block.  ``(VP)``
before an only child is a phrase between it and its parent.  A ``#`` in the first column or after a blank starts a
comment.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple, NoReturn

from lpcfg_cli.errors import SyntaxProblem

ROOT = "ROOT"

_TOKEN = re.compile(r"(?:\{[^{}]*\}|[^\s{}])+|[{}]")
_COMMENT = re.compile(r"(?<!\S)#.*")
_BRACES = re.compile(r"\{([^{}]*)\}")
_STATE = re.compile(r"([^\s\[\]{}()]+)(?:\[([^\s\[\]{}()]+)\])?")
_STARRED = re.compile(r"(.+)\*(\d+(?:\.\d*)?|\.\d+)")


class State(NamedTuple):
    """The label of a nonterminal and the name of one of its states; the name of an only state may be empty."""

    label: str
    name: str

    def __str__(self) -> str:
        return f"{self.label}[{self.name}]" if self.name else self.label


class Place(NamedTuple):
    """1-based line and column."""

    line: int
    column: int


class Token(NamedTuple):
    """A piece of text without blanks outside braces, and the place where it starts."""

    text: str
    place: Place


@dataclass(frozen=True)
class Alternative:
    """One way to rewrite a state.

    Attributes
    ----------
    probability : float
        Its weight divided by the sum of the block's weights.
    hidden : tuple of str
        Labels of the phrases between parent and only child, top to bottom.
    children : tuple of State
    places : tuple of Place
        Place of each child in the text.
    """

    probability: float
    hidden: tuple[str, ...]
    children: tuple[State, ...]
    places: tuple[Place, ...]


@dataclass(frozen=True)
class Block:
    """The rules of one state: alternatives for a phrase, words for a tag.

    Attributes
    ----------
    state : State
    place : Place
        Place of its header.
    alternatives : tuple of Alternative
    words : dict of str to float, or None
        Probability of each word of a tag; None for a phrase.
    """

    state: State
    place: Place
    alternatives: tuple[Alternative, ...] = ()
    words: dict[str, float] | None = None


class RuleReader:
    """Reads the blocks of one text.

    Parameters
    ----------
    text : str
    path : str
        Name of the text in messages.
    """

    def __init__(self, text: str, path: str):
        self.text, self.path = text, path

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks in order; raises `SyntaxProblem` at the first syntax error."""
        header: list[Token] = []
        lines: list[list[Token]] = []
        for tokens in self._lines():
            if tokens[0].place.column > 1 and not header:
                self._fail(tokens[0], "a header such as NP[sg] -> at the margin", "Begin the line without blanks.")
            if tokens[0].place.column > 1:
                lines.append(tokens)
                continue
            if header:
                yield self._block(header, lines)
            header, lines = tokens, []
        if header:
            yield self._block(header, lines)

    def problem(self, place: Place, found: str, expected: str, hint: str) -> SyntaxProblem:
        """An error at a place of this text, for the caller to raise."""
        return SyntaxProblem(self.path, place.line, place.column, found, expected, hint)

    def _lines(self) -> Iterator[list[Token]]:
        for number, line in enumerate(self.text.splitlines(), 1):
            found = _TOKEN.finditer(_COMMENT.sub("", line))
            tokens = [Token(match[0], Place(number, match.start() + 1)) for match in found]
            if tokens:
                yield tokens

    def _fail(self, token: Token, expected: str, hint: str) -> NoReturn:
        raise self.problem(token.place, repr(token.text), expected, hint)

    def _block(self, header: list[Token], lines: list[list[Token]]) -> Block:
        state = self._state(header[0].text, header[0])
        sign = header[1].text if len(header) > 1 else ""
        if sign not in ("->", "="):
            where = header[1] if len(header) > 1 else header[0]
            self._fail(where, "-> (rules) or = (words) after the header's symbol", "Indent the lines of a block.")
        if sign == "->" and len(header) > 2:
            self._fail(header[2], "the end of the line", "Write each alternative on an indented line of its own.")
        content = lines if sign == "->" else [header[2:], *lines]
        if not any(content):
            self._fail(header[0], "indented lines below this header", "Add rules or words, or remove the header.")
        if sign == "=":
            return Block(state, header[0].place, (), self._words(itertools.chain(*content)))
        alternatives = [alternative for line in content for alternative in self._alternatives(line)]
        total = math.fsum(alternative.probability for alternative in alternatives)
        shares = [replace(alternative, probability=alternative.probability / total) for alternative in alternatives]
        return Block(state, header[0].place, tuple(shares))

    def _words(self, tokens: Iterator[Token]) -> dict[str, float]:
        weights: dict[str, float] = {}
        for token in tokens:
            word, weight = self._starred(token.text, token)
            if word in weights:
                self._fail(token, "a word that this block does not have yet", "Write word*2 for a double weight.")
            weights[word] = weight
        total = math.fsum(weights.values())
        return {word: weight / total for word, weight in weights.items()}

    def _alternatives(self, line: list[Token]) -> Iterator[Alternative]:
        """The alternatives of a line: one for each combination of the choices in braces."""
        weight = self._weight(line[0].text, line[0])
        n_hidden = len(list(itertools.takewhile(lambda token: token.text.startswith("("), line[1:])))
        hidden = tuple(self._hidden(token) for token in line[1 : 1 + n_hidden])
        children = line[1 + n_hidden :]
        if not children:
            self._fail(line[-1], "the symbols that the alternative consists of, after its weight", "Add a child.")
        if hidden and len(children) > 1:
            self._fail(children[1], "only one child after a phrase in round brackets", "Such a phrase has one child.")
        places = tuple(token.place for token in children)
        for combination in itertools.product(*(self._choices(token) for token in children)):
            factor = math.prod(share for _, share in combination)
            yield Alternative(weight * factor, hidden, tuple(state for state, _ in combination), places)

    def _choices(self, token: Token) -> list[tuple[State, float]]:
        """The states that a child may have, with their probabilities."""
        if token.text in ("{", "}"):
            self._fail(token, "braces that open and close on one line", "Write a choice as {first*2 second}.")
        parts: list[list[tuple[str, float]]] = []
        for k, piece in enumerate(_BRACES.split(token.text)):
            options = [(piece, 1.0)]
            if k % 2:  # the split alternates between text outside and inside braces
                options = [self._starred(option, token) for option in piece.split()]
            if not options:
                self._fail(token, "at least one option between the braces", "Write a choice as {first*2 second}.")
            total = math.fsum(weight for _, weight in options)
            parts.append([(text, weight / total) for text, weight in options])
        return [
            (self._state("".join(text for text, _ in chosen), token), math.prod(share for _, share in chosen))
            for chosen in itertools.product(*parts)
        ]

    def _state(self, text: str, token: Token) -> State:
        match = _STATE.fullmatch(text)
        if not match:
            self._fail(token, "a symbol such as NP or NP[sg]", "Brackets may not nest or stay open.")
        return State(match[1], match[2] or "")

    def _hidden(self, token: Token) -> str:
        if not re.fullmatch(r"\([^\s\[\](){}]+\)", token.text):
            self._fail(token, "a label in round brackets, such as (VP)", "A phrase in brackets has no states.")
        return token.text[1:-1]

    def _starred(self, text: str, token: Token) -> tuple[str, float]:
        match = _STARRED.fullmatch(text)
        return (match[1], self._weight(match[2], token)) if match else (text, 1.0)

    def _weight(self, text: str, token: Token) -> float:
        try:
            weight = float(text)
        except ValueError:
            weight = math.nan
        if not (weight > 0 and math.isfinite(weight)):
            self._fail(token, "a positive number, the weight", "Begin an alternative with its weight, as in 2 NP VP.")
        return weight
