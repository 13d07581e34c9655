"""The scores of the CoNLL 2018 shared task: F1 over aligned words, with relations without their subtypes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from lpcfg_cli.dependency.trees.aligned_words import NO_HEAD, TextWord, align_words, text_words
from lpcfg_cli.dependency.trees.sentence import DependencySentence
from lpcfg_cli.evaluation.counts import percent

CONTENT_RELATIONS = frozenset(
    (
        *("nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl"),
        *("advmod", "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound"),
        *("list", "parataxis", "orphan", "goeswith", "reparandum", "root", "dep"),
    )
)
"""The relations of words that CLAS scores: neither function words nor punctuation."""


@dataclass(frozen=True)
class AlignedScore:
    """One score over aligned words.

    Attributes
    ----------
    gold, test : int
        Number of words, or sentences, on each side that count.
    correct : int
    """

    gold: int
    test: int
    correct: int

    @property
    def precision(self) -> float:
        """Share of what test has that is correct, in percent."""
        return percent(self.correct, self.test)

    @property
    def recall(self) -> float:
        """Share of what gold has that is correct, in percent."""
        return percent(self.correct, self.gold)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, in percent."""
        return percent(2 * self.correct, self.gold + self.test)

    def as_dict(self) -> dict[str, Any]:
        """Counts and figures, for JSON."""
        return {**asdict(self), "precision": self.precision, "recall": self.recall, "f1": self.f1}


def aligned_scores(gold: Sequence[DependencySentence], test: Sequence[DependencySentence]) -> dict[str, AlignedScore]:
    """Scores by name: ``Sentences``, ``Words``, ``UAS``, ``LAS`` and ``CLAS``.

    Parameters
    ----------
    gold, test : sequence of DependencySentence
        Two analyses of one text, possibly with other sentences and words.

    Raises
    ------
    InputError
        The characters of the texts differ.
    """
    one, other = text_words(gold), text_words(test)
    pairs = align_words(one, other)
    number = {j: i for i, j in pairs}
    # the head of a test word as gold numbers it; a word that is not aligned is no word's head
    heads = [head if head < 0 else number.get(head, NO_HEAD) for head in (word.head for word in other.words)]
    right = [(i, j) for i, j in pairs if one.words[i].head == heads[j] != NO_HEAD]
    both = [(i, j) for i, j in right if one.words[i].relation == other.words[j].relation]

    def score(found: Sequence[tuple[int, int]], counts: Callable[[TextWord], bool] = lambda word: True) -> AlignedScore:
        gold_words, test_words = (sum(map(counts, text.words)) for text in (one, other))
        return AlignedScore(gold_words, test_words, sum(counts(one.words[i]) for i, _ in found))

    spans = set(one.sentences) & set(other.sentences)
    return {
        "Sentences": AlignedScore(len(one.sentences), len(other.sentences), len(spans)),
        "Words": score(pairs),
        "UAS": score(right),
        "LAS": score(both),
        "CLAS": score(both, lambda word: word.relation in CONTENT_RELATIONS),
    }
