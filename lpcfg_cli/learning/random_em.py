"""EM from a random split of the plain PCFG (Matsuzaki et al. 2005; the baseline of C13 §4)."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.arrays.streams import Purpose, stream
from lpcfg_cli.config import EmSettings, Settings
from lpcfg_cli.learning.em_steps import Start, fit_by_em
from lpcfg_cli.learning.learner import Learner, LearningContext, Learnt, names_of
from lpcfg_cli.learning.rule_table import RuleParameters, RuleTable, even_split, maximise, rule_table, states_by_count
from lpcfg_cli.learning.training_data import TrainingData


def random_split(table: RuleTable, spread: float, rng: np.random.Generator) -> RuleParameters:
    """The relative-frequency PCFG split into states at random, as Matsuzaki et al. (2005) start EM.

    Parameters
    ----------
    table : RuleTable
    spread : float
        Every parameter is multiplied by a factor between 1 / spread and spread whose logarithm is uniform.
    rng : Generator
    """
    even = even_split(table)

    def perturbed(values: np.ndarray) -> np.ndarray:
        return values * np.exp(np.log(spread) * rng.uniform(-1, 1, len(values)))

    return maximise(table, RuleParameters(perturbed(even.root), perturbed(even.rules)), 0.0)


def fit_random_em(data: TrainingData, settings: Settings, context: LearningContext) -> Learnt:
    """EM from a random start; takes at most ``em.iterations`` steps and scores every ``em.every``-th one."""
    table = rule_table(data.trees, data.entry, states_by_count(data.trees, settings.svd.states))
    start = Start(table, lambda: random_split(table, settings.em.spread, stream(settings.seed, Purpose.EM_START)))
    return fit_by_em(data, settings, context, EM, start, settings.em.iterations, settings.em.every)


EM = Learner(
    name="em",
    summary="EM from a random start",
    fit=fit_random_em,
    shaped_by={"em": names_of(EmSettings, "refine"), "svd": ("states",)},
    takes_em_steps=True,
)
