"""Settings of models of dependency trees."""

from __future__ import annotations

from dataclasses import dataclass

from lpcfg_cli.config.fields import at_least, one_of, setting
from lpcfg_cli.config.tables import known_name
from lpcfg_cli.errors import ConfigError

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
    least_weight: float = 0.001
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
