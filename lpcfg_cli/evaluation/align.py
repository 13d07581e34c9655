"""Scores of files with different tokenisations: brackets as spans of characters.

The words of a sentence are joined without blanks, and a bracket becomes the span of its characters.  If both sides have
the same words, the scores are those of word spans.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.evaluation import score_kernels as kernels
from lpcfg_cli.evaluation.bracket_sets import BracketSets, LabelRules, read_sets
from lpcfg_cli.evaluation.counts import Counts, count_rows, percent
from lpcfg_cli.evaluation.parameters import EvalbParameters
from lpcfg_cli.evaluation.scan import UNREADABLE
from lpcfg_cli.evaluation.score import ChunkScore, Observer
from lpcfg_cli.evaluation.sentence_blocks import SentenceBlock

PLAIN_FORMS = {
    "-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "-LSB-": "[", "-RSB-": "]", "``": '"', "''": '"',
}  # fmt: skip
"""Escaped words, and the characters that they stand for."""


@dataclass(frozen=True)
class AlignedScore:
    """Scores by character spans.

    Attributes
    ----------
    counts : Counts
        Counts of brackets; errors are the sentences whose characters differ, and words and tags are 0.
    gold_tokens, test_tokens, same_tokens, same_tags : int
        Number of words of the valid sentences on each side, of words with the same span on both sides, and of those
        with the same tag.
    differing : list of int
        1-based numbers of the sentences whose characters differ.
    """

    counts: Counts
    gold_tokens: int
    test_tokens: int
    same_tokens: int
    same_tags: int
    differing: list[int]

    @property
    def token_f1(self) -> float:
        """F1 of the words of the two tokenisations, in percent."""
        return percent(2 * self.same_tokens, self.gold_tokens + self.test_tokens)

    @property
    def tagging_f1(self) -> float:
        """F1 of the words with their tags, in percent."""
        return percent(2 * self.same_tags, self.gold_tokens + self.test_tokens)

    def as_dict(self) -> dict[str, Any]:
        """Counts and figures, for JSON."""
        tokens = {"gold": self.gold_tokens, "test": self.test_tokens, "same": self.same_tokens}
        return {
            **self.counts.as_dict(),
            "tokens": {**tokens, "same_tags": self.same_tags},
            "token_f1": self.token_f1,
            "tagging_f1": self.tagging_f1,
            "differing": self.differing,
        }


@dataclass(frozen=True)
class _Characters:
    """One side of a chunk: brackets over the words that are not traces, and the characters of these words."""

    sets: BracketSets
    forms: list[str]
    word_start: np.ndarray
    is_deleted: np.ndarray

    def sentence(self, s: int) -> str:
        first, stop = self.sets.first_word[s : s + 2]
        return "".join(self.forms[first:stop])

    def deleted_characters(self, s: int) -> np.ndarray:
        first, stop = self.sets.first_word[s : s + 2]
        return np.repeat(self.is_deleted[first:stop], np.diff(self.word_start[first : stop + 1]))

    def word_bounds(self, s: int) -> np.ndarray:
        first, stop = self.sets.first_word[s : s + 2]
        return self.word_start[first : stop + 1] - self.word_start[first]


class AlignedScores(Observer):
    """Scores every sentence by character spans, also those that EVALB does not score because their words differ.

    Words whose tag is a DELETE_LABEL_FOR_LENGTH, that is traces, have no characters.  Characters of a word that is
    deleted by its tag on either side are deleted on both.

    Parameters
    ----------
    parameters : EvalbParameters
        The rules; EQ_WORD and QUOTE_LABEL are ignored.
    """

    def __init__(self, parameters: EvalbParameters):
        self.parameters = parameters
        self._rows: list[np.ndarray] = [np.zeros((0, 7), np.int64)]
        self._tokens = np.zeros(4, np.int64)
        self._differing: list[int] = []

    def add(self, chunk: ChunkScore) -> None:
        """Score a chunk."""
        gold = self._characters(chunk.gold_texts, chunk.rules)
        test = self._characters(chunk.test_texts, chunk.rules)
        is_deleted = [_deleted_on_either_side(gold, test, s) for s in range(len(chunk.rows))]
        pairs = chunk.rules.pairs(self.parameters.equal_labels)
        spans, test_spans = _in_characters(gold, is_deleted), _in_characters(test, is_deleted)
        rows = kernels.score_sentences(spans, test_spans, self.parameters.labeled, pairs, pairs[:0])[0]
        rows[:, kernels.WORDS] = rows[:, kernels.TAGS] = 0
        self._rows.append(rows)
        errors = np.flatnonzero(rows[:, kernels.STATUS] == kernels.ERROR)
        self._differing += (errors + chunk.first).tolist()
        for s in np.flatnonzero(rows[:, kernels.STATUS] == kernels.VALID):
            self._tokens += _count_tokens(gold, test, int(s))

    def result(self) -> AlignedScore:
        """The scores over all sentences."""
        gold, test, same, same_tags = self._tokens.tolist()
        return AlignedScore(count_rows(np.concatenate(self._rows)), gold, test, same, same_tags, self._differing)

    def _characters(self, texts: SentenceBlock, rules: LabelRules) -> _Characters:
        traces = replace(self.parameters, delete_labels=self.parameters.delete_for_length)
        sets, _ = read_sets(texts, LabelRules(traces, rules.strings))
        counts = ~rules.is_deleted_bracket(sets.label)
        kept = starts(counts)
        sets = sets._replace(
            label=sets.label[counts],
            start=sets.start[counts],
            end=sets.end[counts],
            first_bracket=kept[sets.first_bracket],
        )
        forms = [plain_form(rules.name(k)) for k in sets.word.tolist()]
        first = starts([len(form) for form in forms])
        return _Characters(sets, forms, first, rules.is_deleted_word(sets.tag))


def plain_form(word: str) -> str:
    """The characters that a word of a treebank stands for."""
    if word in PLAIN_FORMS:
        return PLAIN_FORMS[word]
    return word.replace("\\/", "/").replace("\\*", "*").replace("\\(", "(").replace("\\)", ")")


def _deleted_on_either_side(gold: _Characters, test: _Characters, s: int) -> np.ndarray | None:
    """Whether each character is deleted, bool, (n_characters,): all if there is no parse.  None if the sides differ."""
    gold_text, test_text = gold.sentence(s), test.sentence(s)
    if not test_text:
        return np.ones(len(gold_text), bool)
    if gold_text != test_text:
        return None
    return gold.deleted_characters(s) | test.deleted_characters(s)


def _in_characters(side: _Characters, is_deleted: list[np.ndarray | None]) -> BracketSets:
    """The brackets of a side with spans over the characters that are not deleted; sentences have one word or none."""
    sets, n = side.sets, len(is_deleted)
    start, end = sets.start.copy(), sets.end.copy()
    error, has_words = sets.error.copy(), np.zeros(n, np.int64)
    for s, deleted in enumerate(is_deleted):
        if deleted is None:
            error[s] = UNREADABLE
            continue
        kept_before = starts(~deleted)
        to_character = kept_before[side.word_bounds(s)]
        here = slice(sets.first_bracket[s], sets.first_bracket[s + 1])
        start[here], end[here] = to_character[start[here]], to_character[end[here]]
        has_words[s] = kept_before[-1] > 0
    counts = start != end
    kept = starts(counts)
    first_word = starts(has_words)
    word = np.zeros(int(first_word[-1]), np.int32)
    return sets._replace(
        tag=word,
        word=word,
        first_word=first_word,
        label=sets.label[counts],
        start=start[counts],
        end=end[counts],
        first_bracket=kept[sets.first_bracket],
        error=error,
    )


def _count_tokens(gold: _Characters, test: _Characters, s: int) -> np.ndarray:
    tokens = []
    for side in (gold, test):
        bounds = side.word_bounds(s).tolist()
        tags = side.sets.tag[side.sets.first_word[s] : side.sets.first_word[s + 1]].tolist()
        tokens.append(list(zip(bounds[:-1], bounds[1:], tags, strict=True)))
    same = {token[:2] for token in tokens[0]} & {token[:2] for token in tokens[1]}
    return np.array([len(tokens[0]), len(tokens[1]), len(same), len(set(tokens[0]) & set(tokens[1]))])
