"""Perplexity, with everything that it counts.

Events are the words and the ends of sentences; starts are given.  As in SRILM, the perplexity of known words leaves
unknown words out as events; in contexts they stand as ``<unk>``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import astuple, dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np

from lpcfg_cli.execution.workers import FileValue, Mapper
from lpcfg_cli.text.events import Events
from lpcfg_cli.treebank.lines import LineBlock

Score = TypeVar("Score")


@dataclass(frozen=True)
class Figures:
    """Log-probability of some events.

    Attributes
    ----------
    events : int
    log10 : float
        Their log₁₀ probability; −∞ if one of them is impossible.
    """

    events: int
    log10: float

    @property
    def bits(self) -> float:
        """Mean surprisal in bits; NaN without events."""
        return -self.log10 * float(np.log2(10)) / self.events if self.events else float("nan")

    @property
    def perplexity(self) -> float:
        """10^(−log₁₀ probability / events); NaN without events."""
        return float(2.0**self.bits) if self.bits < 1000 or self.bits != self.bits else float("inf")


@dataclass(frozen=True)
class Tally:
    """Counts and log₁₀ probabilities of a text.

    Attributes
    ----------
    sentences, words, unknown, empty_lines : int
        `words` include unknown ones; `empty_lines` are no sentences.
    impossible : int
        Number of events of probability zero.
    ends, known, rest : float
        log₁₀ probability of the ends, of the known words, and of the unknown words as ``<unk>``.
    """

    sentences: int = 0
    words: int = 0
    unknown: int = 0
    empty_lines: int = 0
    impossible: int = 0
    ends: float = 0.0
    known: float = 0.0
    rest: float = 0.0

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    @property
    def without_unknown(self) -> Figures:
        """Known words and ends: what is called the perplexity."""
        return Figures(self.words - self.unknown + self.sentences, self.known + self.ends)

    @property
    def per_word(self) -> Figures:
        """The same probability for each word: SRILM's ppl1."""
        return Figures(self.words - self.unknown, self.known + self.ends)

    @property
    def with_unknown(self) -> Figures:
        """All words and ends, unknown words as ``<unk>``."""
        return Figures(self.words + self.sentences, self.known + self.ends + self.rest)


@dataclass(frozen=True)
class Scored:
    """The events of a block with their surprisal.

    Attributes
    ----------
    events : Events
    bits : ndarray of float64, shape (n_events,)
        −log₂ p; infinite for impossible events.
    """

    events: Events
    bits: np.ndarray

    @property
    def tally(self) -> Tally:
        """Its counts and sums."""
        log10, is_end, is_known = -self.bits * np.log10(2), self.events.is_end, self.events.is_known
        sentences = int(is_end.sum())
        return Tally(
            sentences,
            len(self.events) - sentences,
            int((~is_known).sum()),
            self.events.empty_lines,
            int(np.isinf(self.bits).sum()),
            *(float(log10[which].sum()) for which in (is_end, is_known & ~is_end, ~is_known)),
        )


def score_blocks(
    score: Callable[[Any, LineBlock], Score], kept: FileValue, blocks: Iterable[LineBlock], mapper: Mapper = map
) -> Iterator[Score]:
    """The scored blocks of a text, in order; raises as `events_of` does.

    Parameters
    ----------
    score : function of (model, LineBlock)
        Scores one block.
    kept : FileValue
        The file of a model, read by a function that returns its header and the model.
    blocks : iterable of LineBlock
    mapper : callable like map
        Spreads the blocks over workers; results do not depend on it.
    """
    return iter(mapper(partial(_score_with, score, kept), blocks))


def _score_with(score: Callable[[Any, LineBlock], Score], kept: FileValue, block: LineBlock) -> Score:
    return score(kept.get()[1], block)
