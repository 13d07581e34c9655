"""Reading of one sentence as EVALB reads it, bracket by bracket.

This is slow, and used only for what `bracket_sets` cannot read: lines that are not well-formed trees, from which EVALB
still takes words and brackets, and sentences whose quotation marks must be repaired.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lpcfg_cli.evaluation.parameters import EvalbParameters
from lpcfg_cli.treebank.brackets import TOKEN

PLAIN_TOKEN = re.compile(r"[()]|[^() \t\r\n\f\v]+")
"""The tokens of EVALB, for which a backslash is a letter and does not escape a bracket."""

QUOTE_WORDS = frozenset({"'", '"', "/"})
"""The words to which QUOTE_LABEL applies."""

NOT_CLOSED = -1

SCORED, UNREADABLE = 1, 2
"""Errors after which EVALB still compares the sentence, and errors at which it fails."""


@dataclass
class Quote:
    """A quotation mark, with the places that are needed to put it back after its deletion.

    Attributes
    ----------
    tag, word : str
        Tag and form.
    index : int
        Number of words before it.
    bracket : int
        Number of brackets opened before it.
    open_brackets : list of int
        The brackets that contain it.
    """

    tag: str
    word: str
    index: int
    bracket: int
    open_brackets: list[int]


@dataclass
class ScannedSentence:
    """Words and brackets of one side of a sentence.

    Attributes
    ----------
    words : list of (str, str)
        Tag and form of the words that are not deleted.
    brackets : list of [str, int, int]
        Label and half-open span of every bracket, in the order of opening; the span of a bracket
        that is never closed ends at `NOT_CLOSED`.
    length : int
        Number of words that count for the length.
    quotes : list of Quote
        Quotation marks under a QUOTE_LABEL, deleted or not.
    problem : str
        Description of the error; empty without one.
    error : int
        0, `SCORED` or `UNREADABLE`.
    """

    words: list[tuple[str, str]] = field(default_factory=list)
    brackets: list[list] = field(default_factory=list)
    length: int = 0
    quotes: list[Quote] = field(default_factory=list)
    problem: str = ""
    error: int = 0


def scan_sentence(text: str, parameters: EvalbParameters, has_escapes: bool = True) -> ScannedSentence:
    """The words and brackets of a line, which may be any text.

    Parameters
    ----------
    text : str
    parameters : EvalbParameters
        Determines which words are deleted, do not count for the length, or are quotation marks.
    has_escapes : bool
        Whether ``\\(`` is part of a word.
    """
    pattern = TOKEN if has_escapes else PLAIN_TOKEN
    matches = list(pattern.finditer(text))
    tokens = [match[0] for match in matches]
    after_blank = [match.start() == 0 or text[match.start() - 1].isspace() for match in matches]
    scanner = _Scanner(tokens, after_blank, parameters)
    scanner.run()
    return scanner.sentence


class _Scanner:
    """State of one scan: the position among the tokens and the stack of open brackets."""

    def __init__(self, tokens: list[str], after_blank: list[bool], parameters: EvalbParameters):
        self.tokens, self.after_blank, self.parameters = tokens, after_blank, parameters
        self.sentence = ScannedSentence()
        self.open: list[int] = []
        self.at = 0

    def run(self) -> None:
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token == "(":
                self._opening()
            elif token == ")":
                self._closing()
            else:
                self._fail(UNREADABLE, f"{token!r} where a bracket is expected")
            self.at += 1
        if self.open:
            self._fail(SCORED, f"{_brackets(len(self.open))} not closed")

    def _opening(self) -> None:
        label = ""
        if self._is_text(1) and not self.after_blank[self.at + 1]:
            self.at += 1
            label = self.tokens[self.at]
        if not label and self._is_text(1) and not self._is(2, ")"):
            # EVALB does not read a label after a blank, but other tools write it so
            self.at += 1
            label = self.tokens[self.at]
        if self._is_text(1) and self._is(2, ")"):
            self._word(label, self.tokens[self.at + 1])
            self.at += 2
        elif self._is(1, ")") and self.after_blank[self.at + 1]:
            self._word(label, "")
            self.at += 1
        else:
            self.open.append(len(self.sentence.brackets))
            self.sentence.brackets.append([label, len(self.sentence.words), NOT_CLOSED])

    def _closing(self) -> None:
        if self.open:
            self.sentence.brackets[self.open.pop()][2] = len(self.sentence.words)
        else:
            self._fail(SCORED, "a closing bracket closes nothing")

    def _word(self, tag: str, word: str) -> None:
        sentence, rules = self.sentence, self.parameters
        sentence.length += tag not in rules.delete_for_length
        if tag in rules.quote_labels and word in QUOTE_WORDS:
            place = len(sentence.words), len(sentence.brackets), list(self.open)
            sentence.quotes.append(Quote(tag, word, *place))
        if tag not in rules.delete_labels:
            sentence.words.append((tag, word))

    def _is(self, ahead: int, token: str) -> bool:
        return self.at + ahead < len(self.tokens) and self.tokens[self.at + ahead] == token

    def _is_text(self, ahead: int) -> bool:
        return self.at + ahead < len(self.tokens) and self.tokens[self.at + ahead] not in "()"

    def _fail(self, error: int, problem: str) -> None:
        if error > self.sentence.error:
            self.sentence.error, self.sentence.problem = error, problem


def repair_quotes(gold: ScannedSentence, test: ScannedSentence, delete_labels: tuple[str, ...]) -> None:
    """Put back quotation marks that are deleted by their tag on one side only, as EVALB's QUOTE_LABEL does.

    A mark is put back if the other side has an undeleted mark with another tag after the same number of words.  Both
    sentences are changed in place.  EVALB also shifts the mark itself to the right, so that of two adjacent deleted
    marks the first is put back twice; this function does the same.
    """
    for place, test_quote in enumerate(test.quotes):
        index = test_quote.index
        for gold_place, gold_quote in enumerate(gold.quotes):
            if gold_quote.index != index or gold_quote.tag == test_quote.tag:
                continue
            gold_deleted, test_deleted = gold_quote.tag in delete_labels, test_quote.tag in delete_labels
            if gold_deleted and not test_deleted:
                _put_back(gold, gold_place)
            elif test_deleted and not gold_deleted:
                _put_back(test, place)


def _put_back(sentence: ScannedSentence, place: int) -> None:
    quote = sentence.quotes[place]
    sentence.words.insert(quote.index, (quote.tag, quote.word))
    for bracket in sentence.brackets[quote.bracket :]:
        bracket[1] += 1
        bracket[2] += 1
    for number in quote.open_brackets:
        sentence.brackets[number][2] += 1
    for later in sentence.quotes[place:]:
        later.index += 1


def _brackets(number: int) -> str:
    return "a bracket is" if number == 1 else f"{number} brackets are"
