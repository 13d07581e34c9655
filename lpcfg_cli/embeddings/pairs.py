"""Weighted counts of pairs of words at small distances, from blocks of a text.

Whole windows are counted so too: a pair at distance d is in one window of several words as often as the weights say,
so that the moments of any contexts that are sums over windows need no further pass over the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.text.numbers import NumberedText
from lpcfg_cli.text.vocabulary import END, MARKS, UNKNOWN

if TYPE_CHECKING:
    from scipy import sparse

BREAK, ABSENT = -2, -1
"""What stands in a text for the end of a sentence that contexts do not cross, and for a word without a vector."""


@dataclass(frozen=True)
class Text:
    """A text as rows of the words that get vectors.

    Attributes
    ----------
    words : tuple of str
        The most frequent first; ``<unk>`` last, if it has a vector.
    count : ndarray of int64, shape (n_words,)
    parts : list of ndarray of int32
        Blocks; a row of `words`, `ABSENT` or `BREAK` each.
    """

    words: tuple[str, ...]
    count: np.ndarray
    parts: list[np.ndarray]


def rows_of(text: NumberedText, unknown: bool, across_lines: bool) -> Text:
    """The text as rows of the words that get vectors, which are all but the marks.

    Parameters
    ----------
    text : NumberedText
    unknown : bool
        Whether ``<unk>`` gets a vector too.
    across_lines : bool
        Whether contexts cross the ends of sentences.
    """
    n = len(text.vocabulary) - len(MARKS)
    row = np.arange(-len(MARKS), n, dtype=np.int32)
    has_unknown = unknown and text.word_count[UNKNOWN] > 0
    row[UNKNOWN] = n if has_unknown else ABSENT
    row[END] = BREAK
    kept = (part[part != END] if across_lines else part for part in text.parts)
    words, count = text.vocabulary.words[len(MARKS) :], text.word_count[len(MARKS) :]
    if has_unknown:
        words, count = (*words, MARKS[UNKNOWN]), np.append(count, text.word_count[UNKNOWN])
    return Text(words, count, [row[part] for part in kept])


@dataclass(frozen=True)
class Pairs:
    """Which pairs are counted.

    Attributes
    ----------
    weights : tuple of float
        Weight of a pair at distance 1, 2, …
    n_words : int
    n_contexts : int
        Only pairs whose context is one of so many first words are counted.
    both : bool
        Whether words to the right are contexts too, besides those to the left.
    """

    weights: tuple[float, ...]
    n_words: int
    n_contexts: int
    both: bool = True


def pair_counts(
    parts: Sequence[np.ndarray], pairs: Pairs, mapper: Mapper = map, progress: Progress = no_progress
) -> list[sparse.csr_array]:
    """Sums of the weights of all pairs of a word and a context.

    The sums are added up in the order of the blocks, whatever the number of workers.

    Parameters
    ----------
    parts : sequence of ndarray of int32
        As in `Text`.
    pairs : Pairs
    mapper : callable like map
    progress : Progress

    Returns
    -------
    list of sparse array of float64, shape (n_words, n_contexts) each
        For contexts to the left and, if they are counted, to the right.
    """
    blocks = with_heads(parts, len(pairs.weights))
    counted = progress(mapper(partial(block_pairs, pairs), blocks), "count pairs", len(parts), "block")
    return _added_up(counted)


def with_heads(parts: Iterable[np.ndarray], length: int) -> Iterator[tuple[np.ndarray, int]]:
    """Each block after the last `length` words before it, and the number of these."""
    before = np.zeros(0, np.int32)
    for part in parts:
        whole = np.concatenate([before, part])
        yield whole, len(before)
        before = whole[max(0, len(whole) - length) :]


def block_pairs(pairs: Pairs, block: tuple[np.ndarray, int]) -> list[sparse.csr_array]:
    """The counts of the pairs whose later word is in a block, which is given as `with_heads` does."""
    numbers, head = block
    n_breaks = np.cumsum(numbers == BREAK)
    found: list[sparse.csr_array] = []
    for distance, weight in enumerate(pairs.weights, 1):
        start = min(max(head, distance), len(numbers))
        at = np.arange(start, len(numbers))
        later, earlier = numbers[at], numbers[at - distance]
        within = n_breaks[at] == n_breaks[at - distance]
        both = within & (later >= 0) & (earlier >= 0)
        later, earlier = later[both], earlier[both]
        sides = [(later, earlier), (earlier, later)][: 1 + pairs.both]
        more = [_sparse(word, context, weight, pairs) for word, context in sides]
        found = [a + b for a, b in zip(found, more, strict=True)] if found else more
    return found


def _sparse(word: np.ndarray, context: np.ndarray, weight: float, pairs: Pairs) -> sparse.csr_array:
    from scipy import sparse  # here, since scipy is slow to import

    kept = context < pairs.n_contexts
    values = np.full(np.count_nonzero(kept), weight)
    counted = sparse.coo_array((values, (word[kept], context[kept])), shape=(pairs.n_words, pairs.n_contexts))
    return counted.tocsr()


def _added_up(counted: Iterable[list[sparse.csr_array]]) -> list[sparse.csr_array]:
    """The sum of the blocks' counts: equal numbers of blocks are added first, so that each is added O(log n) times."""
    sums: list[tuple[int, list[sparse.csr_array]]] = []
    for block in counted:
        size, own = 1, block
        while sums and sums[-1][0] <= size:
            more, before = sums.pop()
            size, own = size + more, _plus(before, own)
        sums.append((size, own))
    total = sums.pop()[1]
    while sums:
        total = _plus(sums.pop()[1], total)
    return total


def _plus(a: list[sparse.csr_array], b: list[sparse.csr_array]) -> list[sparse.csr_array]:
    return [x + y for x, y in zip(a, b, strict=True)]
