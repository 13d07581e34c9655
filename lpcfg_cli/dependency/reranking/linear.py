"""Linear rerankers, what they are learnt from, and the interface of learners."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.config import DependencyRerankSettings
from lpcfg_cli.dependency.reranking.features import Features, FeatureSpace
from lpcfg_cli.dependency.reranking.lists import CandidateLists
from lpcfg_cli.reranking.lists import largest


@dataclass(frozen=True)
class LinearReranker:
    """Scores candidates by a weighted sum.

    Attributes
    ----------
    space : FeatureSpace
    weights : (n_features,) float64 array
    score_weight : float
        Weight of the parser's score.
    log_weight : float
        Weight of ln p by the latent-variable model.
    """

    space: FeatureSpace
    weights: np.ndarray
    score_weight: float
    log_weight: float

    def scores(self, lists: CandidateLists) -> np.ndarray:
        """The score of each candidate, float64, shape (C,)."""
        return self.scores_with(lists, self.space.features(lists))

    def scores_with(self, lists: CandidateLists, features: Features) -> np.ndarray:
        """The same, for lists whose features are known."""
        first, numbers = features
        owner = np.repeat(np.arange(len(first) - 1), np.diff(first))
        learnt = np.bincount(owner, self.weights[numbers], minlength=len(first) - 1)
        return self.score_weight * lists.scores + self.log_weight * lists.log_probabilities + learnt

    def choose(self, lists: CandidateLists) -> np.ndarray:
        """The chosen candidate of each sentence, int64, shape (S,): its position among all candidates."""
        return largest(lists.first, self.scores(lists))


@dataclass(frozen=True)
class RerankTask:
    """What a reranker is learnt from.

    Attributes
    ----------
    parts : sequence of CandidateLists
        Lists of parts of the treebank, each by models that were trained on the other parts.
    n_tags : int
        T, with the tag of unknown tags and that of the root.
    uses_model : bool
        Whether ln p by the latent-variable model counts.
    settings : DependencyRerankSettings
    seed : int
    """

    parts: Sequence[CandidateLists]
    n_tags: int
    uses_model: bool
    settings: DependencyRerankSettings
    seed: int = 0


@dataclass(frozen=True)
class RerankLearner:
    """A way to learn a reranker.

    Attributes
    ----------
    name, summary : str
    learn : function of RerankTask
    """

    name: str
    summary: str
    learn: Callable[[RerankTask], LinearReranker]
