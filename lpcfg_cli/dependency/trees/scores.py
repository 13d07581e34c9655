"""Attachment scores: how many words of test sentences have their gold head, and relation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from lpcfg_cli.dependency.trees.flat import flat_heads
from lpcfg_cli.dependency.trees.punctuation import PUNCTUATION
from lpcfg_cli.dependency.trees.sentence import DependencySentence
from lpcfg_cli.errors import InputError
from lpcfg_cli.evaluation.counts import percent
from lpcfg_cli.evaluation.word_difference import visible, word_difference
from lpcfg_cli.wording import counted

WORDS, HEADS, LABELS, BOTH = range(4)
"""Columns of counts of a sentence: words that count; those with the right head, right relation, and both right."""


@dataclass(frozen=True)
class AttachmentCounts:
    """Sums over sentences.

    Attributes
    ----------
    sentences : int
        Number of sentences that have a word that counts.
    words : int
        Number of words that count.
    heads, labels, both : int
        Number of these words whose head is right, whose relation is, and for which both are.
    complete_heads, complete : int
        Number of these sentences in which all heads are right, and all heads and relations.
    """

    sentences: int
    words: int
    heads: int
    labels: int
    both: int
    complete_heads: int
    complete: int

    @property
    def uas(self) -> float:
        """Unlabelled attachment score, in percent."""
        return percent(self.heads, self.words)

    @property
    def las(self) -> float:
        """Labelled attachment score, in percent."""
        return percent(self.both, self.words)

    @property
    def label_accuracy(self) -> float:
        """Share of words whose relation is right, in percent."""
        return percent(self.labels, self.words)

    @property
    def complete_match(self) -> float:
        """Share of sentences in which all heads are right, in percent."""
        return percent(self.complete_heads, self.sentences)

    @property
    def labelled_complete_match(self) -> float:
        """Share of sentences in which all heads and relations are right, in percent."""
        return percent(self.complete, self.sentences)

    def as_dict(self) -> dict[str, Any]:
        """Counts and figures, for JSON."""
        figures = ("uas", "las", "label_accuracy", "complete_match", "labelled_complete_match")
        return {**asdict(self), **{name: getattr(self, name) for name in figures}}


@dataclass(frozen=True)
class WordPairs:
    """The N words of S sentences, as gold and test have them.

    Attributes
    ----------
    gold, test : (N,) int32 array
        Heads.
    gold_relation, test_relation : list of str
    is_punctuation : (N,) bool array
        By the gold sentence.
    start : (S + 1,) int64 array
        Where the words of each sentence begin, and where the last one ends.
    """

    gold: np.ndarray
    test: np.ndarray
    gold_relation: list[str]
    test_relation: list[str]
    is_punctuation: np.ndarray
    start: np.ndarray

    @property
    def has_head(self) -> np.ndarray:
        """Whether each word has its gold head, bool, shape (N,)."""
        return self.gold == self.test

    @property
    def has_label(self) -> np.ndarray:
        """Whether each word has its gold relation, bool, shape (N,)."""
        pairs = zip(self.gold_relation, self.test_relation, strict=True)
        return np.fromiter((a == b for a, b in pairs), bool, len(self.gold))

    def rows(self, counts: np.ndarray) -> np.ndarray:
        """Counts of each sentence.

        Parameters
        ----------
        counts : (N,) bool array
            Which words count.

        Returns
        -------
        ndarray of int64, shape (S, 4)
            With the columns `WORDS`, `HEADS`, `LABELS` and `BOTH`.
        """
        right, same = self.has_head, self.has_label
        words = np.stack([counts, counts & right, counts & same, counts & right & same], axis=1)
        return np.diff(np.concatenate([np.zeros((1, 4), np.int64), np.cumsum(words, axis=0)])[self.start], axis=0)


def pair_words(
    gold: Sequence[DependencySentence], test: Sequence[DependencySentence], punctuation: str = "unicode"
) -> WordPairs:
    """The words of gold and test sentences, which must be the same.

    Parameters
    ----------
    gold, test : sequence of DependencySentence
    punctuation : str
        A name of `PUNCTUATION`.

    Raises
    ------
    InputError
        Their numbers of sentences or their words differ.
    """
    _check_words(gold, test)
    of_words = PUNCTUATION[punctuation].of_words
    head, start = flat_heads(gold)
    return WordPairs(
        head,
        flat_heads(test).head,
        [relation for sentence in gold for relation in sentence.relations],
        [relation for sentence in test for relation in sentence.relations],
        np.array([is_one for sentence in gold for is_one in of_words(sentence)], bool),
        start,
    )


def count_rows(rows: np.ndarray) -> AttachmentCounts:
    """Sums and complete matches of rows from `WordPairs.rows`; sentences without words that count are left out."""
    rows = rows[rows[:, WORDS] > 0]
    words, heads, labels, both = rows.sum(axis=0).tolist()
    complete_heads, complete = (int((rows[:, column] == rows[:, WORDS]).sum()) for column in (HEADS, BOTH))
    return AttachmentCounts(len(rows), words, heads, labels, both, complete_heads, complete)


def score_dependencies(
    gold: Sequence[DependencySentence], test: Sequence[DependencySentence], punctuation: str = "unicode"
) -> AttachmentCounts:
    """The scores without punctuation of test sentences; parameters and errors as for `pair_words`."""
    pairs = pair_words(gold, test, punctuation)
    return count_rows(pairs.rows(~pairs.is_punctuation))


def paired_counts(a: np.ndarray, b: np.ndarray, column: int) -> np.ndarray:
    """The table of `compare_counts` for rows of two parses of the same gold sentences.

    Parameters
    ----------
    a, b : ndarray of int64, shape (S, 4)
        From `WordPairs.rows`.
    column : int
        What is compared: `HEADS`, `LABELS` or `BOTH`.
    """
    return np.stack([rows[:, k] for rows in (a, b) for k in (column, WORDS, WORDS)], axis=1)


def _check_words(gold: Sequence[DependencySentence], test: Sequence[DependencySentence]) -> None:
    hint = "Both must have the same words; --align scores files whose words differ."
    for number, (one, other) in enumerate(zip(gold, test, strict=False), 1):
        if one.forms == other.forms:
            continue
        pairs = zip(one.forms, other.forms, strict=False)
        word = next((k for k, (a, b) in enumerate(pairs, 1) if a != b), 0)
        if word:
            found, wanted = other.forms[word - 1], one.forms[word - 1]
            raise InputError(
                f"{other.place_of_word(word)}: sentence {number:,} has {visible(found)!r}, but {visible(wanted)!r} in "
                f"gold ({one.place_of_word(word)}){word_difference(wanted, found)}. {hint}"
            )
        raise InputError(
            f"{other.place}: sentence {number:,} has {counted(len(other), 'word')}, but {len(one):,} in gold "
            f"({one.place}). {hint}"
        )
    if len(gold) != len(test):
        longer, name = (gold, "gold") if len(gold) > len(test) else (test, "test")
        place = longer[min(len(gold), len(test))].place
        raise InputError(
            f"{counted(len(test), 'sentence')} in test, but {len(gold):,} in gold: the first that only {name} has is "
            f"at {place}. {hint}"
        )
