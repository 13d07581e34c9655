"""Settings of hidden Markov models."""

from __future__ import annotations

from dataclasses import dataclass

from lpcfg_cli.config.fields import at_least, setting, share
from lpcfg_cli.config.tables import known_name


@dataclass(frozen=True)
class HmmSettings:
    """How a hidden Markov model is learnt.

    Attributes
    ----------
    learner : str
        A name of `lpcfg_cli.hmm.learners.HMM_LEARNERS`.
    states : int
        m: number of hidden states, or of dimensions.
    rare_below : int
        Symbols that occur less often are replaced by ``<unk>``.
    projection : str
        A name of `lpcfg_cli.hmm.projections.PROJECTIONS`: how symbols are projected to m dimensions.
    embeddings : str
        File of vectors of words that take the place of a projection; empty for none.
    kappa : float
        Pseudo-counts that limit the weight of rare symbols in the canonical correlation analysis.
    floor : float
        Weight of the symbols' frequencies in the predictions of spectral models.
    dev : str
        Text on whose first half the number of EM steps is chosen; empty for none.
    iterations : int
        Largest number of EM steps.
    patience : int
        EM stops after so many steps without a better dev perplexity.
    tolerance : float
        Without a dev text, EM stops when its bound rises by a smaller share of its absolute value.
    spread : float
        A random start multiplies even parameters by factors between 1 / spread and spread.
    prior : float
        κ: every state has κ counts of symbols in proportion to their frequencies, and κ counts of next states, the same
        for all; 0 for maximum likelihood.
    anchor_count : int
        Smallest count of an anchor, for the spectral start of EM.
    """

    learner: str = setting("spectral", "How parameters are learnt", "--learner", table="hmm learner")
    states: int = setting(32, "Number of hidden states, or of dimensions.", "-m", "--states")
    rare_below: int = setting(2, "Symbols that occur less often become <unk>.", "--rare-below", metavar="N")
    projection: str = setting(
        "cca", "Projection of symbols, of spectral learners", "--projection", table="hmm projection"
    )
    embeddings: str = setting("", "Project by the vectors of this file instead.", "--embeddings", metavar="FILE")
    kappa: float = setting(50.0, "Pseudo-counts of symbols in cca.", "--kappa", metavar="K")
    floor: float = setting(0.1, "Weight of frequencies in spectral predictions.", "--floor", metavar="W")
    dev: str = setting("", "Text that chooses the number of EM steps.", "--dev", metavar="TEXT")
    iterations: int = setting(100, "Largest number of EM steps.", "--iterations", metavar="N")
    patience: int = 3
    tolerance: float = 1e-5
    spread: float = 1.2
    prior: float = setting(10.0, "Weight of EM's prior; 0 for maximum likelihood.", "--prior", metavar="K")
    anchor_count: int = setting(100, "Smallest count of an anchor.", "--anchor-count", metavar="N")

    def __post_init__(self) -> None:
        known_name("hmm.learner", self.learner, "hmm learner")
        known_name("hmm.projection", self.projection, "hmm projection")
        for name in ("states", "rare_below", "patience", "spread"):
            at_least(f"hmm.{name}", getattr(self, name), 1)
        for name in ("iterations", "tolerance", "prior", "anchor_count", "kappa"):
            at_least(f"hmm.{name}", getattr(self, name), 0)
        share("hmm.floor", self.floor)
