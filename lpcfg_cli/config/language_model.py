"""Settings of language models."""

from __future__ import annotations

from dataclasses import dataclass

from lpcfg_cli.config.fields import at_least, one_of, setting, share
from lpcfg_cli.config.tables import known_name
from lpcfg_cli.errors import ConfigError

REPRESENTATIONS = ("cca", "random")


@dataclass(frozen=True)
class LmSettings:
    """How a language model is learnt.

    Attributes
    ----------
    learner : str
        A name of `lpcfg_cli.lm.learners.LM_LEARNERS`.
    states : int
        m: number of latent states.
    lag : int
        Which word chooses the state: 1 for the word before, 2 for the one before that.
    order : int
        Length of the n-grams of Kneser-Ney models.
    rare_below : int
        Words that occur less often are replaced by ``<unk>``.
    dev : str
        Text on whose first half the number of EM steps and the weights of mixtures are chosen; empty for none.
    interpolate : bool
        Mix the model with a Kneser-Ney model of the same text.
    iterations : int
        Largest number of EM steps.
    refine : int
        Without a dev text, the largest number of EM steps of ``pivot+em``, which starts close to the optimum.
    patience : int
        EM stops after so many steps without a better dev perplexity.
    tolerance : float
        Without a dev text, EM stops when its bound rises by a smaller share of its absolute value.
    spread : float
        A random start multiplies even parameters by factors between 1 / spread and spread.
    prior : float
        κ: every r(· | w) gets κ counts that are the same for all states, every s(· | h) κ counts in proportion to the
        words' frequencies; 0 for maximum likelihood.
    anchor_count : int
        Smallest count of an anchor.
    representation : {"cca", "random"}
        How the words before are represented when anchors are looked for.
    dimensions : int
        Number of random dimensions, for ``random``.
    kappa : float
        Pseudo-counts that limit the weight of rare words in the canonical correlation analysis.
    floor : float
        Weight of the words' mean in p(h | w) as found from the anchors.
    convex_steps : int
        Largest number of steps of the convex EM for r.
    """

    learner: str = setting("pivot+em", "How parameters are learnt", "--learner", table="lm learner")
    states: int = setting(32, "Number of latent states.", "-m", "--states")
    lag: int = setting(1, "Which word before chooses the state: 1 for the last.", "--lag", metavar="N")
    order: int = setting(3, "Length of the n-grams of Kneser-Ney.", "--order", metavar="N")
    rare_below: int = setting(2, "Words that occur less often become <unk>.", "--rare-below", metavar="N")
    dev: str = setting("", "Text that chooses EM's steps and mixtures' weights.", "--dev", metavar="TEXT")
    interpolate: bool = setting(False, "Mix the model with Kneser-Ney; needs --dev.", "--interpolate")
    iterations: int = setting(100, "Largest number of EM steps.", "--iterations", metavar="N")
    refine: int = 2
    patience: int = 3
    tolerance: float = 1e-5
    spread: float = 1.2
    prior: float = setting(10.0, "Weight of the prior; 0 for maximum likelihood.", "--prior", metavar="K")
    anchor_count: int = setting(100, "Smallest count of an anchor.", "--anchor-count", metavar="N")
    representation: str = setting(
        "cca", "cca or random: representation of words for anchors.", "--representation", metavar="NAME"
    )
    dimensions: int = 1000
    kappa: float = 100.0
    floor: float = 0.03
    convex_steps: int = 10

    def __post_init__(self) -> None:
        known_name("lm.learner", self.learner, "lm learner")
        one_of("lm.representation", self.representation, REPRESENTATIONS)
        for name in ("states", "lag", "rare_below", "patience", "spread", "dimensions"):
            at_least(f"lm.{name}", getattr(self, name), 1)
        for name in ("iterations", "refine", "tolerance", "prior", "anchor_count", "kappa", "convex_steps"):
            at_least(f"lm.{name}", getattr(self, name), 0)
        at_least("lm.order", self.order, 2)
        share("lm.floor", self.floor)


@dataclass(frozen=True)
class LmExperimentSettings:
    """The models of ``lpcfg lm experiment``.

    Attributes
    ----------
    learners : tuple of str
        Names of `lpcfg_cli.lm.learners.LM_LEARNERS`.
    states : tuple of int
        Values of m.
    orders : tuple of int
        Orders of the Kneser-Ney models.
    mixed : bool
        Whether every latent model is also mixed with each Kneser-Ney model.
    """

    learners: tuple[str, ...] = setting(
        ("em", "pivot", "pivot+em", "cluster"), "Names, joined by commas.", "--learners", table="lm learner"
    )
    states: tuple[int, ...] = setting((2, 4, 8, 16, 32, 128, 256), "Values of m, joined by commas.", "--states")
    orders: tuple[int, ...] = setting((2, 3), "Orders of Kneser-Ney, joined by commas.", "--orders")
    mixed: bool = setting(True, "Also mix latent models with Kneser-Ney.", "--mixed")

    def __post_init__(self) -> None:
        known_name("lm_experiment.learners", self.learners, "lm learner")
        for states in self.states:
            at_least("lm_experiment.states", states, 1)
        for order in self.orders:
            at_least("lm_experiment.orders", order, 2)
        if not self.states:
            raise ConfigError("lm_experiment.states is empty: there is no model to learn.")
