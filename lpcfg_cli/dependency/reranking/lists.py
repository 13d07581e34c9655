"""Lists of the likeliest trees of sentences, as flat arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lpcfg_cli.arrays.ragged import positions_of, starts
from lpcfg_cli.dependency.trees.sentence import DependencySentence
from lpcfg_cli.reranking.lists import largest

ScoredTree = tuple[np.ndarray, float]
"""The heads of a tree, and its score."""


@dataclass(frozen=True)
class CandidateLists:
    """The candidates of S sentences, C trees in all; those of a sentence are in the order of the parser's scores.

    Attributes
    ----------
    first : (S + 1,) int64 array
        The candidates of sentence s are ``first[s]:first[s + 1]``.
    start : (C + 1,) int64 array
        The words of candidate c are ``start[c]:start[c + 1]`` of the two following arrays.
    tags : (N,) int32 array
        Numbers of the tags.
    heads : (N,) int32 array
        Heads counted from 1 in the sentence; 0 for the root.
    scores : (C,) float64 array
        The parser's scores.
    log_probabilities : (C,) float64 array
        ln p of each tree by the latent-variable model; 0 where there is none.
    errors : (C,) int32 array
        Number of counted words with a wrong head.
    """

    first: np.ndarray
    start: np.ndarray
    tags: np.ndarray
    heads: np.ndarray
    scores: np.ndarray
    log_probabilities: np.ndarray
    errors: np.ndarray

    def __len__(self) -> int:
        return len(self.first) - 1

    def heads_of(self, candidate: int) -> np.ndarray:
        """The heads of a candidate, int32, shape (n,)."""
        return self.heads[self.start[candidate] : self.start[candidate + 1]]


def lists_of(
    sentences: Sequence[DependencySentence],
    found: Sequence[Sequence[ScoredTree]],
    tag_numbers: dict[str, int],
    is_counted: Sequence[np.ndarray],
) -> CandidateLists:
    """Lay the candidates of sentences out flat.

    Parameters
    ----------
    sentences : sequence of DependencySentence
        With their gold heads, if ``errors`` are to mean anything.
    found : sequence of sequences of (heads, score)
        At least one tree a sentence.
    tag_numbers : dict of str to int
        Other tags have the number ``len(tag_numbers)``.
    is_counted : sequence of boolean arrays
        Which words of a sentence are scored.

    Returns
    -------
    CandidateLists
        Without log-probabilities.
    """
    unknown = len(tag_numbers)
    numbers = [np.array([tag_numbers.get(tag, unknown) for tag in one.tags], np.int32) for one in sentences]
    trees = [heads for candidates in found for heads, _ in candidates]
    repeated = [own for own, candidates in zip(numbers, found, strict=True) for _ in candidates]
    errors = [
        int(((heads != sentence.heads) & counted).sum())
        for sentence, candidates, counted in zip(sentences, found, is_counted, strict=True)
        for heads, _ in candidates
    ]
    return CandidateLists(
        starts([len(candidates) for candidates in found]),
        starts([len(heads) for heads in trees]),
        _joined(repeated),
        _joined(trees),
        np.array([score for candidates in found for _, score in candidates], np.float64),
        np.zeros(len(trees)),
        np.array(errors, np.int32),
    )


def candidate_trees(
    sentences: Iterable[DependencySentence], found: Iterable[Sequence[ScoredTree]]
) -> Iterator[DependencySentence]:
    """Each sentence with the heads of each of its candidates."""
    for sentence, candidates in zip(sentences, found, strict=True):
        for heads, _ in candidates:
            yield replace(sentence, heads=heads)


def with_log_probabilities(lists: CandidateLists, log_probabilities: np.ndarray) -> CandidateLists:
    """The lists with ln p of each candidate, float64, shape (C,)."""
    return replace(lists, log_probabilities=log_probabilities)


def joined(parts: Sequence[CandidateLists]) -> CandidateLists:
    """The lists of several parts, one after another."""
    return CandidateLists(
        starts(np.concatenate([np.diff(part.first) for part in parts])),
        starts(np.concatenate([np.diff(part.start) for part in parts])),
        *(
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("tags", "heads", "scores", "log_probabilities", "errors")
        ),
    )


def part_of(lists: CandidateLists, sentences: np.ndarray) -> CandidateLists:
    """The lists of some sentences, given by their numbers, int64, shape (s,)."""
    candidates = positions_of(lists.first, sentences)
    words = positions_of(lists.start, candidates)
    return CandidateLists(
        starts(np.diff(lists.first)[sentences]),
        starts(np.diff(lists.start)[candidates]),
        lists.tags[words],
        lists.heads[words],
        lists.scores[candidates],
        lists.log_probabilities[candidates],
        lists.errors[candidates],
    )


def best_candidates(lists: CandidateLists) -> np.ndarray:
    """The candidate of each sentence with the fewest errors, the first of equal ones; int64, shape (S,)."""
    return largest(lists.first, -lists.errors)


def _joined(arrays: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.zeros(0, np.int32), *arrays]).astype(np.int32, copy=False)
