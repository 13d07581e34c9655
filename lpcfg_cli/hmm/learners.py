"""The table of learners of hidden Markov models.  A new one is a file that defines an `HmmLearner`, and an entry."""

from __future__ import annotations

from lpcfg_cli.config import HmmSettings, Table
from lpcfg_cli.em.monitor import OnStep, ignore_record
from lpcfg_cli.execution.environment import single_threaded
from lpcfg_cli.hmm.em_starts import HMM_EM, SPECTRAL_EM
from lpcfg_cli.hmm.learner import HmmData, HmmLearner, HmmLearnt
from lpcfg_cli.hmm.spectral import FULL, SPECTRAL

HMM_LEARNERS: Table[HmmLearner] = Table("hmm learner", SPECTRAL, FULL, HMM_EM, SPECTRAL_EM)


@single_threaded()
def learn_hmm(data: HmmData, settings: HmmSettings, seed: int, on_step: OnStep = ignore_record) -> HmmLearnt:
    """Learn a model with the learner that the settings name.

    Raises
    ------
    ConfigError
        The learner does not exist, or there are fewer symbols than states.
    NumericalError
        EM found a sequence of probability zero, or lowered its bound.
    """
    return HMM_LEARNERS.named(settings.learner, "hmm.learner").fit(data, settings, seed, on_step)
