"""The features of spans: templates over the words and tags at their edges and in them, hashed to 64 bits.

Hall, Durrett and Klein (2014, "Less Grammar, More Features", §4) show how much such features tell.  A new template is
one line in `TEMPLATES`; a new property is one in `_properties`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from lpcfg_cli.arrays.ragged import starts

TEMPLATES: tuple[tuple[str, ...], ...] = (
    ("length",),
    ("tag before", "length"),
    ("first tag", "length"),
    ("last tag", "length"),
    ("tag after", "length"),
    ("tag before", "first tag"),
    ("last tag", "tag after"),
    ("tag before", "tag after"),
    ("first tag", "last tag"),
    ("tag before", "first tag", "last tag", "tag after"),
    ("tag before", "first tag", "tag after"),
    ("tag before", "last tag", "tag after"),
    ("first word",),
    ("last word",),
    ("word before",),
    ("word after",),
    ("word before", "first tag"),
    ("tag before", "first word"),
    ("last word", "tag after"),
    ("last tag", "word after"),
    ("word before", "first word"),
    ("last word", "word after"),
    ("second tag before", "tag before", "first tag"),
    ("last tag", "tag after", "second tag after"),
    ("first tag", "second tag"),
    ("last tag but one", "last tag"),
    ("tag before", "first tag", "second tag"),
    ("last tag but one", "last tag", "tag after"),
    ("tags",),
    ("tag before", "few tags", "tag after"),
    ("first word", "last word"),
    ("word before", "word after"),
    ("ends",),
    ("ends", "first tag"),
    ("runs of tags",),
    ("first word", "last tag", "tag after"),
    ("tag before", "first tag", "last word"),
    ("first word", "tag after", "length"),
)
"""Each template: the properties of a span whose values together are a feature."""

MOST_TAGS, FEW_TAGS, MOST_RUNS = 6, 4, 8
"""Longest spans whose tags are a property: all of them, with the tags around them, and with equal neighbours as one."""

LENGTHS = np.array([1, 2, 3, 4, 5, 6, 8, 11, 16, 25])
"""The shortest spans of each class of lengths."""

AROUND = 2
"""Words beside a span that are looked at."""

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


class SpanFeatures(NamedTuple):
    """The features of some spans: those of k are ``key[start[k]:start[k + 1]]``.

    Attributes
    ----------
    start : ndarray of int64, shape (n + 1,)
    key : ndarray of uint64, shape (start[n],)
    """

    start: np.ndarray
    key: np.ndarray


def span_features(
    start: np.ndarray, stop: np.ndarray, words: Sequence[str], tags: Sequence[str], known: np.ndarray
) -> SpanFeatures:
    """The features of spans of one sentence; O(n_spans · n).

    Parameters
    ----------
    start, stop : ndarray of int64, shape (n_spans,)
        Half-open spans of words.
    words, tags : sequence of str
        n of each.
    known : ndarray of uint64, shape (n_known,)
        Hashes of the words that are features by themselves, ascending; of others it is their `word_class`.
    """
    word = hashes_of_words(words, known)
    tag = _padded([hash_of("tag", tag) for tag in tags])
    found = _properties(start, stop, word, tag)
    keys = [_combined(number, [found[name] for name in names]) for number, names in enumerate(TEMPLATES, 1)]
    matrix = np.concatenate([np.stack(keys, axis=1), _tags_inside(start, stop, tag)], axis=1)
    return SpanFeatures(starts((matrix != 0).sum(axis=1)), matrix[matrix != 0])


def hashes_of_words(words: Sequence[str], known: np.ndarray) -> np.ndarray:
    """The hash of each word, or that of its class if it is not known; padded, uint64, (n + 2 · AROUND,)."""
    own = np.array([hash_of("word", word) for word in words], np.uint64)
    place = np.minimum(np.searchsorted(known, own), max(len(known) - 1, 0))
    is_known = known[place] == own if len(known) else np.zeros(len(own), bool)
    classes = [hash_of("class", word_class(word, k == 0)) for k, word in enumerate(words)]
    return _padded(np.where(is_known, own, np.array(classes, np.uint64)))


def word_class(word: str, is_first: bool) -> str:
    """What is left of a rare word: how it is written, and its last two letters."""
    marks = (
        "C" if word[:1].isupper() else "c",
        "first" if is_first else "",
        "digit" if any(letter.isdigit() for letter in word) else "",
        "-" if "-" in word else "",
        word[-2:].lower(),
    )
    return " ".join(marks)


@lru_cache(1 << 17)
def hash_of(kind: str, text: str) -> int:
    """64 bits that stand for a text, the same on every machine; never 0."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8, person=kind.encode()).digest()
    return int.from_bytes(digest, "little") or 1


