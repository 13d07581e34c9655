"""Sentences side by side, as the layers of a network take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lpcfg_cli.arrays.ragged import starts as starts_of


class Batch(NamedTuple):
    """The places of some sentences: their words, with an edge before the first and one after the last.

    Packed rows are as in `lpcfg_cli.parsing.spans.layers`.  Between two places is a gap, of which a sentence of n words
    has n + 1; a span goes from one gap to a later one.

    Attributes
    ----------
    order : ndarray of int64, shape (n_sentences,)
        Numbers of the sentences, the longest first.
    starts : ndarray of int64, shape (n_places + 1,)
        The first row of each place.
    mirror : ndarray of int64, shape (n_rows,)
        The row of the place that is as far from the end as this one is from the beginning.
    gap_row : ndarray of int64, shape (n_gaps,)
        The row of the place before each gap.
    row_after : ndarray of int64, shape (n_gaps,)
        That of the place after it.
    gap_start : ndarray of int64, shape (n_sentences + 1,)
        The first gap of each sentence, in the order of `order`.
    span_start : ndarray of int64, shape (n_sentences + 1,)
        Its first span; the spans of a sentence are ordered by where they begin, then by where they stop.
    left, right : ndarray of int64, shape (n_spans,)
        The gaps at which each span begins and stops.
    """

    order: np.ndarray
    starts: np.ndarray
    mirror: np.ndarray
    gap_row: np.ndarray
    row_after: np.ndarray
    gap_start: np.ndarray
    span_start: np.ndarray
    left: np.ndarray
    right: np.ndarray


def pack(lengths: Sequence[int]) -> Batch:
    """Lay out sentences of so many words each, at least 1."""
    n_words = np.array(lengths, np.int64)
    order = np.argsort(-n_words, kind="stable")
    n_words = n_words[order]
    places = n_words + 2
    starts = starts_of((places[None, :] > np.arange(places[0])[:, None]).sum(axis=1))
    sentence = np.arange(starts[-1]) - np.repeat(starts[:-1], np.diff(starts))
    place = np.repeat(np.arange(places[0]), np.diff(starts))
    mirror = starts[places[sentence] - 1 - place] + sentence
    of_gaps, of_spans = starts_of(n_words + 1), starts_of(n_words * (n_words + 1) // 2)
    gap_sentence = np.repeat(np.arange(len(order)), n_words + 1)
    gap = np.arange(of_gaps[-1]) - of_gaps[gap_sentence]
    pairs = [np.triu_indices(n + 1, 1) for n in n_words.tolist()]
    left, right = (
        np.concatenate([pair[side] + first for pair, first in zip(pairs, of_gaps[:-1], strict=True)]) for side in (0, 1)
    )
    before, after = (starts[gap + step] + gap_sentence for step in (0, 1))
    return Batch(order, starts, mirror, before, after, of_gaps, of_spans, left, right)


def packed(columns: Sequence[np.ndarray], edge: int, batch: Batch) -> np.ndarray:
    """The numbers of the words of each sentence, by row; those of places at the edges are `edge`.  int64, (n_rows,)."""
    rows = np.full(batch.starts[-1], edge, np.int64)
    for place, number in enumerate(batch.order.tolist()):
        rows[batch.starts[1 : len(columns[number]) + 1] + place] = columns[number]
    return rows


def span_numbers(start: np.ndarray, stop: np.ndarray, n: int) -> np.ndarray:
    """The number of each span among those of a sentence of n words; int64."""
    return start * n - start * (start - 1) // 2 + stop - start - 1
