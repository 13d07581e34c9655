"""What a model of dependency trees has learnt: the words of its states."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.dependency.latent.model import HiddenTreeModel
from lpcfg_cli.text.description import StateWords, likeliest


def state_shares(model: HiddenTreeModel) -> np.ndarray:
    """Share of each state in the words of the treebank, each word for itself, float64, shape (m,).

    They are those that explain the words' frequencies best (non-negative least squares).
    """
    from scipy.optimize import nnls

    scale = np.sqrt(np.maximum(model.frequency, np.finfo(float).tiny))
    share = nnls(model.parameters.emission / scale[:, None], model.frequency / scale)[0]
    return share / share.sum()


def describe_states(model: HiddenTreeModel, most: int) -> list[StateWords]:
    """The states by falling share, each with its likeliest symbols."""
    words, share, emission = model.vocabulary.words, state_shares(model), model.parameters.emission
    return [
        StateWords(int(h), float(share[h]), "", [(words[w], p) for w, p in likeliest(emission[:, h], most)])
        for h in np.argsort(-share, kind="stable")
    ]
