"""The table of learners: a new one is a file with a `Learner` in it and a line here."""

from __future__ import annotations

from lpcfg_cli.config import Settings, Table
from lpcfg_cli.execution.environment import single_threaded
from lpcfg_cli.learning.clusters import CLUSTER
from lpcfg_cli.learning.frequencies import MARKOV, PCFG
from lpcfg_cli.learning.learner import Learner, LearningContext, Learnt
from lpcfg_cli.learning.pivot import PIVOT, PIVOT_EM
from lpcfg_cli.learning.random_em import EM
from lpcfg_cli.learning.spectral import SPECTRAL
from lpcfg_cli.learning.training_data import TrainingData

LEARNERS: Table[Learner] = Table("learner", SPECTRAL, EM, CLUSTER, PIVOT, PIVOT_EM, PCFG, MARKOV)


def learner_of(settings: Settings) -> Learner:
    """The learner that the settings name; `ConfigError` when there is none of that name."""
    return LEARNERS.named(settings.estimate.learner, "estimate.learner")


@single_threaded()
def learn(data: TrainingData, settings: Settings, context: LearningContext) -> Learnt:
    """Find a model's parameters with the learner that the settings name.

    Raises
    ------
    ConfigError
        The trees were binarized otherwise than the learner asks for.
    """
    learner = learner_of(settings)
    learner.check_binarization(data.settings["binarize"])
    return learner.fit(data, settings, context)
