"""Which preterminals may stand over the words of a sentence."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.grammar.model import Grammar, starts
from lpcfg_cli.parsing.layout import Words

Candidates = tuple[np.ndarray, np.ndarray, list[np.ndarray]]
"""Symbols, probabilities and lexical vectors."""


class WordCandidates:
    """Looks tagged words up in a grammar; remembers what it has looked up.

    Parameters
    ----------
    grammar : Grammar
    """

    def __init__(self, grammar: Grammar):
        self.grammar = grammar
        self._by_tag: dict[str, np.ndarray] = {}
        for tag in {symbol.tag for symbol in grammar.symbols if symbol.tag is not None}:
            self._by_tag[tag] = np.array([symbol.tag == tag for symbol in grammar.symbols])
        self._any_tag = np.array([symbol.is_preterminal for symbol in grammar.symbols])
        self._cache: dict[tuple[str, str], Candidates] = {}
        self._like: dict[tuple[str, bytes], list[np.ndarray]] = {}

    def of_sentence(self, sentence: list[tuple[str, str]]) -> Words:
        """Candidates of each (word, tag) of a sentence."""
        found = [self.of_word(word, tag) for word, tag in sentence]
        vectors = [vector for _, _, parts in found for vector in parts]
        return Words(
            np.concatenate([[0], np.cumsum([len(symbols) for symbols, _, _ in found])]),
            np.concatenate([symbols for symbols, _, _ in found]).astype(np.int32),
            np.concatenate([probabilities for _, probabilities, _ in found]),
            np.concatenate([[0], np.cumsum([len(vector) for vector in vectors])]),
            np.concatenate(vectors),
        )

    def like(self, words: Words, sentence: list[tuple[str, str]]) -> Words:
        """The candidates that another grammar of the same rules found, with this one's lexical vectors.

        Each word's vectors are scaled so that its probabilities sum to those of the other grammar, whose coarse
        pass sets the scale: the words of one grammar may be another one's classes.
        """
        n_candidates = np.diff(words.start)
        parts = [
            self._vectors(word, words.symbol[first : first + size], words.probability[first : first + size])
            for (word, _), first, size in zip(sentence, words.start[:-1], n_candidates, strict=True)
        ]
        vectors = [vector for part in parts for vector in part]
        return words._replace(vector_start=starts(np.array([len(v) for v in vectors])), vector=np.concatenate(vectors))

    def _vectors(self, word: str, symbols: np.ndarray, probability: np.ndarray) -> list[np.ndarray]:
        """This grammar's vectors of given candidates, each from the first source that knows word and symbol."""
        key = (word, symbols.tobytes())
        if key not in self._like:
            found = [self._look_up(word, np.arange(self.grammar.n_symbols) == symbol) for symbol in symbols]
            whole = sum(own.sum() for _, own, _ in found)
            self._like[key] = [vectors[0] / whole for _, _, vectors in found]
        whole = probability.sum()
        return [vector * whole for vector in self._like[key]]

    def of_word(self, word: str, tag: str) -> Candidates:
        """Candidates of one word under a tag; under any tag when the grammar does not know it.

        The word's own rules with the tag, else those of its class, else E[Z] of all preterminals of the tag.
        """
        key = (word, tag)
        if key not in self._cache:
            self._cache[key] = self._look_up(word, self._by_tag.get(tag, self._any_tag))
        return self._cache[key]

    def _look_up(self, word: str, is_allowed: np.ndarray) -> Candidates:
        lexicon, rules = self.grammar.lexicon, self.grammar.lexical
        for entry in (lexicon.entry(word), lexicon.class_entry(word)):
            if entry < 0:
                continue
            span = np.arange(rules.entry_start[entry], rules.entry_start[entry + 1])
            span = span[is_allowed[rules.symbol[span]]]
            if len(span):
                vectors = [rules.values[rules.start[r] : rules.start[r + 1]] for r in span]
                return rules.symbol[span], rules.probability[span], vectors
        return self._unseen(is_allowed)

    def _unseen(self, is_allowed: np.ndarray) -> Candidates:
        grammar = self.grammar
        symbols = np.flatnonzero(is_allowed & (grammar.unseen_probability > 0))
        vectors = [grammar.unseen_vector[grammar.state_start[a] : grammar.state_start[a + 1]] for a in symbols]
        return symbols, grammar.unseen_probability[symbols], vectors
