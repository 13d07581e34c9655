"""consistency of HMMs: sequences sampled from known HMMs → the error of each learner as the samples grow.

If emissions and transitions of an HMM have full rank, the error of spectral estimates falls like M^(−1/2) (Hsu et al.
2009, Theorem 6; Foster et al. 2012); otherwise it does not.  The estimator is that of the theorem: singular vectors of
the bigrams as they are, no frequencies mixed into predictions; EM has no prior.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from lpcfg_cli.config import HmmSettings, Settings
from lpcfg_cli.experiments.consistency import EM_TOLERANCE
from lpcfg_cli.experiments.known_models import KnownModel, run_known_models
from lpcfg_cli.hmm.enumeration import all_values
from lpcfg_cli.hmm.hidden_markov import HiddenMarkov
from lpcfg_cli.hmm.known import known_hmm
from lpcfg_cli.hmm.learner import HmmData, HmmLearnt
from lpcfg_cli.hmm.learners import HMM_LEARNERS, learn_hmm
from lpcfg_cli.hmm.model import SequenceModel
from lpcfg_cli.hmm.operators import SpectralModel
from lpcfg_cli.hmm.sampling import data_of, sample_sequences
from lpcfg_cli.spectral.spectra import RankWarning


class KnownHmm(KnownModel):
    """A known HMM; errors are summed over short sequences."""

    LEARNERS = HMM_LEARNERS
    SETTING = "hmm_learners"
    model: HiddenMarkov

    def known(self) -> HiddenMarkov:
        """As in `KnownModel`."""
        return known_hmm(self.name)

    def values(self, model: SequenceModel) -> np.ndarray:
        """As in `KnownModel`."""
        return all_values(model, self.settings.consistency.words)

    def sample(self, size: int, rng: np.random.Generator) -> HmmData:
        """As in `KnownModel`."""
        return data_of(self.model, sample_sequences(self.model, size, rng))

    def learn(self, data: HmmData, learner: str, seed: int) -> HmmLearnt:
        """As in `KnownModel`."""
        return learn_hmm(data, theory_settings(self.settings, learner, self.model.n_states), seed)

    def warnings(self, model: Any, size: int) -> list[RankWarning]:
        """As in `KnownModel`."""
        if not isinstance(model, SpectralModel) or not model.observable.lacking:
            return []
        own = model.observable
        rank = model.n_states - own.lacking
        ratio = float(own.singular_values[rank] / own.singular_values[0])
        return [RankWarning("bigrams", size, rank, model.n_states, ratio)]


def theory_settings(settings: Settings, learner: str, states: int) -> HmmSettings:
    """The settings of the theorem's estimator."""
    return HmmSettings(
        learner=learner,
        states=states,
        rare_below=1,
        projection="svd",
        floor=0.0,
        prior=0.0,
        iterations=settings.consistency.iterations,
        tolerance=EM_TOLERANCE,
        spread=2.0,
        anchor_count=1,
    )


run_hmm_consistency = partial(run_known_models, KnownHmm)
