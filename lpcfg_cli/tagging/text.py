"""Conversion of running text to the conventions of a treebank: sentences, words, spelling."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from lpcfg_cli.tagging.words import ENGLISH, MAY_BE_WHOLE, StandIns, learn_clitics, with_cut_clitics, with_whole_words

SPELLINGS = {
    "(": "-LRB-",
    ")": "-RRB-",
    "[": "-LSB-",
    "]": "-RSB-",
    "{": "-LCB-",
    "}": "-RCB-",
    "“": "``",
    "”": "''",
    "„": "``",
    "«": "``",
    "»": "''",
    "‘": "`",
    "’": "'",
    "–": "--",
    "—": "--",
    "…": "...",
}
"""Spellings of characters in older treebanks, which use ASCII, and brackets for trees only."""

BRACKETS = "()[]{}"
OPENING_QUOTE, CLOSING_QUOTE = "``", "''"
DOUBLE_QUOTES = "“”„«»"
"""Characters that are written as straight quotes by a treebank that has neither them nor `OPENING_QUOTE`."""

LOW_QUOTE, HIGH_QUOTE = "„“"
"""Opening and closing quotes of German and other languages; the second opens in others."""

LOW_QUOTED = re.compile(f"({LOW_QUOTE}[^{LOW_QUOTE}{HIGH_QUOTE}”]*){HIGH_QUOTE}")
DOTTED = re.compile(r"\b(?:[^\W\d_]\.){2,}")
"""Abbreviations of single letters, such as i.e., in any treebank."""

MIN_STARTER_COUNT = 5
"""Smallest number of sentences that start with a word that counts as a sentence starter."""


@dataclass(frozen=True)
class TextConventions:
    """The tokenization and spelling of a treebank, learnt from its words.

    Attributes
    ----------
    abbreviations : tuple of str
        In lower case, without the final full stop.
    starters : tuple of str
        Words, in lower case, that are capitalised at the start of sentences and rarely elsewhere.
    spellings : tuple of (str, str)
        Characters of raw text, and how the treebank writes them.
    has_directed_quotes : bool
        Whether straight double quotes are written as opening and closing quotes.
    clitics : tuple of str
        Parts of words that are words of their own, in lower case, such as ``n't``, ``'s`` and ``l'``.
    whole : tuple of str
        Words that the rules of the Penn Treebank cut, but the treebank does not.
    """

    abbreviations: tuple[str, ...] = ()
    starters: tuple[str, ...] = ()
    spellings: tuple[tuple[str, str], ...] = ()
    has_directed_quotes: bool = False
    clitics: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> TextConventions:
        """Make conventions from JSON, in which tuples are lists."""
        return cls(
            tuple(map(str, values["abbreviations"])),
            tuple(map(str, values["starters"])),
            tuple((found, written) for found, written in values["spellings"] if str.maketrans({found: written})),
            bool(values["has_directed_quotes"]),
            tuple(map(str, values["clitics"] if "clitics" in values else ENGLISH * bool(values["has_clitics"]))),
            tuple(map(str, values.get("whole", ()))),
        )

    def respell(self, words: Sequence[str]) -> list[str]:
        """The words of a tokenised sentence in the spelling of the treebank."""
        found: list[str] = []
        is_open, is_low = False, False
        for word in words:
            if (word == '"' or (word == HIGH_QUOTE and is_low)) and self.has_directed_quotes:
                found.append(CLOSING_QUOTE if is_open else OPENING_QUOTE)
            else:
                found.append(word.translate(self._spelling))
            if found[-1] in (OPENING_QUOTE, CLOSING_QUOTE):
                is_open = found[-1] == OPENING_QUOTE
                is_low = is_open and word == LOW_QUOTE
        return found

    def tokenise(self, sentence: str) -> list[str]:
        """The words of a sentence: split by NLTK, in the spelling of the treebank.

        Addresses and numbers stay whole, and clitics are cut off if the treebank has them.
        """
        stand_ins = StandIns()
        text = with_whole_words(sentence, self.whole, stand_ins)
        text = with_cut_clitics(text, self.clitics, stand_ins)
        words = self._english_words(text) if self.is_english else self._other_words(text)
        return self.respell([stand_ins.restored(word) for word in words])

    @property
    def is_english(self) -> bool:
        """Whether words are split by the rules of the Penn Treebank: the treebank has one of its clitics."""
        return not set(ENGLISH).isdisjoint(clitic.replace("’", "'") for clitic in self.clitics)

    def _english_words(self, text: str) -> list[str]:
        closed = LOW_QUOTED.sub("\\1”", text)  # before the direction of quotes is lost
        words = self._word_tokenizer.tokenize(closed.translate(self._marks))
        if self.has_directed_quotes:
            return words
        return ['"' if word in (OPENING_QUOTE, CLOSING_QUOTE) else word for word in words]

    def _other_words(self, text: str) -> list[str]:
        # the Tok-tok tokenizer cuts quotes of two characters, and escapes two others
        quoted = text.replace(OPENING_QUOTE, "“").replace(CLOSING_QUOTE, "”")
        return [w.replace("&amp;", "&").replace("&#124;", "|") for w in self._word_tokenizer.tokenize(quoted)]

    def sentence_spans(self, text: str) -> list[tuple[int, int]]:
        """Start and stop of each sentence of a text, by Punkt with the abbreviations of the treebank.

        No sentence starts with a lower-case letter: the full stop before it belongs to an unknown abbreviation.
        """
        spans: list[tuple[int, int]] = []
        dotted = {match[0][:-1].lower() for match in DOTTED.finditer(text)}
        tokenizer = self._sentence_tokenizer
        tokenizer._params.abbrev_types = set(self.abbreviations) | dotted
        for start, stop in tokenizer.span_tokenize(text):
            if spans and text[start].islower():
                spans[-1] = (spans[-1][0], stop)
            else:
                spans.append((start, stop))
        return spans

    def with_abbreviations(self, words: Iterable[str]) -> TextConventions:
        """The conventions with further abbreviations, with or without their full stop."""
        more = {word.strip().removesuffix(".").lower() for word in words} - {""}
        return replace(self, abbreviations=tuple(sorted({*self.abbreviations, *more})))

    @cached_property
    def _spelling(self) -> dict[int, str]:
        return str.maketrans(dict(self.spellings))

    @cached_property
    def _marks(self) -> dict[int, str]:
        """The spellings that the tokenizer can read: of quotes, dashes and dots, but not of brackets."""
        return str.maketrans({found: written for found, written in self.spellings if found not in BRACKETS})

    @cached_property
    def _word_tokenizer(self) -> Any:
        from nltk.tokenize import NLTKWordTokenizer, ToktokTokenizer

        return NLTKWordTokenizer() if self.is_english else ToktokTokenizer()

    @cached_property
    def _sentence_tokenizer(self) -> Any:
        from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

        known = PunktParameters()
        known.sent_starters = set(self.starters)
        return PunktSentenceTokenizer(known)


def learn_conventions(sentences: Iterable[Sequence[str]]) -> TextConventions:
    """Learn the conventions of a treebank from its words.

    Parameters
    ----------
    sentences : iterable of sequence of str
        The words of each sentence.
    """
    word_count: Counter[str] = Counter()
    first_count: Counter[str] = Counter()
    for words in sentences:
        word_count.update(words)
        first_count.update(words[:1])
    characters = {char for word in word_count for char in word}
    written = characters | word_count.keys()
    spellings = {a: b for a, b in SPELLINGS.items() if b in written and a not in characters}
    if '"' in characters:
        spellings = dict.fromkeys((quote for quote in DOUBLE_QUOTES if quote not in characters), '"') | spellings
    return TextConventions(
        tuple(sorted({word[:-1].lower() for word in word_count if _is_abbreviation(word)})),
        tuple(sorted(_starters(word_count, first_count))),
        tuple(spellings.items()),
        OPENING_QUOTE in word_count and '"' not in characters,
        learn_clitics(word_count),
        tuple(word for word in MAY_BE_WHOLE if word in word_count),
    )


def _is_abbreviation(word: str) -> bool:
    return word.endswith(".") and word[-2:-1].isalpha()


def _starters(word_count: Counter[str], first_count: Counter[str]) -> Iterator[str]:
    for word, count in first_count.items():
        low = word.lower()
        inside = word_count[word] - count
        if word != low and count >= MIN_STARTER_COUNT and inside < word_count[low]:
            yield low
