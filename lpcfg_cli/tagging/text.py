"""Conversion of running text to the conventions of a treebank: sentences, words, spelling."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

CLITICS = ("n't", "'s")
"""Words that occur only in treebanks that split English contractions."""

SPELLINGS = {
    "(": "-LRB-",
    ")": "-RRB-",
    "[": "-LSB-",
    "]": "-RSB-",
    "{": "-LCB-",
    "}": "-RCB-",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "–": "--",
    "—": "--",
    "…": "...",
}
"""Spellings of characters in older treebanks, which use ASCII, and brackets for trees only."""

BRACKETS = "()[]{}"
OPENING_QUOTE, CLOSING_QUOTE = "``", "''"

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
    has_clitics : bool
        Whether English contractions are split.
    """

    abbreviations: tuple[str, ...] = ()
    starters: tuple[str, ...] = ()
    spellings: tuple[tuple[str, str], ...] = ()
    has_directed_quotes: bool = False
    has_clitics: bool = False

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> TextConventions:
        """Make conventions from JSON, in which tuples are lists."""
        return cls(
            tuple(map(str, values["abbreviations"])),
            tuple(map(str, values["starters"])),
            tuple((found, written) for found, written in values["spellings"] if str.maketrans({found: written})),
            bool(values["has_directed_quotes"]),
            bool(values["has_clitics"]),
        )

    def respell(self, words: Sequence[str]) -> list[str]:
        """The words of a tokenised sentence in the spelling of the treebank."""
        found: list[str] = []
        is_open = False
        for word in words:
            if word == '"' and self.has_directed_quotes:
                found.append(CLOSING_QUOTE if is_open else OPENING_QUOTE)
            else:
                found.append(word.translate(self._spelling))
            if found[-1] in (OPENING_QUOTE, CLOSING_QUOTE):
                is_open = found[-1] == OPENING_QUOTE
        return found

    def tokenise(self, sentence: str) -> list[str]:
        """The words of a sentence: split by NLTK, in the spelling of the treebank."""
        text = sentence.translate(self._marks)
        if self.has_clitics:
            words = self._word_tokenizer.tokenize(text)
            if not self.has_directed_quotes:
                words = ['"' if word in (OPENING_QUOTE, CLOSING_QUOTE) else word for word in words]
        else:
            # the Tok-tok tokenizer escapes two characters
            words = [word.replace("&amp;", "&").replace("&#124;", "|") for word in self._word_tokenizer.tokenize(text)]
        return self.respell(words)

    def sentence_spans(self, text: str) -> list[tuple[int, int]]:
        """Start and stop of each sentence of a text, by Punkt with the abbreviations of the treebank.

        No sentence starts with a lower-case letter: the full stop before it belongs to an unknown abbreviation.
        """
        spans: list[tuple[int, int]] = []
        for start, stop in self._sentence_tokenizer.span_tokenize(text):
            if spans and text[start].islower():
                spans[-1] = (spans[-1][0], stop)
            else:
                spans.append((start, stop))
        return spans

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

        return NLTKWordTokenizer() if self.has_clitics else ToktokTokenizer()

    @cached_property
    def _sentence_tokenizer(self) -> Any:
        from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

        known = PunktParameters()
        known.abbrev_types = set(self.abbreviations)
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
    spellings = ((a, b) for a, b in SPELLINGS.items() if b in written and a not in characters)
    return TextConventions(
        tuple(sorted({word[:-1].lower() for word in word_count if _is_abbreviation(word)})),
        tuple(sorted(_starters(word_count, first_count))),
        tuple(spellings),
        OPENING_QUOTE in word_count and '"' not in characters,
        all(clitic in word_count for clitic in CLITICS),
    )


def _is_abbreviation(word: str) -> bool:
    return word.endswith(".") and word[-2:-1].isalpha()


def _starters(word_count: Counter[str], first_count: Counter[str]) -> Iterator[str]:
    for word, count in first_count.items():
        low = word.lower()
        inside = word_count[word] - count
        if word != low and count >= MIN_STARTER_COUNT and inside < word_count[low]:
            yield low
