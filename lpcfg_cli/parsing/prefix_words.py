"""What is predicted at each position of a sentence: words, tags, or words with their tags, with their probabilities."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.arrays.recent import Recent
from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.grammar.word_shares import Known, WordShares
from lpcfg_cli.parsing.candidates import REMEMBERED, Candidates
from lpcfg_cli.parsing.layout import Words

STRANGE = 1e-3
"""Probability that a word is one of which the treebank tells nothing: an unknown word whose class never occurred with
its tag.  The classes share it equally.  It costs every other word 0.0014 bits; without it, any unknown word might be
impossible in a small treebank."""


class Predicted(StrEnum):
    """What is predicted.

    `WORDS`: each word, with any tag; `TAGS`: its tag, with any word; `BOTH`: the word with its tag.
    """

    WORDS = "words"
    TAGS = "tags"
    BOTH = "both"


class PredictedWords:
    """Looks up what is predicted in a grammar, with a cache.

    Unlike those of `lpcfg_cli.parsing.candidates.WordCandidates`, the probabilities are those of the word itself, not
    of its class, and no tagger, which sees the words to come, weighs the tags.

    Parameters
    ----------
    grammar : Grammar
    predicted : Predicted
    """

    def __init__(self, grammar: Grammar, predicted: Predicted):
        self.grammar, self.predicted = grammar, predicted
        self.shares = WordShares(grammar.lexicon)
        self._tag = [symbol.tag for symbol in grammar.symbols]
        rules = grammar.lexical
        self._any_probability = np.bincount(rules.symbol, rules.probability, grammar.n_symbols)
        self._any_vector = np.zeros(grammar.state_start[-1])
        for r, a in enumerate(rules.symbol):
            states = slice(grammar.state_start[a], grammar.state_start[a + 1])
            self._any_vector[states] += rules.values[rules.start[r] : rules.start[r + 1]]
        self._found: Recent[tuple[str, str], tuple[Candidates, Known]] = Recent(REMEMBERED)

    def of_sentence(self, sentence: list[tuple[str, str]]) -> tuple[Words, list[Known]]:
        """The candidates of each (word, tag), and what the model knows of each.

        A word with a given tag that the grammar does not know has no candidates.
        """
        wanted = {Predicted.WORDS: (1, 0), Predicted.TAGS: (0, 1), Predicted.BOTH: (1, 1)}[self.predicted]
        keys = [(word * wanted[0], tag * wanted[1]) for word, tag in sentence]
        found = [self._found.get(key, lambda key=key: self._look_up(*key)) for key in keys]  # type: ignore[misc]
        vectors = [vector for (_, _, parts), _ in found for vector in parts]
        words = Words(
            starts([len(symbols) for (symbols, _, _), _ in found]),
            np.concatenate([symbols for (symbols, _, _), _ in found]).astype(np.int32),
            np.concatenate([probabilities for (_, probabilities, _), _ in found]),
            starts([len(vector) for vector in vectors]),
            np.concatenate([np.zeros(0), *vectors]),
        )
        return words, [known for _, known in found]

    def _look_up(self, word: str, tag: str) -> tuple[Candidates, Known]:
        is_allowed = np.array([own is not None and (not tag or own == tag) for own in self._tag])
        if self.predicted == Predicted.TAGS:
            symbols = np.flatnonzero(is_allowed)
            return self._of_any_word(symbols, 1.0), Known.WORD if len(symbols) else Known.UNKNOWN
        entry, known = self.shares.entry(word)
        found = self._of_entry(word, entry, known, is_allowed)
        if not len(found[0]) and known != Known.UNKNOWN:
            entry, known = self.shares.unknown_entry(word), Known.UNKNOWN
            found = self._of_entry(word, entry, known, is_allowed)
        if known == Known.UNKNOWN:
            found = _joined(found, self._of_any_word(np.flatnonzero(is_allowed), STRANGE / self.shares.n_kinds))
        return found, known

    def _of_entry(self, word: str, entry: int, known: Known, is_allowed: np.ndarray) -> Candidates:
        """The rules of an entry, each with the share of the word among the words of the entry and the rule's tag."""
        rules = self.grammar.lexical
        span = np.arange(rules.entry_start[entry], rules.entry_start[entry + 1]) if entry >= 0 else np.arange(0)
        span = span[is_allowed[rules.symbol[span]]]
        tags = [self._tag[a] or "" for a in rules.symbol[span]]
        shares = [(1 - STRANGE) * self.shares.share(word, entry, tag, known) for tag in tags]
        vectors = [rules.values[rules.start[r] : rules.start[r + 1]] * s for r, s in zip(span, shares, strict=True)]
        return rules.symbol[span], rules.probability[span] * shares, vectors

    def _of_any_word(self, symbols: np.ndarray, factor: float) -> Candidates:
        """The given preterminals with the sum of all of their words, times a factor."""
        start = self.grammar.state_start
        vectors = [self._any_vector[start[a] : start[a + 1]] * factor for a in symbols]
        return symbols, self._any_probability[symbols] * factor, vectors


def _joined(one: Candidates, other: Candidates) -> Candidates:
    """The candidates of both; a preterminal may be among both."""
    return np.concatenate([one[0], other[0]]), np.concatenate([one[1], other[1]]), [*one[2], *other[2]]
