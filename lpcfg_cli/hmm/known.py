"""Small known hidden Markov models, for tests of the theory; their symbols are letters."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.errors import ConfigError
from lpcfg_cli.hmm.hidden_markov import HiddenMarkov, HmmParameters
from lpcfg_cli.text.vocabulary import MARKS, Vocabulary

STOP = 0.25
"""Probability of the end, the same for every state: it then tells nothing about the states."""

TRANSITIONS = {
    "separable": ((0.8, 0.15, 0.05), (0.05, 0.8, 0.15), (0.2, 0.05, 0.75)),
    "blurred": ((0.8, 0.15, 0.05), (0.05, 0.8, 0.15), (0.2, 0.05, 0.75)),
    "hidden": ((0.1, 0.8, 0.1), (0.1, 0.1, 0.8), (0.8, 0.1, 0.1)),
}
"""p(next state | state) of each model, a row for each state."""

INITIAL = (0.6, 0.3, 0.1)

EMISSIONS = {
    "separable": ((0.6, 0.4, 0.0, 0.0, 0.0), (0.0, 0.0, 0.7, 0.3, 0.0), (0.0, 0.1, 0.0, 0.1, 0.8)),
    "blurred": ((0.5, 0.2, 0.1, 0.1, 0.1), (0.1, 0.1, 0.5, 0.2, 0.1), (0.1, 0.1, 0.1, 0.2, 0.5)),
    "hidden": ((0.6, 0.4, 0.0, 0.0, 0.0), (0.0, 0.0, 0.3, 0.4, 0.3), (0.0, 0.0, 0.3, 0.4, 0.3)),
}
"""p(letter | state) of each model.  Each state of *separable* has a letter of its own; in *blurred*, every state emits
all letters; in *hidden*, two states emit the same, so that bigrams cannot tell them apart: the matrix of emissions has
rank 2, and the conditions of the theorem do not hold (Hsu et al. 2009, Condition 1)."""


def known_hmm(name: str) -> HiddenMarkov:
    """A known model; raises `ConfigError` if there is none of this name."""
    if name not in EMISSIONS:
        raise ConfigError(f"consistency.grammars: unknown HMM {name!r}. Known: {', '.join(EMISSIONS)}.")
    letters = (1 - STOP) * np.array(EMISSIONS[name]).T
    m = letters.shape[1]
    emission = np.vstack([np.zeros((2, m)), np.full((1, m), STOP), letters])
    vocabulary = Vocabulary((*MARKS, *(chr(ord("a") + k) for k in range(len(letters)))))
    return HiddenMarkov(
        vocabulary, emission.mean(1), HmmParameters(np.array([INITIAL]), np.array(TRANSITIONS[name]), emission)
    )
