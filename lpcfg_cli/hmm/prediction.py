"""Predictions of next symbols after the begin of a sequence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.hmm.model import SequenceModel


@dataclass(frozen=True)
class Prediction:
    """What is predicted after some symbols.

    Attributes
    ----------
    after : list of str
        The symbols before.
    symbols : list of (str, float)
        The likeliest next symbols with their probabilities.
    state : list of float
        p(h | symbols before), or its coordinates in a spectral model.
    """

    after: list[str]
    symbols: list[tuple[str, float]]
    state: list[float]


def predict_line(model: SequenceModel, words: Sequence[str], top: int, each: bool) -> Iterator[Prediction]:
    """The prediction after the last symbol of a line; with `each`, before every symbol too.

    Parameters
    ----------
    model : SequenceModel
    words : sequence of str
    top : int
        Number of next symbols.
    each : bool
    """
    states = model.filter(model.numbers_of(words)).states
    for k in range(0 if each else len(words), len(words) + 1):
        p = model.distributions(states[k : k + 1])[0]
        order = np.argsort(-p, kind="stable")[:top]
        symbols = [(model.vocabulary.words[w], float(p[w])) for w in order if p[w] > 0]
        yield Prediction(list(words[:k]), symbols, states[k].tolist())
