"""Sampling of sequences from a hidden Markov model, and the counts of what was sampled."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.hmm.hidden_markov import HiddenMarkov
from lpcfg_cli.hmm.learner import ORDER, HmmData
from lpcfg_cli.text.counting import added_up
from lpcfg_cli.text.counts import NgramCounts
from lpcfg_cli.text.events import ngram_columns
from lpcfg_cli.text.vocabulary import END

AT_A_TIME = 100_000
"""Number of sequences that are drawn side by side."""


def sample_sequences(model: HiddenMarkov, number: int, rng: np.random.Generator, longest: int = 200) -> np.ndarray:
    """Draw sequences, the empty one among them.

    O(n_words) for each symbol.

    Parameters
    ----------
    model : HiddenMarkov
    number : int
    rng : Generator
    longest : int
        Longer sequences end after so many symbols.

    Returns
    -------
    ndarray of int32, shape (n,)
        The sequences, one after the other, each with its `END`.
    """
    sizes = [AT_A_TIME] * (number // AT_A_TIME) + [number % AT_A_TIME]
    return np.concatenate([_drawn(model, size, rng, longest) for size in sizes])


def _drawn(model: HiddenMarkov, number: int, rng: np.random.Generator, longest: int) -> np.ndarray:
    own = model.parameters
    going, state = np.arange(number), _draw(np.repeat(own.initial, number, 0), rng)
    columns = []
    for _ in range(longest):
        column = np.full(number, -1, np.int32)
        column[going] = _draw(own.emission.T[state], rng)
        columns.append(column)
        goes_on = column[going] != END
        going, state = going[goes_on], state[goes_on]
        state = _draw(own.transition[state], rng)
        if not len(going):
            break
    else:
        cut = np.full(number, -1, np.int32)
        cut[going] = END
        columns.append(cut)
    found = np.stack(columns, 1).ravel()
    return found[found >= 0]


def _draw(p: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A number from each row of probabilities, int64, shape (n,)."""
    total = np.cumsum(p, 1)
    drawn = rng.random(len(p))[:, None] * total[:, -1:]
    return (drawn >= total).sum(1)


def data_of(model: HiddenMarkov, numbers: np.ndarray) -> HmmData:
    """What learners need of sequences in the numbering of a known model."""
    rows, count = added_up(ngram_columns(numbers, ORDER), np.ones(len(numbers), np.int64))
    order = np.lexsort(rows.T[::-1])
    sentences = int(np.count_nonzero(numbers == END))
    return HmmData(NgramCounts(model.vocabulary, rows[order], count[order], sentences, 0), numbers)
