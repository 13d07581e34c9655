"""The probabilities of all short sequences."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.hmm.model import SequenceModel
from lpcfg_cli.text.vocabulary import END, MARKS


def all_values(model: SequenceModel, longest: int) -> np.ndarray:
    """`SequenceModel.value` of all sequences of at most so many symbols, the empty one first; O(m² n_words^longest).

    Parameters
    ----------
    model : SequenceModel
    longest : int

    Returns
    -------
    ndarray of float64
        By length, then in the order of the vocabulary.
    """
    operators = [model.operator(x) for x in range(len(MARKS), len(model.vocabulary))]
    states, values = model.start[None], []
    for length in range(longest + 1):
        values.append(states @ model.weights[END])
        if length < longest:
            states = np.stack([states @ operator.T for operator in operators], 1).reshape(-1, model.n_states)
    return np.concatenate(values)
