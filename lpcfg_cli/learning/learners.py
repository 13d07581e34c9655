"""The table of learners.  A new learner is a file that defines a `Learner`, and an entry in the table."""

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
    """The learner that the settings name; raises `ConfigError` for an unknown name."""
    return LEARNERS.named(settings.estimate.learner, "estimate.learner")


@single_threaded()
def learn(data: TrainingData, settings: Settings, context: LearningContext) -> Learnt:
    """Train a model with the learner that the settings name.

    Raises
    ------
    ConfigError
        The learner does not exist, or it requires another binarization.
    NumericalError
        EM found a training tree of probability zero, or lowered its bound.
    """
    learner = learner_of(settings)
    learner.check_binarization(data.settings["binarize"])
    return learner.fit(data, settings, context)
