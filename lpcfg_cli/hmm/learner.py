"""The interface of learners of hidden Markov models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.config import HmmSettings
from lpcfg_cli.em.learnt import LearntModel
from lpcfg_cli.em.monitor import OnStep
from lpcfg_cli.hmm.model import SequenceModel
from lpcfg_cli.text.counts import NgramCounts
from lpcfg_cli.text.events import Events

ORDER = 3
"""Length of the n-grams that are counted."""


@dataclass(frozen=True)
class HmmData:
    """What models are learnt from.

    Attributes
    ----------
    counts : NgramCounts
        Of trigrams.
    numbers : ndarray of int32, shape (n,), or None
        The sequences themselves, each with its `END`; None for learners that do not need them.
    dev : Events or None
        On which the number of EM steps is chosen.
    """

    counts: NgramCounts
    numbers: np.ndarray | None = None
    dev: Events | None = None


HmmLearnt = LearntModel[SequenceModel]


@dataclass(frozen=True)
class HmmLearner:
    """A method that estimates a model of sequences.

    Attributes
    ----------
    name : str
        Value of ``hmm.learner``.
    summary : str
        One line for help pages.
    fit : function of (HmmData, HmmSettings, seed, on_step) to HmmLearnt
    takes_em_steps : bool
        Whether it uses EM, which needs the sequences themselves.
    """

    name: str
    summary: str
    fit: Callable[[HmmData, HmmSettings, int, OnStep], HmmLearnt]
    takes_em_steps: bool = False