def mixed(key: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Keys into which values are mixed; all are uint64."""
    product = (key ^ value) * _MULTIPLIER
    return product ^ (product >> _SHIFT)


def _padded(values: Sequence[int] | np.ndarray) -> np.ndarray:
    edge = np.full(AROUND, hash_of("edge", ""), np.uint64)
    return np.concatenate([edge, np.array(values, np.uint64), edge])


def _properties(start: np.ndarray, stop: np.ndarray, word: np.ndarray, tag: np.ndarray) -> dict[str, np.ndarray]:
    """The value of each property of each span; uint64, (n_spans,), 0 where a span does not have it."""
    first, last, after = start + AROUND, stop + AROUND - 1, stop + AROUND
    n, length = len(tag) - 2 * AROUND, stop - start
    all_tags, runs = _shapes(start, stop, tag)
    ends = (start == 0) + 2 * (stop == n) + 4 * (stop == n - 1)
    return {
        "length": np.searchsorted(LENGTHS, length, "right").astype(np.uint64),
        "ends": ends.astype(np.uint64) + np.uint64(1),
        "first word": word[first],
        "last word": word[last],
        "word before": word[first - 1],
        "word after": word[after],
        "first tag": tag[first],
        "last tag": tag[last],
        "tag before": tag[first - 1],
        "tag after": tag[after],
        "second tag": tag[first + 1],
        "last tag but one": tag[last - 1],
        "second tag before": tag[first - 2],
        "second tag after": tag[after + 1],
        "tags": np.where(length <= MOST_TAGS, all_tags, np.uint64(0)),
        "few tags": np.where(length <= FEW_TAGS, all_tags, np.uint64(0)),
        "runs of tags": runs,
    }


def _shapes(start: np.ndarray, stop: np.ndarray, tag: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The hash of the tags of each span, and that of its tags with equal neighbours as one; 0 for too many of these."""
    whole, runs = np.ones(len(start), np.uint64), np.ones(len(start), np.uint64)
    n_runs = np.zeros(len(start), np.int64)
    for k in range(len(tag) - 2 * AROUND):
        own = tag[k + AROUND]
        inside = (start <= k) & (k < stop)
        begins = inside & ((start == k) | (tag[k + AROUND - 1] != own))
        whole[inside] = mixed(whole[inside], own)
        runs[begins] = mixed(runs[begins], own)
        n_runs += begins
    return whole, np.where(n_runs <= MOST_RUNS, runs, np.uint64(0))


def _combined(number: int, values: Sequence[np.ndarray]) -> np.ndarray:
    """The keys of a template's features, 0 where a property is missing.

    The key of the first template for a span of one word is 0 too, by chance; such a span has the feature of its tag.
    """
    key = np.full(len(values[0]), number, np.uint64)
    for value in values:
        key = mixed(key, value)
    return np.where(np.all([value != 0 for value in values], axis=0), key, np.uint64(0))


def _tags_inside(start: np.ndarray, stop: np.ndarray, tag: np.ndarray) -> np.ndarray:
    """A key for each tag of a span, at its first place there, else 0; uint64, (n_spans, n)."""
    own = tag[AROUND : len(tag) - AROUND]
    place = np.arange(len(own))
    before = np.array([max(np.flatnonzero(own[:k] == own[k]), default=-1) for k in place], np.int64)
    inside = (start[:, None] <= place) & (place < stop[:, None]) & (before < start[:, None])
    return np.where(inside, mixed(np.zeros(1, np.uint64), own), np.uint64(0))
