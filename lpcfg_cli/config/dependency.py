"""Settings of dependency trees."""

from __future__ import annotations

from dataclasses import dataclass

from lpcfg_cli.config.fields import at_least, one_of, setting, share
from lpcfg_cli.config.tables import known_name
from lpcfg_cli.errors import ConfigError

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


ROOTS = ("one", "several")
"""How many words of a sentence may be children of the root."""

LEAST_BITS, MOST_BITS = 8, 28


@dataclass(frozen=True)
class DependencyParserSettings:
    """How a parser of dependency trees is learnt.

    Attributes
    ----------
    order : str
        A name of `lpcfg_cli.dependency.parser.orders.ORDERS`: which parts of a tree have scores.
    learner : str
        A name of `lpcfg_cli.dependency.parser.learners.LEARNERS`: how long a step is.
    roots : {"one", "several"}
        How many words of a sentence the root may have as children.
    epochs : int
        Passes over the trees.
    shards : int
        Parts of the treebank that are learnt apart, and mixed after each pass; they can be learnt at the same time.
    cost : float
        Of a wrong head: by how much the gold tree's score is to be the larger one, a wrong head each.
    largest_step : float
        C of MIRA.
    bits : int
        The table of weights has 2 ** bits places.
    least_weight : float
        Weights with a smaller absolute value, as a share of the largest, are not stored.
    longest : int
        Longer sentences are not learnt from: time and memory grow with the third power of the length.
    relation_epochs : int
        Passes over the arcs, for the relations.
    relation_rate : float
        Learning rate of the relations.
    relation_count : int
        Smallest count of a feature of relations.
    """

    order: str = setting("second", "Which parts of a tree have scores", "--order", table="dependency order")
    learner: str = setting("mira", "How weights are changed", "--learner", table="dependency learner")
    roots: str = setting("one", "Children of the root in a sentence: one or several.", "--roots", metavar="N")
    epochs: int = setting(10, "Passes over the trees.", "--epochs", metavar="N")
    shards: int = setting(1, "Parts that are learnt apart, by as many --jobs.", "--shards", metavar="N")
    cost: float = setting(1.0, "Of a wrong head in training.", "--cost", metavar="X")
    largest_step: float = setting(0.01, "Largest step of MIRA.", "--largest-step", metavar="C")
    bits: int = setting(22, "The table of weights has 2^BITS places.", "--bits", metavar="BITS")
    least_weight: float = 0.01
    longest: int = setting(150, "Longer sentences are not learnt from.", "--longest", metavar="WORDS")
    relation_epochs: int = 6
    relation_rate: float = 0.1
    relation_count: int = 2

    def __post_init__(self) -> None:
        known_name("dependency_parser.order", self.order, "dependency order")
        known_name("dependency_parser.learner", self.learner, "dependency learner")
        one_of("dependency_parser.roots", self.roots, ROOTS)
        for name in ("epochs", "shards", "longest", "relation_epochs", "relation_count"):
            at_least(f"dependency_parser.{name}", getattr(self, name), 1)
        for name in ("cost", "largest_step", "least_weight", "relation_rate"):
            at_least(f"dependency_parser.{name}", getattr(self, name), 0)
        at_least("dependency_parser.bits", self.bits, LEAST_BITS)
        if self.bits > MOST_BITS:
            raise ConfigError(f"dependency_parser.bits is {self.bits}; expected at most {MOST_BITS}.")


@dataclass(frozen=True)
class DependencyRerankSettings:
    """How the trees of a parser's lists are reranked.

    Attributes
    ----------
    candidates : int
        Largest number of trees of a list.
    folds : int
        Parts of the treebank; the lists of each are made by models of the other parts.
    epochs : int
        Passes of the perceptron over the sentences.
    learner : str
        A name of `lpcfg_cli.dependency.reranking.learners.RERANK_LEARNERS`.
    bins : int
        Number of edges between bins of the latent-variable model's log-probability; 0 for its value.
    punctuation : str
        A name of `lpcfg_cli.dependency.trees.punctuation.PUNCTUATION`: what is not counted.
    """

    candidates: int = setting(50, "Largest number of trees of a list.", "-k", "--candidates", metavar="K")
    folds: int = setting(3, "Parts of the treebank that are parsed by models of the others.", "--folds", metavar="N")
    epochs: int = setting(10, "Passes of the perceptron.", "--passes", metavar="N")
    learner: str = setting("log-linear", "How the reranker is learnt", "--reranker", table="rerank learner")
    bins: int = setting(0, "Bins of the log-probability; 0 for its value.", "--bins", metavar="N")
    punctuation: str = setting("unicode", "What is not counted", "--punctuation", table="punctuation")

    def __post_init__(self) -> None:
        at_least("dependency_rerank.candidates", self.candidates, 1)
        at_least("dependency_rerank.folds", self.folds, 2)
        at_least("dependency_rerank.epochs", self.epochs, 1)
        at_least("dependency_rerank.bins", self.bins, 0)
        known_name("dependency_rerank.learner", self.learner, "rerank learner")
        known_name("dependency_rerank.punctuation", self.punctuation, "punctuation")
