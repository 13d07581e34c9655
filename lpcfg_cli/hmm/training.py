"""From texts to the data that models are learnt from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from lpcfg_cli.config import Settings
from lpcfg_cli.errors import InputError
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.hmm.learner import ORDER, HmmData
from lpcfg_cli.hmm.learners import HMM_LEARNERS
from lpcfg_cli.text.counting import count_ngrams
from lpcfg_cli.text.counts import NgramCounts
from lpcfg_cli.text.events import Events, events_of
from lpcfg_cli.text.reading import blocks_of, read_events
from lpcfg_cli.text.vocabulary import Vocabulary
from lpcfg_cli.treebank.lines import LineBlock
from lpcfg_cli.treebank.sources import STDIN, is_stream


def read_data(
    texts: Sequence[str | Path], settings: Settings, mapper: Mapper = map, progress: Progress = no_progress
) -> HmmData:
    """Count the trigrams of texts; for EM read the sequences too, and the first half of the dev text.

    Parameters
    ----------
    texts : sequence of path
        Files, possibly compressed by gzip, or `STDIN`.
    settings : Settings
    mapper : callable like map
        Spreads blocks of the texts over workers; results do not depend on it.
    progress : Progress

    Raises
    ------
    InputError, SyntaxProblem
        A text cannot be read, has no symbols, or has a mark for start or end amid a line; or EM would have to read a
        pipe twice.
    """
    wanted, encoding = settings.hmm, settings.read.encoding
    needs_sequences = HMM_LEARNERS.named(wanted.learner, "hmm.learner").takes_em_steps
    if needs_sequences:
        _check_files(texts, wanted.learner)
    counts = count_ngrams(blocks_of(texts, encoding), ORDER, wanted.rare_below, mapper, progress)
    if not needs_sequences:
        return HmmData(counts)
    numbers = read_numbers(blocks_of(texts, encoding), counts.vocabulary, mapper)
    return HmmData(counts, numbers, read_dev(wanted.dev, counts, encoding) if wanted.dev else None)


def _check_files(texts: Iterable[str | Path], learner: str) -> None:
    for text in texts:
        if is_stream(text):
            name = "standard input" if str(text) == STDIN else str(text)
            raise InputError(f"{name}: the learner {learner} reads texts twice. Write the text to a file first.")


def read_numbers(blocks: Iterable[LineBlock], vocabulary: Vocabulary, mapper: Mapper = map) -> np.ndarray:
    """The sequences of some blocks as numbers, each with its `END`; int32, shape (n,)."""
    return np.concatenate([np.zeros(0, np.int32), *mapper(partial(block_numbers, vocabulary), blocks)])


def block_numbers(vocabulary: Vocabulary, block: LineBlock) -> np.ndarray:
    """The numbers of a block; raises as `events_of` does."""
    return events_of(block, vocabulary, 1).rows[:, 0]


def read_dev(path: str, counts: NgramCounts, encoding: str) -> Events:
    """The first half of the sequences of the dev text; raises `InputError` if it has no symbols."""
    events = read_events([path], counts.vocabulary, 1, encoding)
    ends = np.flatnonzero(events.is_end)
    if not len(ends):
        raise InputError(f"{path}: no words: nothing can be chosen on it. Give text with one sequence a line.")
    half = int(ends[(len(ends) - 1) // 2]) + 1
    return Events(events.rows[:half], events.spelling[:half])
