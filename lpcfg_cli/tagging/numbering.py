"""Numbers of the features of all words of a treebank, made without a loop over its words.

`lpcfg_cli.tagging.templates.word_features` gives the same features as strings, for one sentence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain

import numpy as np

from lpcfg_cli.arrays.grouping import number_rows, numbering
from lpcfg_cli.arrays.ragged import positions_of, starts
from lpcfg_cli.tagging.templates import AFTER, BEFORE, CONTEXT, Own, Template, own_features
from lpcfg_cli.treebank.trees import TaggedSentence


def number_features(
    sentences: Sequence[TaggedSentence], min_count: int, most: int
) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Number the frequent features of all tokens.

    Parameters
    ----------
    sentences : sequence of list of (word, tag)
    min_count : int
        Smallest count of a feature, at least 1; it is raised if more than `most` features would remain.
    most : int
        Largest number of features.

    Returns
    -------
    names : list of str
        The features, in the order of their first occurrence.
    start : ndarray of int64, shape (n_tokens + 1,)
    feature : ndarray of int32, shape (start[n_tokens],)
        Token i has the features ``feature[start[i]:start[i + 1]]``, in the order of `word_features`.
    """
    names, start, every = _all_features(sentences)
    count = np.bincount(every, minlength=len(names))
    first = np.empty(len(names), np.int64)  # where each occurs first; those that do not occur are never kept
    first[every[::-1]] = np.arange(len(every))[::-1]  # the last of several numbers for one place stays
    kept = np.flatnonzero(are_frequent(count, min_count, most))
    kept = kept[np.argsort(first[kept])]
    number = np.full(len(names), -1, np.int32)
    number[kept] = np.arange(len(kept))
    feature = number[every]
    is_kept = feature >= 0
    return [names[k] for k in kept], starts(is_kept)[start], feature[is_kept]


def are_frequent(count: np.ndarray, min_count: int, most: int) -> np.ndarray:
    """Which features are kept, bool, as `count`, int64, (n,): those that occur often enough, and at most so many."""
    while np.count_nonzero(count >= min_count) > most:
        min_count += 1
    return count >= min_count


def _all_features(sentences: Sequence[TaggedSentence]) -> tuple[list[str], np.ndarray, np.ndarray]:
    """A list of features; where those of each token start; and the place in the list of each, token by token."""
    number: defaultdict[str, int] = numbering()
    own, word, place = _padded(sentences)
    whole = np.array([[number[name] for name in one.whole] for one in own], np.int32)
    ends = [[number[name] for name in one.ends] for one in own]
    context = [_of_template(template, own, word, place, number) for template in CONTEXT]
    token = word[place]
    fixed = np.column_stack([whole[token], *context])  # as many for each token
    start_of_ends = starts([len(names) for names in ends])
    start = starts(fixed.shape[1] + np.diff(start_of_ends)[token])
    every, is_end = np.empty(start[-1], np.int32), np.ones(start[-1], bool)
    at = start[:-1, None] + np.arange(fixed.shape[1])
    every[at], is_end[at] = fixed, False
    every[is_end] = np.fromiter(chain.from_iterable(ends), np.int32)[positions_of(start_of_ends, token)]
    return list(number), start, every


def _padded(sentences: Sequence[TaggedSentence]) -> tuple[list[Own], np.ndarray, np.ndarray]:
    """What is known of each different word; the number of the word at each place; and the place of each token.

    Before and after each sentence stand the words for its beginning and its end.
    """
    number: defaultdict[str, int] = numbering()
    padded = (chain(BEFORE, (word for word, _ in sentence), AFTER) for sentence in sentences)
    word = np.fromiter((number[one] for sentence in padded for one in sentence), np.int64)
    sizes = np.array([len(sentence) for sentence in sentences], np.int64)
    n_tokens, around = int(sizes.sum()), len(BEFORE) + len(AFTER)
    place = np.arange(n_tokens) + len(BEFORE) + around * np.repeat(np.arange(len(sizes)), sizes)
    return [own_features(one) for one in number], word, place


def _of_template(
    template: Template, own: list[Own], word: np.ndarray, place: np.ndarray, number: defaultdict[str, int]
) -> np.ndarray:
    """The number of each token's feature of a template."""
    nearby = [word[place + distance] for _, distance in template.parts]
    row, first = number_rows(nearby)
    columns = []
    for (form, _), words in zip(template.parts, nearby, strict=True):
        of_word = [getattr(one, form) for one in own]
        columns.append([of_word[k] for k in words[first].tolist()])
    return np.array([number[name] for name in template.features(columns)], np.int32)[row]
