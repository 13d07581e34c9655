"""Rules as text, one or more on a line, as NLTK writes a PCFG: from characters to productions.

    S -> NP VP [1.0]
    NP -> DT NN [0.6] | NP PP [0.4]
    NN -> "dog" [0.5] | "cat" [0.5]

Words stand in quotes.  The numbers of a left-hand side are divided by their sum; if it has none, its rules are equally
probable.  Lines that begin with ``#`` are comments, but ``#:`` precedes a setting: its name, and its value as JSON.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.grammar.rule_text import Place, Token

SETTING = "#:"
ARROW = "->"
ALMOST_ONE = 1e-6
"""Largest difference from 1 of a sum of probabilities that is left as it is, so that they keep their last digits."""

_TOKEN = re.compile(r"\"[^\"]*\"|'[^']*'|\S+")
_NAME = re.compile(r"[^\s\[\]\"']+")
_NUMBER = re.compile(r"\[\s*([0-9.eE+-]+)\s*\]")


@dataclass(frozen=True)
class Production:
    """One rule.

    Attributes
    ----------
    left : str
        A nonterminal.
    right : tuple of str
        Nonterminals, or the entry of one word without its quotes.
    is_word : bool
    probability : float
    places : tuple of Place
        Place of the left-hand side, and of each part of the right-hand side.
    """

    left: str
    right: tuple[str, ...]
    is_word: bool
    probability: float
    places: tuple[Place, ...]


@dataclass
class ProductionText:
    """The productions of a text, and its settings.

    Attributes
    ----------
    path : str
        Name of the text in messages.
    rules : dict of str to list of Production
        By left-hand side, in order.
    settings : dict of str to value
    places : dict of str to Place
        The place of each setting.
    """

    path: str
    rules: dict[str, list[Production]] = field(default_factory=lambda: defaultdict(list))
    settings: dict[str, Any] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)

    def problem(self, place: Place, found: str, expected: str, hint: str) -> SyntaxProblem:
        """An error at a place of this text, for the caller to raise."""
        return SyntaxProblem(self.path, place.line, place.column, found, expected, hint)

    def problem_of_setting(self, name: str, expected: str) -> SyntaxProblem:
        """An error about the value of a setting, for the caller to raise."""
        hint = "Write the grammar again with `lpcfg grammar`, or remove the line."
        return self.problem(self.places[name], f"the setting {name!r}", expected, hint)


def has_productions(text: str) -> bool:
    """Whether the first rule of a text stands on one line: it is then no text of indented blocks."""
    lines = (line.split() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#"))
    first = next(lines, [])
    return len(first) > 2 and first[1] == ARROW and not first[2].startswith("#")


def read_productions(text: str, path: str) -> ProductionText:
    """Read the rules of a text.

    Raises
    ------
    SyntaxProblem
        A line is no rule, or a setting is no JSON.
    """
    found = ProductionText(path)
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith(SETTING):
            _read_setting(line, Place(number, 1), found)
        elif line.strip() and not line.lstrip().startswith("#"):
            tokens = [Token(match[0], Place(number, match.start() + 1)) for match in _TOKEN.finditer(line)]
            for production in _Line(tokens, found).productions():
                found.rules[production.left].append(production)
    if not found.rules:
        raise found.problem(Place(1, 1), "no rule", "lines such as S -> NP VP [1.0]", "Write rules into it.")
    for left, rules in found.rules.items():
        found.rules[left] = _weighed(rules, found)
    return found


def _read_setting(line: str, place: Place, found: ProductionText) -> None:
    name, _, value = line.removeprefix(SETTING).strip().partition(" ")
    try:
        found.settings[name] = json.loads(value)
    except (ValueError, RecursionError) as error:
        hint = "Comments begin with # and a blank."
        raise found.problem(place, repr(line[:40]), "a name and its value as JSON", hint) from error
    found.places[name] = place


def _weighed(rules: list[Production], found: ProductionText) -> list[Production]:
    """The rules of one left-hand side with probabilities that sum to 1."""
    without = [rule for rule in rules if math.isnan(rule.probability)]
    if without and len(without) < len(rules):
        hint = "Give each of its rules a number, or none."
        raise found.problem(without[0].places[0], f"a rule of {rules[0].left} without a number", "[0.5]", hint)
    weights = [1.0] * len(rules) if without else [rule.probability for rule in rules]
    total = math.fsum(weights)
    if not math.isfinite(total):
        raise found.problem(rules[0].places[0], "a sum that is not finite", "smaller numbers", "Divide them.")
    total = 1.0 if abs(total - 1) <= ALMOST_ONE else total
    return [replace(rule, probability=weight / total) for rule, weight in zip(rules, weights, strict=True)]


class _Line:
    """Reads the productions of one line."""

    def __init__(self, tokens: list[Token], text: ProductionText):
        self.tokens, self.text = tokens, text

    def productions(self) -> Iterator[Production]:
        left = self._name(self.tokens[0])
        if len(self.tokens) < 2 or self.tokens[1].text != ARROW:
            self._fail(self.tokens[min(1, len(self.tokens) - 1)], "-> after the first symbol", "Put blanks around ->.")
        first = 2
        for k in range(2, len(self.tokens) + 1):
            if k == len(self.tokens) or self.tokens[k].text == "|":
                yield self._production(left, self.tokens[first:k])
                first = k + 1

    def _production(self, left: str, parts: list[Token]) -> Production:
        probability = math.nan
        if parts and parts[-1].text.startswith("["):
            *parts, last = parts
            probability = self._number(last)
        if not parts:
            self._fail(self.tokens[-1], "symbols or a word on the right-hand side", "No rule is empty.")
        places = (self.tokens[0].place, *(part.place for part in parts))
        quoted = [part for part in parts if part.text[0] in "\"'"]
        if not quoted:
            return Production(left, tuple(self._name(part) for part in parts), False, probability, places)
        if len(parts) > 1:
            self._fail(quoted[0], "a word alone on its side", 'Give the word a tag of its own: DT -> "the".')
        word = quoted[0].text[1:-1]
        if not word or any(char.isspace() for char in word) or quoted[0].text[-1] != quoted[0].text[0]:
            self._fail(quoted[0], "a word between two equal quotes", "A tag that is a quote is written _27__27_.")
        return Production(left, (word,), True, probability, places)

    def _name(self, token: Token) -> str:
        if not _NAME.fullmatch(token.text):
            hint = "Put blanks between symbols and numbers, and words into quotes."
            self._fail(token, "a symbol such as NP", hint)
        return token.text

    def _number(self, token: Token) -> float:
        match = _NUMBER.fullmatch(token.text)
        try:
            value = float(match[1]) if match else math.nan
        except ValueError:
            value = math.nan
        if not (value > 0 and math.isfinite(value)):
            self._fail(token, "a positive number in brackets, such as [0.5]", "Remove rules of probability 0.")
        return value

    def _fail(self, token: Token, expected: str, hint: str) -> NoReturn:
        raise self.text.problem(token.place, repr(token.text), expected, hint)
