"""Mixtures of language models, with weights that depend on how often the word before was seen.

The weights are learnt by EM on a dev text.  Those of words of about the same count are shared, and each is itself a
mixture of its own weights and those of all words, so that few dev events do not decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.em.mixture import Convex, conditional_weights
from lpcfg_cli.errors import ConfigError
from lpcfg_cli.lm.model import LanguageModel
from lpcfg_cli.text.counts import NgramCounts
from lpcfg_cli.text.events import Events

CONVEX = Convex(200, 1e-7)

TRUST = 200.0
"""So many dev events make a class's own weights count as much as those of all classes."""


@dataclass(frozen=True)
class MixedModel(LanguageModel):
    """A mixture of models of the same vocabulary.

    Attributes
    ----------
    models : tuple of LanguageModel
    weights : ndarray of float64, shape (n_classes, n_models)
        Rows sum to 1.
    class_of : ndarray of int32, shape (n_words,)
        Class of each word as the one before.
    """

    models: tuple[LanguageModel, ...]
    weights: np.ndarray
    class_of: np.ndarray

    @property
    def order(self) -> int:
        """The largest order of the models, at least 2."""
        return max(2, *(model.order for model in self.models))

    def probabilities(self, rows: np.ndarray) -> np.ndarray:
        """As in `LanguageModel`."""
        each = np.stack([model.probabilities(rows) for model in self.models], 1)
        return np.einsum("nk,nk->n", each, self.weights[self.class_of[rows[:, -2]]])

    def distribution(self, context: Sequence[int]) -> np.ndarray:
        """As in `LanguageModel`."""
        weights = self.weights[self.class_of[context[-1]]]
        return weights @ np.stack([model.distribution(context) for model in self.models])


def count_classes(counts: NgramCounts) -> np.ndarray:
    """Class of each word by how often another follows it: 0, 1, 2 to 3, 4 to 7, …; int32, shape (n_words,)."""
    before = np.bincount(counts.rows[:, -2], counts.count, len(counts.vocabulary))
    return np.frexp(before)[1].astype(np.int32)


def mix(models: Sequence[LanguageModel], counts: NgramCounts, dev: Events) -> MixedModel:
    """Mix models, with the weights that maximise the likelihood of the known dev events.

    Parameters
    ----------
    models : sequence of LanguageModel
    counts : NgramCounts
        Of the text that the models were learnt from.
    dev : Events

    Raises
    ------
    ConfigError
        The models have different vocabularies, or the dev text has no words that they know.
    """
    vocabulary = models[0].vocabulary
    if any(model.vocabulary != vocabulary for model in models):
        raise ConfigError("the models have different vocabularies: only models of the same text can be mixed.")
    rows = dev.rows[dev.is_known]
    if not len(rows):
        raise ConfigError("the dev text has no words that the models know: the weights of a mixture need some.")
    class_of = count_classes(counts)
    n_classes = int(class_of.max()) + 1
    own = class_of[rows[:, -2]]
    size = np.bincount(own, minlength=n_classes)
    trust = size / (size + TRUST)
    given = np.zeros((len(rows), n_classes + 1))
    given[np.arange(len(rows)), own] = trust[own]
    given[:, -1] = 1 - trust[own]
    each = np.stack([model.probabilities(rows) for model in models], 1)
    found = conditional_weights(given, each, np.ones(len(rows)), CONVEX)
    weights = trust[:, None] * found[:-1] + (1 - trust[:, None]) * found[-1]
    return MixedModel(vocabulary, tuple(models), weights, class_of)
