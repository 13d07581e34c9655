"""The candidate preterminals of the words of a sentence, with their probabilities and lexical vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.arrays.recent import Recent
from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.parsing.layout import Words
from lpcfg_cli.tagging.tagger import OPEN_TAG, OpenTags, Tagger

Candidates = tuple[np.ndarray, np.ndarray, list[np.ndarray]]
"""Symbols, int, (k,); probabilities, float64, (k,); lexical vectors, float, (m_a,) each: of k candidates of a word."""

AllowedTags = Mapping[int, Sequence[str]]
"""The tags that some words of a sentence, by their numbers, may have."""

NOTHING_ALLOWED: AllowedTags = {}
REMEMBERED = 1 << 14
"""Number of words whose candidates are cached: most words of a text are among them, and memory stays bounded."""


class WordCandidates:
    """Looks up tagged words in a grammar, with a cache of the words used last.

    Parameters
    ----------
    grammar : Grammar
    tagger : Tagger, optional
        For words without tags; without it, they have all tags that the grammar has for them.
    tag_threshold : float
        As in `ParseSettings`.
    """

    def __init__(self, grammar: Grammar, tagger: Tagger | None = None, tag_threshold: float = 1.0):
        self.grammar, self.tagger, self.tag_threshold = grammar, tagger, tag_threshold
        self._by_tag: dict[str, np.ndarray] = {}
        for tag in {symbol.tag for symbol in grammar.symbols if symbol.tag is not None}:
            self._by_tag[tag] = np.array([symbol.tag == tag for symbol in grammar.symbols])
        tags = sorted(self._by_tag)
        self._tag_number = np.array([tags.index(s.tag) if s.tag is not None else len(tags) for s in grammar.symbols])
        self._any_tag = np.array([symbol.is_preterminal for symbol in grammar.symbols])
        self._found: Recent[tuple[str, str], Candidates] = Recent(REMEMBERED)
        self._like: Recent[tuple[str, bytes], tuple[np.ndarray, list[np.ndarray]]] = Recent(REMEMBERED)

    def of_sentence(self, sentence: list[tuple[str, str]], allowed: AllowedTags = NOTHING_ALLOWED) -> Words:
        """Candidates of each (word, tag) of a sentence; for `OPEN_TAG` the allowed tags, else the tagger's, or any."""
        return self.with_tags(sentence, self.open_tags(sentence, allowed))

    def open_tags(self, sentence: list[tuple[str, str]], allowed: AllowedTags = NOTHING_ALLOWED) -> list[OpenTags]:
        """The tags of each word with `OPEN_TAG`: those allowed, else the tagger's; none for other words."""
        found = self._tags_of_tagger(sentence)
        for word, tags in allowed.items():
            if sentence[word][1] == OPEN_TAG:
                found[word] = self._allowed_tags(sentence, word, tags)
        return found

    def with_tags(self, sentence: list[tuple[str, str]], open_tags: list[OpenTags]) -> Words:
        """Candidates of each (word, tag) of a sentence, given the tags of words with `OPEN_TAG`."""
        found = [
            self.of_open_word(word, tags) if tags else self.of_word(word, tag)
            for (word, tag), tags in zip(sentence, open_tags, strict=True)
        ]
        vectors = [vector for _, _, parts in found for vector in parts]
        return Words(
            starts([len(symbols) for symbols, _, _ in found]),
            np.concatenate([symbols for symbols, _, _ in found]).astype(np.int32),
            np.concatenate([probabilities for _, probabilities, _ in found]),
            starts([len(vector) for vector in vectors]),
            np.concatenate(vectors),
        )

    def _allowed_tags(self, sentence: list[tuple[str, str]], word: int, tags: Sequence[str]) -> OpenTags:
        """The tags that constraints allow, weighted by the tagger if there is one, the most probable first."""
        weights: dict[str, float] = {}
        if self.tagger is not None:
            weights = dict(self.tagger.open_tags([one for one, _ in sentence], 0.0)[word])
        least = min(weights.values(), default=1.0)
        return sorted(((tag, weights.get(tag, least)) for tag in dict.fromkeys(tags)), key=lambda pair: -pair[1])

    def _tags_of_tagger(self, sentence: list[tuple[str, str]]) -> list[OpenTags]:
        if self.tagger is None or all(tag != OPEN_TAG for _, tag in sentence):
            return [[] for _ in sentence]
        found = self.tagger.open_tags([word for word, _ in sentence], self.tag_threshold)
        return [tags if tag == OPEN_TAG else [] for (_, tag), tags in zip(sentence, found, strict=True)]

    def best_tag(self, word: str) -> str:
        """The tag that gives a word the largest probability."""
        symbols, probability, _ = self.of_word(word, OPEN_TAG)
        return self.grammar.symbols[symbols[np.argmax(probability)]].labels[-1]

    def of_open_word(self, word: str, tags: OpenTags) -> Candidates:
        """Candidates of a word under all of its tags, weighted by the tagger.

        By Bayes' rule p(words | t) ∝ p(t | words) / p(t).  The tagger estimates this ratio from the word, its
        neighbours and its spelling; it replaces p(w | t).  Preterminals of one tag (only one, unless unary chains are
        collapsed) keep the grammar's proportions.  No tree depends on a factor common to all candidates of a word; it
        is chosen so that the candidates of the best tag keep their probabilities.
        """
        symbols, probabilities, vectors = [], [], []
        first = 0.0
        for tag, ratio in tags:
            found = self.of_word(word, tag)
            size = found[1].mean() / ratio
            first = first or size
            symbols.append(found[0])
            probabilities.append(found[1] * (first / size))
            vectors += [vector * (first / size) for vector in found[2]]
        return np.concatenate(symbols), np.concatenate(probabilities), vectors

    def like(self, words: Words, sentence: list[tuple[str, str]]) -> Words:
        """The candidates `words` that another grammar of the same rules found, with this grammar's lexical vectors.

        The other grammar's coarse pass sets the scale, and a word that one grammar knows may have only a word class in
        another.  So each word's vectors are scaled until its probabilities have the same sum as in the other grammar;
        for `OPEN_TAG` the sum of each tag by itself, so that the tagger's weights hold for all grammars.
        """
        n_candidates = np.diff(words.start)
        parts = [
            self._vectors(token, words.symbol[first : first + size], words.probability[first : first + size])
            for token, first, size in zip(sentence, words.start[:-1], n_candidates, strict=True)
        ]
        vectors = [vector for part in parts for vector in part]
        return words._replace(vector_start=starts([len(v) for v in vectors]), vector=np.concatenate(vectors))

    def _vectors(self, token: tuple[str, str], symbols: np.ndarray, probability: np.ndarray) -> list[np.ndarray]:
        """This grammar's vectors of the given candidates, each from the first source that has word and symbol."""
        word, tag = token
        own, vectors = self._like.get((word, symbols.tobytes()), lambda: self._look_up_each(word, symbols))
        if len(symbols) == 1:  # as most words with a tag: what follows would take as long as their part of the parsing
            return [vectors[0] * (probability[0] / own[0])]
        part = self._tag_number[symbols] if tag == OPEN_TAG else np.zeros(len(symbols), np.int64)
        scale = np.bincount(part, probability)[part] / np.bincount(part, own)[part]
        return [vector * factor for vector, factor in zip(vectors, scale, strict=True)]

    def of_word(self, word: str, tag: str) -> Candidates:
        """Candidates of one word under a tag, or under any tag if the grammar does not know the tag.

        `OPEN_TAG` is such a tag.  They come from the word's own rules with the tag, else from those of its class, else
        from E[Z] of all preterminals of the tag.
        """
        return self._found.get((word, tag), lambda: self._look_up(word, self._by_tag.get(tag, self._any_tag)))

    def _look_up_each(self, word: str, symbols: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
        """Probability, float64, (k,), and lexical vector of each of the given k candidates."""
        found = [self._look_up(word, np.arange(self.grammar.n_symbols) == symbol) for symbol in symbols]
        return np.concatenate([own for _, own, _ in found]), [vectors[0] for _, _, vectors in found]

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
