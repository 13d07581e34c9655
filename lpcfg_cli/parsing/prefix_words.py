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
        self._found: Recent[tuple[str, str], tuple[Candidates, Known]] = Recent(REMEMBERED)

    def of_sentence(self, sentence: list[tuple[str, str]]) -> tuple[Words, list[Known]]:
        """The candidates of each (word, tag), and what the model knows of each.

        A word that the grammar cannot have, such as one with a tag that it does not know, has no candidates.
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
        if self.predicted == Predicted.TAGS:
            return self._of_tag(tag)
        is_allowed = np.array([own is not None and (not tag or own == tag) for own in self._tag])
        entry, known = self.shares.entry(word)
        found = self._of_entry(word, entry, known, is_allowed)
        if not len(found[0]) and known != Known.UNKNOWN:
            entry, known = self.shares.unknown_entry(word), Known.UNKNOWN
            found = self._of_entry(word, entry, known, is_allowed)
        return (found if len(found[0]) else self._unseen(is_allowed)), known

    def _of_entry(self, word: str, entry: int, known: Known, is_allowed: np.ndarray) -> Candidates:
        """The rules of an entry, each with the share of the word among the words of the entry and the rule's tag."""
        rules = self.grammar.lexical
        span = np.arange(rules.entry_start[entry], rules.entry_start[entry + 1]) if entry >= 0 else np.arange(0)
        span = span[is_allowed[rules.symbol[span]]]
        shares = [self.shares.share(word, entry, self._tag[a] or "", known) for a in rules.symbol[span]]
        vectors = [rules.values[rules.start[r] : rules.start[r + 1]] * s for r, s in zip(span, shares, strict=True)]
        return rules.symbol[span], rules.probability[span] * shares, vectors

    def _of_tag(self, tag: str) -> tuple[Candidates, Known]:
        """Each preterminal of a tag, with any word."""
        rules, state_start = self.grammar.lexical, self.grammar.state_start
        symbols = np.array([a for a, own in enumerate(self._tag) if own == tag], np.int64)
        vectors, probabilities = [], []
        for a in symbols:
            own = np.flatnonzero(rules.symbol == a)
            parts = [rules.values[rules.start[r] : rules.start[r + 1]] for r in own]
            vectors.append(np.sum(parts, 0) if parts else np.zeros(state_start[a + 1] - state_start[a]))
            probabilities.append(rules.probability[own].sum())
        return (symbols, np.array(probabilities, float), vectors), Known.WORD if len(symbols) else Known.UNKNOWN

    def _unseen(self, is_allowed: np.ndarray) -> Candidates:
        """Any preterminal, with the probability of an unseen word: for a lexicon without classes of rare words."""
        grammar = self.grammar
        symbols = np.flatnonzero(is_allowed & (grammar.unseen_probability > 0))
        vectors = [grammar.unseen_vector[grammar.state_start[a] : grammar.state_start[a + 1]] for a in symbols]
        return symbols, grammar.unseen_probability[symbols], vectors
