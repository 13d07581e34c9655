"""The share of each word in its class: from probabilities of lexical entries to probabilities of words.

The grammar gives p(class | preterminal, state).  A word w of class c with tag t has p(c | a, h) · p(w | c, t), where

    p(w | c, t) = (n(w, t) + T(c, t) · p(w | c)) / (N(c, t) + T(c, t))

n(w, t) counts the rare word with the tag, N(c, t) the tokens and T(c, t) the different words of the class with the tag:
a word that is new to the tag has the probability T / (N + T) (Witten and Bell 1991).  Which one it is, p(w | c) says.
Of the P pairs of a word of the class and a tag that occur once, U have a word that occurs only there, so that it was
unknown before.  Hence the unknown words have together (U + ½) / (P + 1), and the words of the class share
the rest by their counts.

For each class and tag the shares of the words of the class and the one share of all unknown words sum to 1.
"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum

from lpcfg_cli.grammar.lexicon import CLASS_MARK, Lexicon


class Known(StrEnum):
    """What the model knows of a word.

    `WORD`: it has an entry of its own; `CLASS`: it is a rare word of the treebank, which has a share of its class;
    `UNKNOWN`: it is not in the treebank, or not with the given tag, and counts as any unknown word of its class.
    """

    WORD = "word"
    CLASS = "class"
    UNKNOWN = "unknown"


class WordShares:
    """The shares of the rare words of a lexicon in their classes.

    Parameters
    ----------
    lexicon : Lexicon
        Without rare words, every word without an entry of its own is unknown.
    """

    def __init__(self, lexicon: Lexicon):
        self.lexicon = lexicon
        self._classes = {entry: k for k, entry in enumerate(lexicon.entries) if entry.startswith(CLASS_MARK)}
        self._with_tag: Counter[tuple[int, str, str]] = Counter()
        self._in_class: Counter[tuple[int, str]] = Counter()
        for word, tag, count in zip(lexicon.rare.words, lexicon.rare.tags, lexicon.rare.counts, strict=True):
            entry, spelt = lexicon.class_entry(word), lexicon.normalise(word)
            self._with_tag[entry, tag, spelt] += count
            self._in_class[entry, spelt] += count
        self._tokens: Counter[tuple[int, str]] = Counter()
        self._types: Counter[tuple[int, str]] = Counter()
        self._class_tokens: Counter[int] = Counter()
        once, only = Counter[int](), Counter[int]()
        for (entry, tag, _), count in self._with_tag.items():
            self._tokens[entry, tag] += count
            self._types[entry, tag] += 1
            once[entry] += count == 1
        for (entry, _), count in self._in_class.items():
            self._class_tokens[entry] += count
            only[entry] += count == 1
        self._unknown = {entry: (only[entry] + 0.5) / (once[entry] + 1) for entry in self._class_tokens}

    @property
    def n_kinds(self) -> int:
        """Number of kinds of unknown words: one a class, and one more unless the class of no shape takes the others."""
        return len(self._classes) + (CLASS_MARK not in self._classes)

    def kinds(self) -> list[tuple[str, int, Known]]:
        """All words, with their entries: those with own entries, rare ones with a share of a class, unknown kinds."""
        own = [(word, k, Known.WORD) for k, word in enumerate(self.lexicon.entries) if k not in self._classes.values()]
        rare = [(spelt, entry, Known.CLASS) for entry, spelt in self._in_class]
        unknown = [("", entry, Known.UNKNOWN) for entry in self._classes.values()]
        return [*own, *rare, *unknown, *[("", -1, Known.UNKNOWN)] * (self.n_kinds - len(unknown))]

    @property
    def is_complete(self) -> bool:
        """Whether the words of every class are counted; they are not in models of versions that did not count them."""
        return set(self._classes.values()) <= set(self._class_tokens)

    def entry(self, word: str) -> tuple[int, Known]:
        """The lexical entry of a word, and what is known of it.

        An unknown word of a class that the treebank does not have counts as one of the nearest class that it has; the
        entry is -1 only if the lexicon has no such class.
        """
        lexicon = self.lexicon
        own = lexicon.entry(word)
        if own >= 0 and not lexicon.entries[own].startswith(CLASS_MARK):
            return own, Known.WORD
        if (own, lexicon.normalise(word)) in self._in_class:
            return own, Known.CLASS
        return self.unknown_entry(word), Known.UNKNOWN

    def unknown_entry(self, word: str) -> int:
        """The entry of the class of a word, or of the nearest class that the lexicon has, or -1."""
        found = self.lexicon.class_entry(word)
        return found if found >= 0 else self._nearest_class(self.lexicon.class_name(word))

    def share(self, word: str, entry: int, tag: str, known: Known) -> float:
        """The share of a word in the tokens of its entry with a tag; for an unknown word, that of all of them.

        `word` and `tag` are as in the treebank; `entry` and `known` are from `entry`.
        """
        if known == Known.WORD:
            return 1.0
        spelt = self.lexicon.normalise(word) if known == Known.CLASS else None
        unknown = self._unknown.get(entry, 1.0)
        new = unknown if spelt is None else (1 - unknown) * self._in_class[entry, spelt] / self._class_tokens[entry]
        count = self._with_tag[entry, tag, spelt] if spelt is not None else 0
        tokens, types = self._tokens[entry, tag], self._types[entry, tag]
        return (count + types * new) / (tokens + types) if tokens else new

    def _nearest_class(self, name: str) -> int:
        """The entry of the class without the suffix, or also with less of the shape; -1 if the lexicon has none."""
        shape = name.partition("~")[0]
        shorter = (shape[:size] for size in range(len(shape), 0, -1))
        return next((self._classes[one] for one in shorter if one in self._classes), -1)
