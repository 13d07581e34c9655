"""The interface of learners of language models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.config import LmSettings
from lpcfg_cli.em.learnt import LearntModel
from lpcfg_cli.em.monitor import OnStep
from lpcfg_cli.lm.model import LanguageModel
from lpcfg_cli.text.counts import NgramCounts
from lpcfg_cli.text.events import Events


@dataclass(frozen=True)
class LmData:
    """What models are learnt from.

    Attributes
    ----------
    counts : NgramCounts
    dev : Events or None
        The events on which steps and weights are chosen.
    """

    counts: NgramCounts
    dev: Events | None = None

    @property
    def known_dev(self) -> np.ndarray | None:
        """The rows of the dev events that are no unknown words, int32, shape (n, order); None without dev text."""
        return None if self.dev is None else self.dev.rows[self.dev.is_known]


LmLearnt = LearntModel[LanguageModel]

Fit = Callable[[LmData, LmSettings, int, OnStep], LmLearnt]
"""From data, settings, seed, and a function that is called after each step of EM."""


@dataclass(frozen=True)
class LmLearner:
    """A method that estimates the parameters of a language model.

    Attributes
    ----------
    name : str
        Value of ``lm.learner``.
    summary : str
        One line for help pages.
    fit : function of (LmData, LmSettings, seed, on_step) to LmLearnt
    has_states : bool
        Whether the model has latent states.
    takes_em_steps : bool
        Whether it takes steps of EM for both r and s, among which a dev text can choose.
    """

    name: str
    summary: str
    fit: Fit
    has_states: bool = True
    takes_em_steps: bool = False
