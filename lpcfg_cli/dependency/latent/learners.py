"""The table of learners of models of dependency trees.  A new one is a file with a `TreeLearner`, and an entry."""

from __future__ import annotations

from lpcfg_cli.config import DependencyModelSettings, Table
from lpcfg_cli.dependency.latent.em_starts import SPECTRAL_TREE_EM, TREE_EM
from lpcfg_cli.dependency.latent.learner import TreeData, TreeLearner, TreeLearnt
from lpcfg_cli.dependency.latent.spectral import SPECTRAL
from lpcfg_cli.em.monitor import OnStep, ignore_record
from lpcfg_cli.execution.environment import single_threaded

TREE_LEARNERS: Table[TreeLearner] = Table("tree learner", SPECTRAL, TREE_EM, SPECTRAL_TREE_EM)


@single_threaded()
def learn_trees(
    data: TreeData, settings: DependencyModelSettings, seed: int, on_step: OnStep = ignore_record
) -> TreeLearnt:
    """Learn a model with the learner that the settings name.

    Raises
    ------
    ConfigError
        The learner does not exist, or there are fewer symbols than dimensions.
    InputError, SyntaxProblem, ArtefactError
        The file of vectors cannot be used.
    NumericalError
        EM found a tree of probability zero, or lowered its bound.
    """
    return TREE_LEARNERS.named(settings.learner, "dependency.learner").fit(data, settings, seed, on_step)
