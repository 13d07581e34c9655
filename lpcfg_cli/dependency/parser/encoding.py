"""Words as numbers: the fields from which features are made."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from lpcfg_cli.dependency.trees.sentence import EMPTY, DependencySentence

COARSE_LETTERS = 2
"""A tag without a coarse one has its first letters in place of it: VBD and VBZ begin with VB."""

BEFORE, ROOT, AFTER = "before", "root", "after"
"""What stands at the places of a sentence that have no word."""

_KNOWN_FIELDS = 1 << 18


@lru_cache(_KNOWN_FIELDS)
def field_number(name: str, value: str) -> int:
    """A number of 64 bits for the value of a field, the same on every machine."""
    return int.from_bytes(
        hashlib.blake2b(f"{name} {value}".encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little"
    )


@lru_cache(_KNOWN_FIELDS)
def _word_fields(word: str, tag: str, coarse: str) -> tuple[int, ...]:
    """In the order of `lpcfg_cli.dependency.parser.templates.FIELDS`."""
    values = (("word", word), ("tag", tag), ("coarse", coarse), ("prefix", word[:5]), ("suffix", word[-3:]))
    return tuple(field_number(name, value) for name, value in values)


def _place_fields(name: str) -> tuple[int, ...]:
    return (field_number("place", name),) * 5


def word_rows(words: Sequence[str], tags: Sequence[str], coarse: Sequence[str]) -> np.ndarray:
    """The fields of the n words of a sentence, and of what stands around them.

    Returns
    -------
    ndarray of uint64, shape (n + 3, n_fields)
        Before the sentence, the root, the words, after the sentence.
    """
    rows = [_place_fields(BEFORE), _place_fields(ROOT)]
    rows += map(_word_fields, words, tags, coarse)
    return np.array([*rows, _place_fields(AFTER)], np.uint64)


def learn_coarse_tags(sentences: Iterable[DependencySentence]) -> dict[str, str]:
    """The most frequent coarse tag of each fine one; empty if the treebank has only one kind of tags."""
    counts: dict[str, Counter[str]] = {}
    for sentence in sentences:
        for tag, coarse in zip(sentence.tags, sentence.columns.get("upos", ()), strict=False):
            if coarse != EMPTY:
                counts.setdefault(tag, Counter())[coarse] += 1
    found = {tag: count.most_common(1)[0][0] for tag, count in sorted(counts.items())}
    return found if any(tag != coarse for tag, coarse in found.items()) else {}


def coarse_tags(sentence: DependencySentence, known: Mapping[str, str]) -> tuple[str, ...]:
    """The coarse tag of each word.

    Parameters
    ----------
    sentence : DependencySentence
    known : mapping of str to str
        From `learn_coarse_tags`.  If it is empty, coarse tags of the sentence are not used; if not, it gives those
        that the sentence does not have.
    """
    own = sentence.columns.get("upos") if known else None
    given = own or (EMPTY,) * len(sentence)
    return tuple(
        coarse if coarse != EMPTY else known.get(tag, tag[:COARSE_LETTERS])
        for tag, coarse in zip(sentence.tags, given, strict=True)
    )


def sentence_rows(sentence: DependencySentence, known: Mapping[str, str]) -> np.ndarray:
    """`word_rows` of a sentence; `known` is as for `coarse_tags`."""
    return word_rows(sentence.forms, sentence.tags, coarse_tags(sentence, known))
