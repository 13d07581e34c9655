"""Settings of the learners."""

from __future__ import annotations

from dataclasses import dataclass

from lpcfg_cli.config.fields import at_least, setting, share
from lpcfg_cli.config.tables import known_name
from lpcfg_cli.errors import ConfigError


@dataclass(frozen=True)
class SvdSettings:
    """How inside and outside trees are projected.

    Attributes
    ----------
    states : int
        m: the largest number of latent states of a nonterminal.
    tolerance : float
        Singular values below this share of the largest count as zero.
    dense_limit : int
        A dense SVD is used for matrices whose smaller side is at most this.
    dropout : float
        Share of feature values that are dropped at random, so that the members of an ensemble differ.
    noise : float
        Standard deviation of random factors around 1 that multiply the feature values, for the same purpose.
    """

    states: int = setting(16, "Largest number of latent states of a nonterminal.", "-m", "--states")
    tolerance: float = 0.01
    dense_limit: int = 200
    dropout: float = setting(0.0, "Share of feature values dropped before the SVD.", "--dropout")
    noise: float = setting(0.0, "Deviation of random factors on feature values.", "--noise")

    def __post_init__(self) -> None:
        at_least("svd.states", self.states, 1)
        at_least("svd.tolerance", self.tolerance, 0.0)
        at_least("svd.dense_limit", self.dense_limit, 1)
        at_least("svd.dropout", self.dropout, 0.0)
        at_least("svd.noise", self.noise, 0.0)
        if self.dropout >= 1:
            raise ConfigError(f"svd.dropout is {self.dropout}; it is a share of the values, below 1.")


@dataclass(frozen=True)
class EstimateSettings:
    """The learner, and the smoothing of moments (C13 §3.2).

    Attributes
    ----------
    learner : str
        A name of `lpcfg_cli.learning.learners.LEARNERS`.
    smooth_rules : bool
        Back off the moments of binary and unary rules to lower-order moments.
    binary_c, unary_c : float
        C in λ = √count / (C + √count), for binary and unary rules.
    smooth_lexicon : bool
        Back off the vectors of rare lexical rules to the mean of the tag.
    lexical_nu : float
        ν, the weight of a rare lexical rule's own vector.
    lexical_max_count : int
        Largest count of a rare lexical rule.
    bits : int
        Significant bits to which the parameters of rules are rounded, from 4 to 24, so that the model file becomes
        small; 0 for double precision.
    """

    learner: str = setting("spectral", "How parameters are learnt", "--learner", table="learner")
    smooth_rules: bool = setting(True, "Smooth rules and lexicon.", "--smooth")
    binary_c: float = 25.0
    unary_c: float = 12.5
    smooth_lexicon: bool = setting(True, "Smooth rules and lexicon.", "--smooth")
    lexical_nu: float = 0.5
    lexical_max_count: int = 10
    bits: int = 0

    def __post_init__(self) -> None:
        known_name("estimate.learner", self.learner, "learner")
        at_least("estimate.binary_c", self.binary_c, 0.0)
        at_least("estimate.unary_c", self.unary_c, 0.0)
        at_least("estimate.lexical_nu", self.lexical_nu, 0.0)
        if self.lexical_nu > 1:
            raise ConfigError(f"estimate.lexical_nu is {self.lexical_nu}; it is a weight between 0 and 1.")
        if self.bits and not 4 <= self.bits <= 24:
            raise ConfigError(f"estimate.bits is {self.bits}; expected 0, or a number of bits from 4 to 24.")


@dataclass(frozen=True)
class EmSettings:
    """Settings of EM, for the learners ``em``, ``cluster`` and ``pivot+em``.

    Attributes
    ----------
    iterations : int
        Largest number of steps of the learner ``em``.
    refine : int
        Largest number of steps of the learners ``cluster`` and ``pivot+em``, which start close to the optimum.
    spread : float
        A random start multiplies each relative frequency by a factor between 1 / spread and spread.
    prior : float
        κ: the counts of every state get κ counts of the plain PCFG added; 0 for maximum likelihood.  Also for
        ``pivot``.
    tolerance : float
        Without a dev treebank, EM stops when its bound rises by a smaller share of its absolute value.
    dev : str
        File or directory of the dev treebank, on which the iteration is chosen; empty for none.
    every : int
        Steps of the learner ``em`` between two dev scores; the other learners score every step.
    patience : int
        EM stops after so many dev scores without a better F1.
    mix_rules, mix_words : float
        α, from 0 to 1: weight of the mean over the symbol's states in the parameters of the model, for binary and unary
        rules and for lexical rules.  Also for ``pivot``.
    """

    iterations: int = setting(30, "Largest number of EM steps from a random start.", "--iterations")
    refine: int = 5
    spread: float = 3.0
    prior: float = 1.0
    tolerance: float = 1e-4
    dev: str = setting("", "Trees on which the iteration of EM is chosen.", "--dev", metavar="TREES")
    every: int = 5
    patience: int = 4
    mix_rules: float = 0.0
    mix_words: float = 0.0

    def __post_init__(self) -> None:
        for name, least in (("iterations", 0), ("refine", 0), ("spread", 1), ("prior", 0), ("tolerance", 0)):
            at_least(f"em.{name}", getattr(self, name), least)
        at_least("em.every", self.every, 1)
        at_least("em.patience", self.patience, 1)
        share("em.mix_rules", self.mix_rules)
        share("em.mix_words", self.mix_words)


@dataclass(frozen=True)
class PivotSettings:
    """Settings of the learners ``pivot`` and ``pivot+em`` (CC14).

    Attributes
    ----------
    anchor_count : float
        Smallest count of a pivot feature, in multiples of the square root of its symbol's count.
    combinations : int
        Number of combinations of templates drawn for each occurrence of a rule.
    rule_prior : float
        Weight, in counts, of independent states in the parameters of each rule.
    steps : int
        Largest number of EM steps in the two convex problems: the alignment of inside and outside states, and the
        states of each rule.
    tolerance : float
        EM stops there when the mean log-likelihood changes by less.
    """

    anchor_count: float = 0.3
    combinations: int = 4
    rule_prior: float = 1.0
    steps: int = 20
    tolerance: float = 1e-3

    def __post_init__(self) -> None:
        for name in ("anchor_count", "rule_prior", "tolerance"):
            at_least(f"pivot.{name}", getattr(self, name), 0.0)
        at_least("pivot.combinations", self.combinations, 1)
        at_least("pivot.steps", self.steps, 1)


@dataclass(frozen=True)
class TaggerSettings:
    """How the tagger for raw text is trained.

    Attributes
    ----------
    epochs : int
        Passes over the training words; 0 for no tagger.
    rate : float
        Learning rate.
    min_count : int
        Smallest count of a feature.
    context : float
        How much the tag before a word counts beside the words, from 0 to 1.  In between, since words say a part of what
        tags say.
    """

    epochs: int = 8
    rate: float = 0.1
    min_count: int = 1
    context: float = 0.5

    def __post_init__(self) -> None:
        at_least("tagger.epochs", self.epochs, 0)
        at_least("tagger.rate", self.rate, 0.0)
        at_least("tagger.min_count", self.min_count, 1)
        share("tagger.context", self.context)
