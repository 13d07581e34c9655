"""Sampling of sentences from a language model."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.lm.model import LanguageModel
from lpcfg_cli.text.vocabulary import END, START, UNKNOWN


def sample_sentence(model: LanguageModel, rng: np.random.Generator, most_words: int) -> list[str]:
    """A sentence of at most `most_words` words, word by word; ``<unk>`` is never drawn.

    O(n_words) for each word.

    Parameters
    ----------
    model : LanguageModel
    rng : Generator
    most_words : int
    """
    numbers = [START] * max(model.order - 1, 1)
    start = len(numbers)
    while len(numbers) < start + most_words:
        p = model.distribution(numbers).copy()
        p[UNKNOWN] = 0.0
        total = np.cumsum(p)
        if total[-1] <= 0:
            break  # nothing but <unk> can follow
        word = int(np.searchsorted(total, rng.random() * total[-1], side="right"))
        if word == END:
            break
        numbers.append(word)
    return model.vocabulary.spelled(numbers[start:])
