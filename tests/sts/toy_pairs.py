"""Judged pairs whose similarity is known: sentences of concepts, each of which has two words that share no letters."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.embeddings.vectors import Embeddings
from lpcfg_cli.sts.sentence_pairs import PairSet

CONCEPTS = 24
LETTERS = "abcdefghijkl", "mnopqrstuvwx"


def word(concept, synonym):
    """One of the two words of a concept; the words of different concepts differ in their first three letters."""
    first, second = LETTERS[synonym][concept % 12], LETTERS[synonym][concept // 12]
    return f"{first}{second}{first}{second}"


def toy_pairs(seed, n, name="toy"):
    """Pairs of sentences of 4 to 8 words; the score is five times the share of concepts in common."""
    rng = np.random.default_rng(seed)
    pairs, scores = [], []
    for _ in range(n):
        size = int(rng.integers(4, 9))
        concepts = rng.permutation(CONCEPTS)
        common = int(rng.integers(0, size + 1))
        other = [*concepts[:common], *concepts[size : 2 * size - common]]
        first, second = (
            " ".join(word(concept, int(rng.integers(2))) for concept in chosen) for chosen in (concepts[:size], other)
        )
        pairs.append((f"{first}.", f"{second}."))
        scores.append(5 * common / size)
    return PairSet(name, pairs, np.array(scores))


def toy_embeddings(seed=0, dimensions=16):
    """Vectors that are the same for both words of a concept."""
    vectors = np.random.default_rng(seed).normal(size=(CONCEPTS, dimensions)).astype(np.float32)
    words = tuple(word(concept, synonym) for synonym in range(2) for concept in range(CONCEPTS))
    return Embeddings(words, np.concatenate([vectors, vectors]))


def write_pairs(path, pair_set, with_scores=True):
    """Write a set as a file."""
    scores = [f"{score:.6f}\t" for score in pair_set.score] if with_scores else [""] * len(pair_set)
    lines = (f"{score}{first}\t{second}\n" for score, (first, second) in zip(scores, pair_set.pairs, strict=True))
    path.write_text("".join(lines), "utf-8")
    return path
