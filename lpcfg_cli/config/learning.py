"""Settings of the learners."""

from __future__ import annotations

from dataclasses import dataclass

from lpcfg_cli.config.checks import at_least, share
from lpcfg_cli.config.fields import setting
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
        Matrices whose smaller side is at most this are decomposed densely.
    dropout : float
        Share of the features' values that are left out at random: members of an ensemble then differ.
    noise : float
        Standard deviation of random factors around 1 that the features' values are multiplied by, for the same end.
    """

    states: int = setting(16, "Latent states of a nonterminal, at most.", "-m", "--states")
    tolerance: float = 0.01
    dense_limit: int = 200
    dropout: float = setting(0.0, "Share of feature values left out before the SVD.", "--dropout")
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
    """How parameters are found, and how moments are smoothed (C13 §3.2).

    Attributes
    ----------
    learner : str
        A name of `lpcfg_cli.learning.learners.LEARNERS`.
    smooth_rules : bool
        Back binary and unary moments off to lower-order ones.
    binary_c, unary_c : float
        C in λ = √count / (C + √count), for binary and unary rules.
    smooth_lexicon : bool
        Back rare lexical vectors off to the tag's mean.
    lexical_nu : float
        ν, the weight that a rare lexical vector keeps.
    lexical_max_count : int
        The largest count that makes a lexical rule rare.
    """

    learner: str = setting("spectral", "How parameters are found", "--learner", table="learner")
    smooth_rules: bool = setting(True, "Smooth rules and lexicon.", "--smooth")
    binary_c: float = 25.0
    unary_c: float = 12.5
    smooth_lexicon: bool = setting(True, "Smooth rules and lexicon.", "--smooth")
    lexical_nu: float = 0.5
    lexical_max_count: int = 10

    def __post_init__(self) -> None:
        known_name("estimate.learner", self.learner, "learner")
        at_least("estimate.binary_c", self.binary_c, 0.0)
        at_least("estimate.unary_c", self.unary_c, 0.0)
        at_least("estimate.lexical_nu", self.lexical_nu, 0.0)
        if self.lexical_nu > 1:
            raise ConfigError(f"estimate.lexical_nu is {self.lexical_nu}; it is a weight between 0 and 1.")


@dataclass(frozen=True)
class EmSettings:
    """How EM goes, for the learners ``em``, ``cluster`` and ``pivot+em``.

    Attributes
    ----------
    iterations : int
        Steps of the learner ``em``, at most.
    refine : int
        Steps of the learners ``cluster`` and ``pivot+em``, at most: their start is close to where they end.
    spread : float
        A random start multiplies each relative frequency by a factor between 1 / spread and spread.
    prior : float
        κ: every state starts with κ counts from the plain PCFG; 0 for maximum likelihood.  Also for ``pivot``.
    tolerance : float
        Without a dev treebank EM ends when its bound rises by a smaller share of its size.
    dev : str
        Trees on which the iteration is chosen, a file or directory; none if empty.
    every : int
        Steps of the learner ``em`` between two looks at them; the others look at every step.
    patience : int
        Looks without a better F1 after which EM ends.
    mix_rules, mix_words : float
        α: how far, from 0 to 1, the model's parameters are drawn to their mean over the symbol's states after the
        last step; those of binary and unary rules, and of lexical ones.  Also for ``pivot``.
    """

    iterations: int = setting(30, "Steps of EM from a random start, at most.", "--iterations")
    refine: int = 5
    spread: float = 3.0
    prior: float = 1.0
    tolerance: float = 1e-4
    dev: str = setting("", "Trees on which EM's iteration is chosen.", "--dev", metavar="TREES")
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
    """How the learners ``pivot`` and ``pivot+em`` find states (CC14).

    Attributes
    ----------
    anchor_count : float
        A feature may be a state's pivot if its count is at least this times the square root of its symbol's.
    combinations : int
        How many combinations of templates each occurrence of a rule is seen through.
    rule_prior : float
        How many counts states that are independent of each other weigh in each rule.
    steps : int
        Steps, at most, of EM on the two convex problems: aligning inside with outside states, and each rule's states.
    tolerance : float
        It ends when the mean log-likelihood changes by less.
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
        Length of a step.
    min_count : int
        Features seen less often are left out.
    """

    epochs: int = 6
    rate: float = 0.1
    min_count: int = 1

    def __post_init__(self) -> None:
        at_least("tagger.epochs", self.epochs, 0)
        at_least("tagger.rate", self.rate, 0.0)
        at_least("tagger.min_count", self.min_count, 1)
