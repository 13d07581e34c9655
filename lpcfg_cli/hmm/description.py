"""What a hidden Markov model has learnt: the words of its states."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.hmm.hidden_markov import HiddenMarkov
from lpcfg_cli.text.description import StateWords, likeliest
from lpcfg_cli.text.vocabulary import END


def state_shares(model: HiddenMarkov) -> np.ndarray:
    """Share of each state in all symbols and ends of a text drawn from the model, float64, shape (m,)."""
    own = model.parameters
    goes_on = (1 - own.emission[END])[:, None] * own.transition
    visits = np.linalg.lstsq(np.eye(model.n_states) - goes_on.T, model.start, rcond=None)[0]
    return visits / visits.sum()


def describe_states(model: HiddenMarkov, most: int) -> list[StateWords]:
    """The states by falling share, each with its likeliest words."""
    words, share, emission = model.vocabulary.words, state_shares(model), model.parameters.emission
    return [
        StateWords(int(h), float(share[h]), "", [(words[w], p) for w, p in likeliest(emission[:, h], most)])
        for h in np.argsort(-share, kind="stable")
    ]
