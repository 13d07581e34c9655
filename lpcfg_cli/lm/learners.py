"""The table of learners of language models.  A new learner is a file that defines an `LmLearner`, and an entry."""

from __future__ import annotations

from lpcfg_cli.config import LmSettings, Table
from lpcfg_cli.em.monitor import OnStep, ignore_record
from lpcfg_cli.execution.environment import single_threaded
from lpcfg_cli.lm.clusters import LM_CLUSTER
from lpcfg_cli.lm.kneser_ney import KNESER_NEY
from lpcfg_cli.lm.learner import LmData, LmLearner, LmLearnt
from lpcfg_cli.lm.pivot import LM_PIVOT, LM_PIVOT_EM
from lpcfg_cli.lm.random_em import LM_EM

LM_LEARNERS: Table[LmLearner] = Table("lm learner", LM_EM, LM_PIVOT, LM_PIVOT_EM, LM_CLUSTER, KNESER_NEY)


@single_threaded()
def learn_lm(data: LmData, settings: LmSettings, seed: int, on_step: OnStep = ignore_record) -> LmLearnt:
    """Learn a model with the learner that the settings name.

    Raises
    ------
    ConfigError
        The learner does not exist.
    NumericalError
        EM found a bigram of probability zero, or lowered its bound.
    """
    return LM_LEARNERS.named(settings.learner, "lm.learner").fit(data, settings, seed, on_step)
