"""Settings of dependency trees."""

from __future__ import annotations

from dataclasses import dataclass

from lpcfg_cli.config.fields import at_least, one_of, setting, share
from lpcfg_cli.config.tables import known_name

SYMBOL_COLUMNS = ("forms", "tags")


@dataclass(frozen=True)
class DependencyModelSettings:
    """How a latent-variable model of dependency trees is learnt.

    Attributes
    ----------
    learner : str
        A name of `lpcfg_cli.dependency.latent.learners.TREE_LEARNERS`.
    states : int
        m: number of hidden states, or of dimensions.
    symbols : str
        What nodes emit: the words' ``forms``, or their ``tags``.
    rare_below : int
        Symbols that occur less often are replaced by ``<unk>``.
    contexts : str
        A name of `lpcfg_cli.dependency.latent.contexts.CONTEXTS`: what a word and its child are seen together with.
    embeddings : str
        File of vectors of words, in place of singular vectors of the treebank; empty for none.
    kappa : float
        Pseudo-counts that limit the weight of rare symbols.
    ridge : float
        Strength by which regressions of spectral learning are drawn to independence.
    floor : float
        Weight of a state that does not depend on the head's, in the transitions of spectral models.
    dev : str
        Treebank on whose first half the number of EM steps is chosen; empty for none.
    iterations : int
        Largest number of EM steps.
    patience : int
        EM stops after so many steps without a better dev perplexity.
    tolerance : float
        Without a dev treebank, EM stops when its bound rises by a smaller share of its absolute value.
    spread : float
        A random start multiplies even parameters by factors between 1 / spread and spread.
    prior : float
        κ: every state has κ counts of symbols in proportion to their frequencies, and κ counts of states of children
        on each side, the same for all; 0 for maximum likelihood.
    anchor_count : int
        Smallest count of an anchor, for the spectral start of EM.
    """

    learner: str = setting("spectral", "How parameters are learnt", "--learner", table="tree learner")
    states: int = setting(20, "Number of hidden states, or of dimensions.", "-m", "--states")
    symbols: str = setting("forms", "What nodes emit: forms or tags.", "--symbols")
    rare_below: int = setting(2, "Symbols that occur less often become <unk>.", "--rare-below", metavar="N")
    contexts: str = setting("neighbours", "Contexts of moments, of spectral", "--contexts", table="tree context")
    embeddings: str = setting("", "Use the vectors of words of this file.", "--embeddings", metavar="FILE")
    kappa: float = setting(50.0, "Pseudo-counts of symbols, of spectral.", "--kappa", metavar="K")
    ridge: float = setting(0.03, "Regularisation of spectral estimates.", "--ridge", metavar="R")
    floor: float = setting(0.1, "Weight of independence in spectral transitions.", "--floor", metavar="W")
    dev: str = setting("", "Treebank that chooses the number of EM steps.", "--dev", metavar="CONLL")
    iterations: int = setting(100, "Largest number of EM steps.", "--iterations", metavar="N")
    patience: int = 3
    tolerance: float = 1e-5
    spread: float = 1.2
    prior: float = setting(10.0, "Weight of EM's prior; 0 for maximum likelihood.", "--prior", metavar="K")
    anchor_count: int = setting(50, "Smallest count of an anchor.", "--anchor-count", metavar="N")

    def __post_init__(self) -> None:
        known_name("dependency.learner", self.learner, "tree learner")
        known_name("dependency.contexts", self.contexts, "tree context")
        one_of("dependency.symbols", self.symbols, SYMBOL_COLUMNS)
        for name in ("states", "rare_below", "patience", "spread"):
            at_least(f"dependency.{name}", getattr(self, name), 1)
        for name in ("iterations", "tolerance", "prior", "anchor_count", "kappa", "ridge"):
            at_least(f"dependency.{name}", getattr(self, name), 0)
        share("dependency.floor", self.floor)
