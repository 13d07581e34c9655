"""Running text as the treebank would have it: sentences, words, spelling."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

CLITICS = ("n't", "'s")
"""Words that only a treebank has that cuts English contractions."""

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
"""How old treebanks, which are in ASCII and use brackets for trees, write characters."""

BRACKETS = "()[]{}"
OPENING_QUOTE, CLOSING_QUOTE = "``", "''"

MIN_STARTER_COUNT = 5
"""Sentences that a word must begin before it tells an abbreviation's full stop from a sentence's."""


@dataclass(frozen=True)
class TextConventions:
    """How a treebank cuts and spells words, learnt from its words.

    Attributes
    ----------
    abbreviations : tuple of str
        Lower-cased and without their last full stop.
    starters : tuple of str
        Lower-cased words that are capitalised at the beginning of a sentence and hardly elsewhere.
    spellings : tuple of (str, str)
        Characters that the treebank writes otherwise, and how.
    has_directed_quotes : bool
        Whether straight double quotes are written as opening and closing ones.
    has_clitics : bool
        Whether English contractions are cut.
    """

    abbreviations: tuple[str, ...] = ()
    starters: tuple[str, ...] = ()
    spellings: tuple[tuple[str, str], ...] = ()
    has_directed_quotes: bool = False
    has_clitics: bool = False

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> TextConventions:
        """From JSON, where tuples are lists."""
        return cls(
            tuple(map(str, values["abbreviations"])),
            tuple(map(str, values["starters"])),
            tuple((found, written) for found, written in values["spellings"] if str.maketrans({found: written})),
            bool(values["has_directed_quotes"]),
            bool(values["has_clitics"]),
        )

    def respell(self, words: Sequence[str]) -> list[str]:
        """The words of a tokenised sentence as the treebank writes them."""
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
        """The words of a sentence: cut by NLTK, then spelt as in the treebank."""
        text = sentence.translate(self._marks)
        if self.has_clitics:
            words = self._word_tokenizer.tokenize(text)
            if not self.has_directed_quotes:
                words = ['"' if word in (OPENING_QUOTE, CLOSING_QUOTE) else word for word in words]
        else:
            # Tok-tok writes two characters as references
            words = [word.replace("&amp;", "&").replace("&#124;", "|") for word in self._word_tokenizer.tokenize(text)]
        return self.respell(words)

    def sentence_spans(self, text: str) -> list[tuple[int, int]]:
        """Where the sentences of a text begin and end, by Punkt with the treebank's abbreviations.

        What begins with a small letter is no sentence: the full stop before it is an unknown abbreviation's.
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
        """The spellings that the tokeniser knows: quotes, dashes and dots, but no brackets."""
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
    """What the words of a treebank tell about how it cuts and spells text.

    Parameters
    ----------
    sentences : iterable of sequences of str
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
