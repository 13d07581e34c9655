"""From text to vectors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lpcfg_cli.arrays.streams import Purpose, stream
from lpcfg_cli.config import EmbedSettings, Settings
from lpcfg_cli.embeddings.method import EmbedData
from lpcfg_cli.embeddings.methods import EMBEDDING_METHODS
from lpcfg_cli.embeddings.pairs import Text, rows_of
from lpcfg_cli.embeddings.vectors import Embeddings, unit_rows
from lpcfg_cli.errors import InputError
from lpcfg_cli.execution.environment import single_threaded
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.text.numbers import NumberedText, number_text
from lpcfg_cli.text.reading import blocks_of
from lpcfg_cli.wording import counted

LEAST_WORDS = 2
"""Least number of words with vectors: one word has nothing to be compared with."""


@dataclass(frozen=True)
class ReadText:
    """A text as it was read, and the rows that are learnt from."""

    numbered: NumberedText
    rows: Text


def read_text(
    texts: Iterable[str | Path], settings: Settings, mapper: Mapper = map, progress: Progress = no_progress
) -> ReadText:
    """Read texts, and choose the words that get vectors.

    Parameters
    ----------
    texts : iterable of path
        Files, possibly compressed, or standard input; they are read once.
    settings : Settings
    mapper : callable like map
        Spreads blocks of the texts over workers; results do not depend on it.
    progress : Progress

    Raises
    ------
    InputError, SyntaxProblem
        A text cannot be read, has a mark for start or end amid a line, or too few words are frequent enough.
    """
    wanted = settings.embed
    blocks = blocks_of(texts, settings.read.encoding)
    found = number_text(blocks, wanted.rare_below, wanted.most_words, wanted.lowercase, mapper, progress)
    rows = rows_of(found, wanted.unknown, wanted.across_lines)
    if len(rows.words) < LEAST_WORDS:
        n_different = found.n_rare + len(found.vocabulary) - 3
        raise InputError(
            f"the text has {counted(found.words, 'word')}, {n_different:,} of them different; {len(rows.words):,} "
            f"occur at least {wanted.rare_below} times, expected two or more. Give more text, or lower --rare-below."
        )
    return ReadText(found, rows)


@single_threaded()
def learn_embeddings(
    text: Text, settings: EmbedSettings, seed: int, mapper: Mapper = map, progress: Progress = no_progress
) -> Embeddings:
    """Learn vectors with the method that the settings name.

    They have length 1, and fewer dimensions than were asked for if the text has no more.

    Parameters
    ----------
    text : Text
    settings : EmbedSettings
    seed : int
    mapper, progress
        As for `read_text`.

    Raises
    ------
    ConfigError
        The method does not exist.
    InputError
        No word has another one in its context.
    """
    method = EMBEDDING_METHODS.named(settings.method, "embed.method")
    learnt = method.fit(EmbedData(text, mapper, progress), settings, stream(seed, Purpose.EMBEDDINGS))
    if not learnt.vectors.shape[1]:
        raise InputError(
            "all words have the same contexts: there are no dimensions in which they differ. "
            "Give more text, or lower --rare-below."
        )
    vectors = unit_rows(learnt.vectors).astype(np.float32)
    return Embeddings(text.words, vectors, learnt.correlations, text.count, settings.lowercase)
